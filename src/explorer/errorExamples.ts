import type { Example } from './example.js';

/** A read that the mock service fails, as the bearer token asks it to (docs/mock-service.md). */
const failedRead = (title: string, token: string, comment: string): Example => ({
  title,
  document: `${comment}
# The mock service fails for the token ${token}.

query FailedRead {
  notifications {
    totalPossibleCount
  }
}`,
  variables: {},
  headers: { authorization: `Bearer ${token}` },
  needs: 'mock',
});

const trackingInput = {
  shipment: {
    hauler: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' },
  },
  carrier: { mc: '900001' },
  driverPhoneNumber: '(303) 555-0110',
  shipmentTrackingType: 'Mobile',
};

/** One per error code that the gateway produces in front of the mock service; the code is the title. */
export const errorExamples: readonly Example[] = [
  {
    title: 'BAD_USER_INPUT',
    needs: 'token',
    document: `# One error for each violation, with its inputPath. No REST call is made.

mutation InvalidNotification($notification: NotificationInput!) {
  createNotification(input: $notification) {
    messages
  }
}`,
    variables: {
      notification: {
        notificationName: ' ',
        recipient: { shipmentLevel: { emailList: ['dock'], smsList: ['(303) 555-0100'] } },
        trigger: { shipmentStatusChange: [] },
      },
    },
  },
  {
    title: 'UNAUTHENTICATED',
    document: `# Notifications need a bearer token. The header below replaces the toolbar's.

query WithoutToken {
  notifications {
    totalPossibleCount
  }
}`,
    variables: {},
    headers: { authorization: '' },
  },
  {
    title: 'NOT_FOUND',
    needs: 'mock',
    document: `# No notification has this identifier.

mutation DeleteUnknownNotification($notificationGuid: ID!) {
  deleteNotification(notificationGuid: $notificationGuid) {
    messages
  }
}`,
    variables: { notificationGuid: '00000000-0000-4000-8000-000000000000' },
  },
  failedRead('FORBIDDEN', 'demo-403', '# The service does not allow it.'),
  failedRead('CONFLICT', 'demo-409', '# The state of the resource does not allow it.'),
  failedRead('RATE_LIMITED', 'demo-429', '# See retryAfterSeconds for when to try again.'),
  failedRead('SERVICE_ERROR', 'demo-hangup', '# The gateway has retried the read before it failed.'),
  failedRead('SERVICE_TIMEOUT', 'demo-slow', '# Takes 10 seconds, the default of SERVICE_TIMEOUT_MS.'),
  failedRead('SERVICE_RESPONSE_INVALID', 'demo-garbage', '# The response does not match the contract.'),
  {
    title: 'SERVICE_REJECTED',
    needs: 'mock',
    document: `# The mock service rejects this page with 400.

query InvalidPage($additionalParameters: JSONObject) {
  notifications(additionalParameters: $additionalParameters) {
    totalPossibleCount
  }
}`,
    variables: { additionalParameters: { page: 'first' } },
  },
  {
    title: 'IDEMPOTENCY_KEY_REUSED',
    needs: 'mock',
    document: `# One idempotency key, two intentions: the second field has other arguments.

mutation ReuseKey($input: TrackShipmentInput!, $other: TrackShipmentInput!, $idempotencyKey: ID!) {
  first: trackShipment(input: $input, idempotencyKey: $idempotencyKey) {
    tracked
  }
  second: trackShipment(input: $other, idempotencyKey: $idempotencyKey) {
    tracked
  }
}`,
    variables: {
      input: trackingInput,
      other: { ...trackingInput, driverPhoneNumber: '(303) 555-0111' },
      idempotencyKey: 'b7f6a0f4-2b9e-4d4a-8f0d-7c2f4f0e9a11',
    },
  },
  {
    title: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
    needs: 'mock',
    document: `# The response of the first field is lost: a repeat with its key is not sent.

mutation RepeatUnknown($input: TrackShipmentInput!, $idempotencyKey: ID!) {
  first: trackShipment(input: $input, idempotencyKey: $idempotencyKey) {
    tracked
  }
  repeat: trackShipment(input: $input, idempotencyKey: $idempotencyKey) {
    tracked
  }
}`,
    variables: { input: trackingInput, idempotencyKey: 'c1a5e3d2-6f0b-4c77-9d52-3e8b1a6f4c22' },
    headers: { authorization: 'Bearer demo-hangup' },
  },
  {
    title: 'IDEMPOTENCY_KEY_EXPIRED',
    needs: 'mock',
    document: `# A key of version 7 contains the time of its creation.

mutation OldKey($input: TrackShipmentInput!, $idempotencyKey: ID!) {
  trackShipment(input: $input, idempotencyKey: $idempotencyKey) {
    tracked
  }
}`,
    variables: { input: trackingInput, idempotencyKey: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f' },
  },
  {
    title: 'QUERY_TOO_COMPLEX',
    document: `# An operation makes a limited number of REST calls: one per distinct identifier.

query TooManyCalls($notificationGuids: [ID!]!) {
  notificationsByGuid(notificationGuids: $notificationGuids) {
    notificationName
  }
}`,
    variables: { notificationGuids: Array.from({ length: 101 }, (_, index) => `guid-${index}`) },
  },
  {
    title: 'OTHER_ITEM_INVALID',
    document: `# One of the phone numbers is invalid, so nothing is sent. This is the error of the other item.

mutation OneInvalid($items: [TrackShipmentItem!]!) {
  trackShipments(items: $items) {
    results {
      tracked
    }
  }
}`,
    variables: {
      items: [{ input: trackingInput }, { input: { ...trackingInput, driverPhoneNumber: '303-555' } }],
    },
  },
  {
    title: 'DRY_RUN',
    needs: 'token',
    document: `# With the header x-gateway-dry-run: 1 a mutation is validated, and its REST call shown but not sent.

mutation DryRun($notificationGuid: ID!) {
  deleteNotification(notificationGuid: $notificationGuid) {
    messages
  }
}`,
    variables: { notificationGuid: 'e124b63a-74ab-43ac-abaf-d7512394501a' },
    headers: { 'x-gateway-dry-run': '1' },
  },
  {
    title: 'BAD_REQUEST',
    document: `# The header below has a value that the gateway does not know.

query InvalidHeader {
  notifications {
    totalPossibleCount
  }
}`,
    variables: {},
    headers: { 'x-gateway-dry-run': 'yes' },
  },
  {
    title: 'GRAPHQL_VALIDATION_FAILED',
    document: `# The document does not match the schema.

query UnknownField {
  notifications {
    total
  }
}`,
    variables: {},
  },
  {
    title: 'GRAPHQL_PARSE_FAILED',
    document: `# The document is not GraphQL.

query Unfinished {
  notifications {`,
    variables: {},
  },
];
