/** What the front end sends. The types of `@oneOf` inputs are unions, so that the compiler knows their rule. */
import type { CarrierInput, NotificationInput, TrackShipmentInput } from './generated/graphql.js';

export const renaming: NotificationInput = {
  notificationName: 'Renamed by a front end',
  recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } },
  trigger: { shipmentStatusChange: ['AT_CONSIGNEE', 'DELIVERED'] },
};

/** The service has no such shipment. */
export const unknownShipment: TrackShipmentInput = {
  shipment: {
    hauler: { freightProviderReferenceNumber: 'REF-UNKNOWN', freightHaulerProviderXid: 'XID-UNKNOWN' },
  },
  carrier: { scac: 'ABCD' },
  driverPhoneNumber: '(303) 555-0100',
  shipmentTrackingType: 'Mobile',
};

// @ts-expect-error A carrier has exactly one of its identifiers.
const twoIdentifiers: CarrierInput = { mc: '123456', scac: 'ABCD' };

// @ts-expect-error None is too few.
const noIdentifier: CarrierInput = {};

/** What the compiler refuses, the gateway refuses, too. */
export const unfitCarriers: TrackShipmentInput[] = [twoIdentifiers, noIdentifier].map((carrier) => ({
  ...unknownShipment,
  carrier,
}));
