import type { MutationResolvers } from '../generated/resolvers.js';

export const Mutation: Required<MutationResolvers> = {
  createNotification: (_, args, { arguments: { parse: read }, service, client }) =>
    service.createNotification(read('createNotification', args).input, client),

  updateNotification: (_, args, { arguments: { parse: read }, service, client }) => {
    const { notificationGuid, input } = read('updateNotification', args);
    return service.updateNotification(notificationGuid, input, client);
  },

  deleteNotification: async (_, args, { arguments: { parse: read }, service, client }) => {
    const { notificationGuid } = read('deleteNotification', args);
    return { notificationGuid, ...(await service.deleteNotification(notificationGuid, client)) };
  },

  trackShipment: async (_, args, { arguments: { parse: read }, service, client }) => {
    const { input } = read('trackShipment', args);
    await service.trackShipment(input, client);
    return input;
  },

  deleteException: async (_, args, { arguments: { parse: read }, service, client }) => {
    const { input } = read('deleteException', args);
    await service.deleteException(input, client);
    return input;
  },
};
