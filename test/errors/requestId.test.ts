import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
const gateway = useGateway({ config: { service: { retries: 1 } } });

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const query = '{ notifications { messages } }';

describe('A well-formed request ID of the client is used:', () => {
  test.each(['7', 'order-7', 'A.b:c_d-e', '0'.repeat(128), '-', '6f1c2c56-0c0e-4a4c-8a38-0d1c1a1e5b10'])(
    '%s',
    async (id) => {
      expect(await idsOf(id)).toEqual({ header: id, errors: [id], service: [id] });
    },
  );
});

describe('A malformed request ID is replaced by a UUID:', () => {
  test.each([undefined, '', ' ', '0'.repeat(129), 'a b', 'a,b', 'a/b', '"a"', '<a>', '%0d%0a', '\u00e9'])(
    '%j',
    async (id) => {
      const { header, errors, service } = await idsOf(id);
      expect(header).toMatch(UUID);
      expect({ errors, service }).toEqual({ errors: [header], service: [header] });
    },
  );

  test('a different one for each request', async () => {
    const ids = new Set<unknown>();
    for (let round = 0; round < 5; round += 1) ids.add((await idsOf(undefined)).header);
    expect(ids.size).toBe(5);
  });
});

test('returns a request ID for an invalid GraphQL request', async () => {
  for (const [headers, id] of [
    [{ 'x-request-id': 'order-7' }, /^order-7$/],
    [{}, UUID],
  ] as const) {
    const response = await gateway.execute('{', { headers });
    expect(response.headers.get('x-request-id')).toMatch(id);
    expect(response.errors?.map(({ extensions }) => extensions['requestId'])).toEqual([
      response.headers.get('x-request-id'),
    ]);
  }
});

test('keeps the request ID across the retries of a REST call', async () => {
  gateway.injectFaults({ status: 503, headers: { 'retry-after': '0' } });
  await gateway.data(query, { headers: { 'x-request-id': 'order-8' } });
  expect(gateway.takeCalls().map(({ headers }) => headers['x-request-id'])).toEqual(['order-8', 'order-8']);
});

/** The request IDs in the header and the error of a response, and in its REST call. */
async function idsOf(id: string | undefined) {
  gateway.takeCalls();
  gateway.injectFaults({ status: 400 });
  const response = await gateway.execute(query, { headers: id === undefined ? {} : { 'x-request-id': id } });
  return {
    header: response.headers.get('x-request-id'),
    errors: response.errors?.map(({ extensions }) => extensions['requestId']),
    service: gateway.takeCalls().map(({ headers }) => headers['x-request-id']),
  };
}
