import type { Notification } from '../../../src/mock/notifications.js';

const statuses = ['EN_ROUTE', 'AT_SHIPPER', 'IN_TRANSIT', 'AT_CONSIGNEE', 'DELIVERED'];

/**
 * The result of selecting every field of a notification. Assumes that phone numbers with ten digits are US numbers and
 * that all others start with a country code, which holds for the seed data.
 */
export function expectedNotification(notification: Notification) {
  const { notificationRecipientType, emailList, smsList, ...others } = notification;
  const { notifyStopContactsByEmail, notifyStopContactsBySms, ...rest } = others;
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
    id: notification.notificationGuid,
    ...rest,
    recipient: { notificationRecipientType, ...recipient },
    shipmentStatuses:
      notification.notificationTypeLabel === 'shipmentStatusChange'
        ? notification.notificationTypes.map(toStatus).filter((each) => statuses.includes(each))
        : [],
  };
}

/** `ShipmentStatusAtShipper` → `AT_SHIPPER` */
function toStatus(subtype: string): string {
  return subtype
    .replace(/^ShipmentStatus/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toUpperCase();
}
