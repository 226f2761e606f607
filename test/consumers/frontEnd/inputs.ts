/** Inputs of the scenario. codegen types `@oneOf` inputs as unions, so the compiler enforces "exactly one field". */
import type { CarrierInput, TrackShipmentInput, UpdateNotificationInput } from './generated/graphql.js';

/** A change that leaves the filters as they are. */
export const updatedNotification = {
  notificationName: 'Renamed by a front end',
  recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } },
  trigger: { shipmentStatusChange: ['AT_CONSIGNEE', 'DELIVERED'] },
} satisfies UpdateNotificationInput;

/** Valid input, but the service has no such shipment. */
export const unknownShipment: TrackShipmentInput = {
  shipment: {
    hauler: { freightProviderReferenceNumber: 'REF-UNKNOWN', freightHaulerProviderXid: 'XID-UNKNOWN' },
  },
  carrier: { scac: 'ABCD' },
  driverPhoneNumber: '(303) 555-0100',
  shipmentTrackingType: 'Mobile',
};

// @ts-expect-error A carrier has exactly one identifier, not two.
const twoIdentifiers: CarrierInput = { mc: '123456', scac: 'ABCD' };

// @ts-expect-error A carrier has exactly one identifier, not zero.
const noIdentifier: CarrierInput = {};

/** Rejected by the compiler, and by the gateway for clients that bypass the compiler. */
export const invalidCarriers: TrackShipmentInput[] = [twoIdentifiers, noIdentifier].map((carrier) => ({
  ...unknownShipment,
  carrier,
}));
