import type { MutationResolvers } from '../generated/resolvers.js';

export const Mutation: Required<MutationResolvers> = {
  createNotification: (_, args, { arguments: { parse: read }, service, caller }) =>
    service.createNotification(read('createNotification', args).input, caller),

  updateNotification: (_, args, { arguments: { parse: read }, service, caller }) => {
    const { notificationGuid, input } = read('updateNotification', args);
    return service.updateNotification(notificationGuid, input, caller);
  },

  deleteNotification: async (_, args, { arguments: { parse: read }, service, caller }) => {
    const { notificationGuid } = read('deleteNotification', args);
    return { notificationGuid, ...(await service.deleteNotification(notificationGuid, caller)) };
  },

  trackShipment: async (_, args, { arguments: { parse: read }, service, caller }) => {
    const { input } = read('trackShipment', args);
    await service.trackShipment(input, caller);
    return input;
  },

  deleteException: async (_, args, { arguments: { parse: read }, service, caller }) => {
    const { input } = read('deleteException', args);
    await service.deleteException(input, caller);
    return input;
  },
};
