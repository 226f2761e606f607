import type { NotificationResolvers } from '../../generated/resolvers.js';
import { SHIPMENT_STATUS_CHANGE } from '../../freight/contract.js';
import { toShipmentStatus } from '../../freight/vocabulary.js';

export const Notification: NotificationResolvers = {
  recipient: (notification) => notification,
  shipmentStatuses: ({ notificationTypeLabel, notificationTypes }) =>
    notificationTypeLabel === SHIPMENT_STATUS_CHANGE
      ? notificationTypes.map(toShipmentStatus).filter((status) => status !== undefined)
      : [],
};
