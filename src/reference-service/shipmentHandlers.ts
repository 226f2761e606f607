import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExceptionTarget, Shipment, ShipmentParameters, Tracking } from './types.js';
import { HttpError } from './httpError.js';
import type { ShipmentStore } from './shipmentStore.js';

/** Handlers keyed by the contract's operationIds. Bodies are already validated. */
export function createShipmentHandlers(store: ShipmentStore) {
  const findShipment = (parameters: ShipmentParameters): Shipment => {
    const shipment = store.find(parameters);
    if (shipment) return shipment;
    throw new HttpError(404, [{ message: 'There is no shipment with these identifiers.' }]);
  };

  return {
    trackShipment: (
      request: FastifyRequest<{ Body: ShipmentParameters & Tracking }>,
      reply: FastifyReply,
    ) => {
      const { DriverPhoneNumber, ShipmentTrackingType } = request.body;
      store.track(findShipment(request.body), { DriverPhoneNumber, ShipmentTrackingType });
      return reply.send(true);
    },

    deleteException: (
      request: FastifyRequest<{ Body: ShipmentParameters & ExceptionTarget }>,
      reply: FastifyReply,
    ) => {
      if (!store.removeException(findShipment(request.body), request.body)) {
        throw new HttpError(404, [{ message: 'The shipment has no such exception or exception file.' }]);
      }
      return reply.code(204).send();
    },
  };
}
