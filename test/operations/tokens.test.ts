import { expect, test } from 'vitest';
import { LIST } from '../support/graphql/documents.js';
import { useGateway } from '../support/gateway/gateway.js';

/** Every visible ASCII character but the comma. */
const EVERY_CHARACTER = Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index))
  .filter((character) => character !== ',')
  .join('');

const wellFormed: [string, string][] = [
  ['every character', `Bearer ${EVERY_CHARACTER}`],
  ['a single character', 'Bearer ~'],
  ['an identifier, a bar and a secret', 'Bearer 17|aB'],
  ['quotes', 'Bearer "secret"'],
  ['padding inside the token', 'Bearer sec=ret'],
  ['nothing but padding', 'Bearer =='],
  ['8000 characters', `Bearer ${'aZ9-._~+/x'.repeat(800)}`],
  ['the scheme in lower case', 'bearer abc'],
  ['the scheme in upper case', 'BEARER abc'],
  ['several spaces', 'Bearer   abc'],
];
const gateway = useGateway(() => ({
  // The contract documents one spelling of the scheme; RFC 9110 §11.1 makes it case-insensitive.
  toDocumentedForm: ({ headers, ...call }) => {
    const { authorization } = headers;
    const documented = authorization?.replace(/^bearer +/i, 'Bearer ');
    return {
      ...call,
      headers: documented === undefined ? headers : { ...headers, authorization: documented },
    };
  },
}));

test.each(wellFormed)(
  'The Authorization header is forwarded byte for byte: %s',
  async (_content, authorization) => {
    await gateway.data(LIST, { token: null, headers: { authorization } });
    expect(gateway.takeCalls().map(({ headers }) => headers.authorization)).toEqual([authorization]);
  },
);

test('forwards only the token and the request ID of the client headers', async () => {
  await gateway.data(LIST, {
    headers: {
      cookie: 'session=1',
      'x-request-id': 'from-the-client',
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
    authorization: 'Bearer a-token.of~the_client+/==',
    connection: 'keep-alive',
    host: new URL(gateway.serviceUrl).host,
    'user-agent': 'shipment-graphql-gateway',
    'x-request-id': 'from-the-client',
  });
});
