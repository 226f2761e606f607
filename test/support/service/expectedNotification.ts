import type { Notification } from '../../../src/reference-service/types.js';

const statuses = ['EN_ROUTE', 'AT_SHIPPER', 'IN_TRANSIT', 'AT_CONSIGNEE', 'DELIVERED'];

/**
 * What a query for all fields gives for a notification of the service. Phone numbers of ten digits are taken for
 * numbers of the United States, and all others for ones with a country code, which holds for the seed data.
 */
export function expectedNotification(notification: Notification) {
  const { notificationRecipientType, emailList, smsList, ...others } = notification;
  const { notifyStopContactsByEmail, notifyStopContactsBySms, ...plain } = others;
  const recipients: Record<string, object> = {
    shipmentlevel: {
      __typename: 'ShipmentLevelRecipient',
      emailList,
      smsList: smsList.map((digits) => (digits.length === 10 ? `+1${digits}` : `+${digits}`)),
    },
    stoplevel: { __typename: 'StopLevelRecipient', notifyStopContactsByEmail, notifyStopContactsBySms },
  };
  const recipient = recipients[notificationRecipientType.toLowerCase()] ?? { __typename: 'OtherRecipient' };
  return {
    ...plain,
    recipient: { notificationRecipientType, ...recipient },
    shipmentStatuses:
      notification.notificationTypeLabel === 'shipmentStatusChange'
        ? notification.notificationTypes.map(toStatus).filter((each) => statuses.includes(each))
        : [],
  };
}

/** `ShipmentStatusAtShipper` is `AT_SHIPPER`. */
function toStatus(subtype: string): string {
  return subtype
    .replace(/^ShipmentStatus/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toUpperCase();
}
