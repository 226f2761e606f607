/** Cases shared by the supergraph tests of all tools. */

/** The `@oneOf` inputs of the gateway. */
export const oneOfInputs = [
  'CarrierInput',
  'ExceptionTargetInput',
  'NotificationRecipientInput',
  'NotificationTriggerInput',
  'ShipmentIdentityInput',
];

/** Joins the loads subgraph with the gateway's notifications. */
export const LOADS = `{
  loads {
    loadId
    notification {
      notificationGuid
      notificationName
    }
  }
}`;

/** A `trackShipment` mutation, with its idempotency key as an argument or without. */
export function tracking(idempotencyKey?: string) {
  const hasKey = idempotencyKey !== undefined;
  return {
    query: `mutation ($input: TrackShipmentInput!${hasKey ? ', $idempotencyKey: ID' : ''}) {
      trackShipment(input: $input${hasKey ? ', idempotencyKey: $idempotencyKey' : ''}) {
        tracked
      }
    }`,
    variables: {
      input: {
        shipment: {
          hauler: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' },
        },
        carrier: { mc: '900001' },
        driverPhoneNumber: '(303) 555-0110',
        shipmentTrackingType: 'Mobile',
      },
      ...(hasKey && { idempotencyKey }),
    },
  };
}

/** A `trackShipment` mutation whose carrier has two identifiers instead of exactly one. */
export const TWO_CARRIERS = {
  query: `mutation ($carrier: CarrierInput!) {
    trackShipment(
      input: {
        shipment: { hauler: { freightProviderReferenceNumber: "REF-1", freightHaulerProviderXid: "XID-1" } }
        carrier: $carrier
        driverPhoneNumber: "(303) 555-0100"
        shipmentTrackingType: "Mobile"
      }
    ) {
      tracked
    }
  }`,
  variables: { carrier: { mc: '123456', dot: '7654321' } },
};
