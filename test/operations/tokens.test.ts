import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIST, READ, READ_SEVERAL } from '../support/graphql/documents.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { licensePlateCalls } from '../support/graphql/shipmentOperations.js';

/** Every character of RFC 6750 section 2.1, with padding. */
const EVERY_CHARACTER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/==';

const wellFormed: [string, string][] = [
  ['every character', `Bearer ${EVERY_CHARACTER}`],
  ['a single character', 'Bearer ~'],
  ['8000 characters', `Bearer ${'aZ9-._~+/x'.repeat(800)}`],
  ['the scheme in lower case', 'bearer abc'],
  ['the scheme in upper case', 'BEARER abc'],
  ['several spaces', 'Bearer   abc'],
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    // The contract spells the scheme in one way; RFC 9110 section 11.1 lets a caller use any letter case.
    toDocumentedForm: ({ headers, ...call }) => {
      const { authorization } = headers;
      const documented = authorization?.replace(/^bearer +/i, 'Bearer ');
      return {
        ...call,
        headers: documented === undefined ? headers : { ...headers, authorization: documented },
      };
    },
  });
});
afterAll(() => gateway.stop());

describe.each(wellFormed)('A token goes on byte for byte: %s', (_name, authorization) => {
  const header = { token: null, headers: { authorization } };

  test('about notifications', async () => {
    await gateway.data(LIST, header);
    expect(gateway.takeCalls().map(({ headers }) => headers.authorization)).toEqual([authorization]);
  });

  test('with a shipment', async () => {
    const [call] = licensePlateCalls;
    await gateway.data(call?.document ?? '', {
      variables: { input: call?.input },
      ...header,
    });
    expect(gateway.takeCalls().map(({ headers }) => headers.authorization)).toEqual([authorization]);
  });
});

test("Of a caller's headers, only the token and the request id reach the service", async () => {
  await gateway.data(LIST, {
    headers: {
      cookie: 'session=1',
      'x-request-id': 'from-the-caller',
      'x-api-key': 'k',
      'proxy-authorization': 'Basic eA==',
      'x-forwarded-for': '192.0.2.1',
      'accept-language': 'fr',
      'user-agent': 'browser',
    },
  });
  const [call] = gateway.takeCalls();
  expect(call?.headers).toEqual({
    accept: 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    authorization: 'Bearer a-token.of~the_caller+/==',
    connection: 'keep-alive',
    host: new URL(gateway.serviceUrl).host,
    'user-agent': 'shipment-graphql-gateway',
    'x-request-id': 'from-the-caller',
  });
});

test("Parallel callers' tokens never mix", async () => {
  const callers = Array.from({ length: 60 }, (_, index) => `caller-${index}`);
  await Promise.all(
    callers.flatMap((caller) => [
      gateway.data(LIST, { token: caller, variables: { parameters: { caller } } }),
      gateway.data(READ_SEVERAL, { token: caller, variables: { guids: [`${caller}.a`, `${caller}.b`] } }),
      gateway.data(READ, { token: caller, variables: { guid: `${caller}.c` } }),
    ]),
  );
  const calls = gateway.takeCalls().map(({ path, query, headers }) => ({
    of: /caller-\d+/.exec(path + query)?.[0],
    with: headers.authorization,
  }));
  expect(calls).toHaveLength(callers.length * 4);
  expect(calls).toEqual(calls.map(({ of }) => ({ of, with: `Bearer ${of ?? 'none'}` })));
});
