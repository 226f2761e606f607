/** What clients learn from the errors of services of all kinds, in single and bulk fields, as data and as GraphQL errors. */
import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { LEAK, serviceKinds, type GatewayError } from '../support/service/serviceKinds.js';

const ERRORS = 'outcome evidence errors { code retryable status inputPath rule serviceMessages }';
const SINGLE = `mutation ($input: TrackShipmentInput!) { trackShipment(input: $input) { ${ERRORS} } }`;
const BULK = `mutation ($items: [TrackShipmentItem!]!) { trackShipments(items: $items) { results { ${ERRORS} } } }`;
const AS_ERRORS = 'mutation ($input: TrackShipmentInput!) { trackShipment(input: $input) { tracked } }';
const input = {
  shipment: { hauler: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' } },
  carrier: { scac: 'EXMA' },
  driverPhoneNumber: '(303) 555-0110',
  shipmentTrackingType: 'Mobile',
};
const items = [input, { ...input, driverPhoneNumber: '(303) 555-0111' }].map((each) => ({ input: each }));

const codes: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
};

/** The payload for an error of the service, whose paths begin with `prefix`. */
function expectedPayload(
  { fault, code, atArguments = {}, others = [] }: GatewayError,
  prefix: string[] = [],
) {
  const { status = 0 } = fault;
  const isApplied = status < 500;
  const error = {
    code: code ?? codes[status] ?? (isApplied ? 'SERVICE_REJECTED' : 'SERVICE_ERROR'),
    retryable: false,
    status,
    rule: null,
  };
  const located = Object.entries(atArguments).map(([path, serviceMessages]) => ({
    ...error,
    inputPath: [...prefix, 'input', ...path.split('.')],
    serviceMessages,
  }));
  const rest = { ...error, inputPath: null, serviceMessages: others };
  return {
    outcome: isApplied ? 'NOT_APPLIED' : 'UNKNOWN',
    evidence: isApplied ? 'RESPONSE' : null,
    errors: located.length > 0 && others.length === 0 ? located : [...located, rest],
  };
}

const gateway = useGateway({ config: { service: { retries: 0 } } });

describe.each(Object.entries(serviceKinds))('%s', (_kind, situations) => {
  test.each(Object.entries(situations))('%s', async (situation, error) => {
    gateway.injectFault(error.fault);
    const sent = items.slice(0, situation === 'unauthorized' ? 1 : 2); // nothing is sent after that
    try {
      const single = await gateway.execute(SINGLE, { variables: { input } });
      expect(single).toMatchObject({ data: { trackShipment: expectedPayload(error) } });
      expect(single.errors).toBeUndefined();

      const bulk = await gateway.execute(BULK, {
        variables: { items: sent },
      });
      const results = sent.map((_item, index) => expectedPayload(error, ['items', String(index)]));
      expect(bulk.data).toEqual({ trackShipments: { results } });

      const { errors = [] } = await gateway.execute(AS_ERRORS, { variables: { input } });
      const { outcome, errors: expected } = expectedPayload(error);
      expect(errors.map(({ path, extensions }) => ({ path, ...extensions }))).toEqual(
        expected.map(({ inputPath, serviceMessages, code, retryable, status }) => ({
          path: ['trackShipment'],
          requestId: expect.any(String) as string,
          outcome,
          code,
          retryable,
          status,
          ...(inputPath && { inputPath }),
          ...(serviceMessages.length > 0 && { serviceMessages }),
        })),
      );
      expect(JSON.stringify([single, bulk, errors])).not.toContain(LEAK);
    } finally {
      gateway.injectFault(undefined);
      gateway.takeCalls();
    }
  });
});
