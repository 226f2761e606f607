import type { TrackShipmentPayloadResolvers } from '../../generated/resolvers.js';

export const TrackShipmentPayload: TrackShipmentPayloadResolvers = {
  tracked: () => true,
  shipment: (parameters) => parameters,
};
