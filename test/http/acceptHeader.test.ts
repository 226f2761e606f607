/** An operation is not executed if the client would not accept its response. */
import { expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { validArguments, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const unsupported = [
  'text/html',
  'application/xml',
  'application/json;q=0',
  'image/*',
  'application/jsonp',
  ';',
];

test.each(unsupported)('rejects a mutation with Accept: %s without executing it', async (accept) => {
  const operation = asVariables('trackShipment', validArguments('trackShipment'));
  expect(await executeAndRecord(gateway, operation, { headers: { accept } })).toEqual({
    status: 406,
    data: undefined,
    errors: [
      {
        message:
          'Expected an Accept header that allows application/json or application/graphql-response+json',
        extensions: { code: 'BAD_REQUEST', outcome: 'NOT_APPLIED', retryable: false },
      },
    ],
    calls: [],
  });
});

test.each(['{', '{ unknownField }', ''])(
  'rejects the invalid document %j with 406 as well if its response would not be accepted',
  async (query) => {
    const headers = { accept: 'text/html' };
    expect(await gateway.execute(query, { headers })).toMatchObject({ status: 406, data: undefined });
  },
);
