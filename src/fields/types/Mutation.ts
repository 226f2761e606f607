import { writeRequestOf } from '../context.js';
import type { MutationResolvers } from '../../generated/resolvers.js';

export const Mutation: Required<MutationResolvers> = {
  createNotification: (_, args, context, info) => {
    const { input, idempotencyKey } = context.input.parse('createNotification', args, context.client);
    const { send, writes } = context.service;
    return send(writes.createNotification(input), writeRequestOf(context, info, args, idempotencyKey));
  },

  updateNotification: (_, args, context, info) => {
    const { notificationGuid, input, ifLastUpdateDate, idempotencyKey } = context.input.parse(
      'updateNotification',
      args,
      context.client,
    );
    const request = writeRequestOf(context, info, args, idempotencyKey);
    const { send, writes } = context.service;
    return send(writes.updateNotification({ notificationGuid, ifLastUpdateDate }, input), request);
  },

  deleteNotification: (_, args, context, info) => {
    const { notificationGuid, ifLastUpdateDate, idempotencyKey } = context.input.parse(
      'deleteNotification',
      args,
      context.client,
    );
    const request = writeRequestOf(context, info, args, idempotencyKey);
    const { send, writes } = context.service;
    return send(writes.deleteNotification({ notificationGuid, ifLastUpdateDate }), request);
  },

  trackShipment: (_, args, context, info) => {
    const { input, idempotencyKey } = context.input.parse('trackShipment', args, context.client);
    const { send, writes } = context.service;
    return send(writes.trackShipment(input), writeRequestOf(context, info, args, idempotencyKey));
  },

  deleteException: (_, args, context, info) => {
    const { input, idempotencyKey } = context.input.parse('deleteException', args, context.client);
    const { send, writes } = context.service;
    return send(writes.deleteException(input), writeRequestOf(context, info, args, idempotencyKey));
  },
};
