import type { NotificationRecord } from '../service/contract.js';
import type { QueryResolvers } from '../generated/resolvers.js';

export const Query: Required<QueryResolvers> = {
  notification: (_, args, { input: { parse }, notificationLoader }) =>
    notificationLoader.load(parse('notification', args).notificationGuid),

  // An Error in the list is the error of its place; a promise there would not be seen to by compiled operations.
  notificationsByGuid: (_, args, { input: { parse }, notificationLoader }) =>
    notificationLoader.loadMany(parse('notificationsByGuid', args).notificationGuids) as Promise<
      (NotificationRecord | null)[]
    >,

  notifications: (_, args, { input: { parse }, service, caller }) =>
    service.listNotifications(parse('notifications', args).additionalParameters, caller),
};
