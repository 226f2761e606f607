import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NotificationStore } from './notificationStore.js';
import type { Envelope, Notification, NotificationFields } from './types.js';
import { HttpError } from './httpError.js';

interface ByGuid {
  Params: { notificationGuid: string };
}

/** Named by the contract's operationIds; bodies and parameters arrive validated. */
export function createNotificationHandlers(store: NotificationStore) {
  return {
    createNotification: (request: FastifyRequest<{ Body: NotificationFields }>, reply: FastifyReply) =>
      reply.send(envelope([store.create(request.body)])),

    listNotifications: (_request: FastifyRequest, reply: FastifyReply) => reply.send(envelope(store.all())),

    readNotification: (request: FastifyRequest<ByGuid>, reply: FastifyReply) => {
      const { notificationGuid } = request.params;
      return reply.send(envelope([store.find(notificationGuid) ?? unknown(notificationGuid)]));
    },

    updateNotification: (
      request: FastifyRequest<ByGuid & { Body: NotificationFields & { notificationGuid: string } }>,
      reply: FastifyReply,
    ) => {
      const { notificationGuid } = request.params;
      if (request.body.notificationGuid.toLowerCase() !== notificationGuid.toLowerCase()) {
        throw new HttpError(400, [
          { field: '/notificationGuid', message: `must be ${notificationGuid}, as in the path` },
        ]);
      }
      return reply.send(
        envelope([store.update(notificationGuid, request.body) ?? unknown(notificationGuid)]),
      );
    },

    deleteNotification: (request: FastifyRequest<ByGuid>, reply: FastifyReply) => {
      const { notificationGuid } = request.params;
      if (!store.remove(notificationGuid)) unknown(notificationGuid);
      return reply.code(204).send();
    },
  };
}

function envelope(data: Notification[]): Envelope {
  return { data, messages: [], totalPossibleCount: data.length };
}

function unknown(notificationGuid: string): never {
  throw new HttpError(404, [{ message: `There is no notification ${notificationGuid}.` }]);
}
