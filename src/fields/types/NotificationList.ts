import type { NotificationListResolvers } from '../../generated/resolvers.js';

export const NotificationList: NotificationListResolvers = {
  notifications: ({ data }) => data,
};
