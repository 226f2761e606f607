import type { NotificationRecord } from '../../freight/contract.js';
import { operations } from '../../freight/operations.js';
import type { QueryResolvers } from '../../generated/resolvers.js';

export const Query: Required<QueryResolvers> = {
  notification: (_, args, { input: { parse }, notificationLoader, client }) =>
    notificationLoader.load(parse('notification', args, client).notificationGuid),

  // An Error element becomes the error of its list item. One promise per element would not do: when one rejects,
  // compiled operations return a list of the wrong length.
  notificationsByGuid: (_, args, { input: { parse }, notificationLoader, client }) =>
    notificationLoader.loadMany(parse('notificationsByGuid', args, client).notificationGuids) as Promise<
      (NotificationRecord | null)[]
    >,

  notifications: (_, args, { input: { parse }, service, client }) =>
    service.call(
      operations.listNotifications,
      parse('notifications', args, client).additionalParameters,
      client,
    ),
};
