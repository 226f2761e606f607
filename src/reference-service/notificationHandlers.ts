import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NotificationStore } from './notificationStore.js';
import type { Envelope, Notification, NotificationFields } from './types.js';
import { HttpError } from './httpError.js';
import { pageOf, type PageParameters } from './paging.js';

interface ByGuid {
  Params: { notificationGuid: string };
}

/** Handlers keyed by the contract's operationIds. Bodies and parameters are already validated. */
export function createNotificationHandlers(store: NotificationStore) {
  return {
    createNotification: (request: FastifyRequest<{ Body: NotificationFields }>, reply: FastifyReply) =>
      reply.send(envelope([store.create(request.body)])),

    listNotifications: (request: FastifyRequest<{ Querystring: PageParameters }>, reply: FastifyReply) => {
      const all = store.all();
      return reply.send({ ...envelope(pageOf(all, request.query)), totalPossibleCount: all.length });
    },

    readNotification: (request: FastifyRequest<ByGuid>, reply: FastifyReply) => {
      const { notificationGuid } = request.params;
      return reply.send(envelope([store.find(notificationGuid) ?? throwNotFound(notificationGuid)]));
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
        envelope([store.update(notificationGuid, request.body) ?? throwNotFound(notificationGuid)]),
      );
    },

    deleteNotification: (request: FastifyRequest<ByGuid>, reply: FastifyReply) => {
      const { notificationGuid } = request.params;
      if (!store.remove(notificationGuid)) throwNotFound(notificationGuid);
      return reply.code(204).send();
    },
  };
}

function envelope(data: Notification[]): Envelope {
  return { data, messages: [], totalPossibleCount: data.length };
}

function throwNotFound(notificationGuid: string): never {
  throw new HttpError(404, [{ message: `There is no notification ${notificationGuid}.` }]);
}
