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

/** Asks what became of the write with a key, and of one that was never sent. */
export function recordsOf(idempotencyKey: string) {
  return {
    query: 'query ($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { field outcome } }',
    variables: { keys: [idempotencyKey, '00000000-0000-4000-8000-000000000000'] },
    /** Once `tracking` was sent with the key. */
    data: { writeRecords: [{ field: 'trackShipment', outcome: 'APPLIED' }, null] },
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

/** Two `trackShipment` mutations whose failures are data, of which one is a dry run. */
export const FAILURES_AS_DATA = {
  query: `mutation ($input: TrackShipmentInput!) {
    rejected: trackShipment(input: $input) {
      tracked
      ... on WritePayload { outcome evidence errors { code status rule } }
    }
    validated: trackShipment(input: $input, dryRun: true) {
      outcome
      evidence
      errors { code }
      driverPhoneNumber
    }
  }`,
  variables: tracking().variables,
  /** When the service responds with 403. */
  data: {
    rejected: {
      tracked: false,
      outcome: 'NOT_APPLIED',
      evidence: 'RESPONSE',
      errors: [{ code: 'FORBIDDEN', status: 403, rule: null }],
    },
    validated: {
      outcome: 'NOT_APPLIED',
      evidence: 'NOT_SENT',
      errors: [],
      driverPhoneNumber: '+13035550110',
    },
  },
};
