import type { MutationResolvers } from '../generated/resolvers.js';

export const Mutation: Required<MutationResolvers> = {
  createNotification: (_, args, { input: { parse }, service, caller }) =>
    service.createNotification(parse('createNotification', args).input, caller),

  updateNotification: (_, args, { input: { parse }, service, caller }) => {
    const { notificationGuid, input } = parse('updateNotification', args);
    return service.updateNotification(notificationGuid, input, caller);
  },

  deleteNotification: async (_, args, { input: { parse }, service, caller }) => {
    const { notificationGuid } = parse('deleteNotification', args);
    return { notificationGuid, ...(await service.deleteNotification(notificationGuid, caller)) };
  },

  trackShipment: async (_, args, { input: { parse }, service, caller }) => {
    const { input } = parse('trackShipment', args);
    await service.trackShipment(input, caller);
    return input;
  },

  deleteException: async (_, args, { input: { parse }, service, caller }) => {
    const { input } = parse('deleteException', args);
    await service.deleteException(input, caller);
    return input;
  },
};
