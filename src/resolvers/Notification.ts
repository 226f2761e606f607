import type { NotificationResolvers } from '../generated/resolvers.js';
import { SHIPMENT_STATUS_CHANGE } from '../service/contract.js';
import { statusOf } from '../shipmentStatus.js';

export const Notification: NotificationResolvers = {
  recipient: (notification) => notification,
  shipmentStatuses: ({ notificationTypeLabel, notificationTypes }) =>
    notificationTypeLabel === SHIPMENT_STATUS_CHANGE
      ? notificationTypes.map(statusOf).filter((status) => status !== undefined)
      : [],
};
