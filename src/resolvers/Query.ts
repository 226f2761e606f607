import type { NotificationRecord } from '../service/contract.js';
import type { QueryResolvers } from '../generated/resolvers.js';

export const Query: Required<QueryResolvers> = {
  notification: (_, args, { arguments: { parse: read }, notificationLoader }) =>
    notificationLoader.load(read('notification', args).notificationGuid),

  // An Error in the list is the error of its place; a promise there would not be seen to by compiled operations.
  notificationsByGuid: (_, args, { arguments: { parse: read }, notificationLoader }) =>
    notificationLoader.loadMany(read('notificationsByGuid', args).notificationGuids) as Promise<
      (NotificationRecord | null)[]
    >,

  notifications: (_, args, { arguments: { parse: read }, service, client }) =>
    service.listNotifications(read('notifications', args).additionalParameters, client),
};
