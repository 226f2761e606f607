import type { QueryResolvers } from '../generated/resolvers.js';

export const Query: Required<QueryResolvers> = {
  notification: (_, args, { arguments: { read }, notificationLoader }) =>
    notificationLoader.load(read('notification', args).notificationGuid),

  notificationsByGuid: (_, args, { arguments: { read }, notificationLoader }) =>
    read('notificationsByGuid', args).notificationGuids.map((guid) => notificationLoader.load(guid)),

  notifications: (_, args, { arguments: { read }, service, caller }) =>
    service.listNotifications(read('notifications', args).additionalParameters, caller),
};
