import type { MutationResolvers } from '../generated/resolvers.js';

export const Mutation: Required<MutationResolvers> = {
  createNotification: (_, args, { input: { parse }, service, client }) =>
    service.createNotification(parse('createNotification', args, client).input, client),

  updateNotification: (_, args, { input: { parse }, service, client }) => {
    const { notificationGuid, input, ifLastUpdateDate } = parse('updateNotification', args, client);
    return service.updateNotification(notificationGuid, input, client, ifLastUpdateDate);
  },

  deleteNotification: async (_, args, { input: { parse }, service, client }) => {
    const { notificationGuid, ifLastUpdateDate } = parse('deleteNotification', args, client);
    const { messages } = await service.deleteNotification(notificationGuid, client, ifLastUpdateDate);
    return { notificationGuid, messages };
  },

  trackShipment: async (_, args, { input: { parse }, service, client }) => {
    const { input } = parse('trackShipment', args, client);
    await service.trackShipment(input, client);
    return input;
  },

  deleteException: async (_, args, { input: { parse }, service, client }) => {
    const { input } = parse('deleteException', args, client);
    await service.deleteException(input, client);
    return input;
  },
};
