import { writeRequestOf } from '../context.js';
import type { MutationResolvers } from '../../generated/resolvers.js';

export const Mutation: Required<MutationResolvers> = {
  createNotification: (_, args, context, info) => {
    const { input, idempotencyKey } = context.input.parse('createNotification', args, context.client);
    return context.service.createNotification(input, writeRequestOf(context, info, args, idempotencyKey));
  },

  updateNotification: (_, args, context, info) => {
    const { notificationGuid, input, ifLastUpdateDate, idempotencyKey } = context.input.parse(
      'updateNotification',
      args,
      context.client,
    );
    const request = writeRequestOf(context, info, args, idempotencyKey);
    return context.service.updateNotification(notificationGuid, input, request, ifLastUpdateDate);
  },

  deleteNotification: (_, args, context, info) => {
    const { notificationGuid, ifLastUpdateDate, idempotencyKey } = context.input.parse(
      'deleteNotification',
      args,
      context.client,
    );
    const request = writeRequestOf(context, info, args, idempotencyKey);
    return context.service.deleteNotification(notificationGuid, request, ifLastUpdateDate);
  },

  trackShipment: (_, args, context, info) => {
    const { input, idempotencyKey } = context.input.parse('trackShipment', args, context.client);
    return context.service.trackShipment(input, writeRequestOf(context, info, args, idempotencyKey));
  },

  deleteException: (_, args, context, info) => {
    const { input, idempotencyKey } = context.input.parse('deleteException', args, context.client);
    return context.service.deleteException(input, writeRequestOf(context, info, args, idempotencyKey));
  },
};
