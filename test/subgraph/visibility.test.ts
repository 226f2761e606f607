import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSchema } from '../../src/graphql/schema.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const holder = { 'x-subgraph-token': SUBGRAPH_TOKEN };
const SDL = '{ _service { sdl } _sdl }';

interface Sdl {
  _service: { sdl: string };
  _sdl: string;
}

const gateways: TestGateway[] = [];
async function start(env: Record<string, string>): Promise<TestGateway> {
  const gateway = await startGateway({ env });
  gateways.push(gateway);
  return gateway;
}
let open: TestGateway;
let closed: TestGateway;
let withToken: TestGateway;
let openWithToken: TestGateway;
beforeAll(async () => {
  open = await start({ NODE_ENV: 'development' });
  closed = await start({});
  withToken = await start({ SUBGRAPH_TOKEN });
  openWithToken = await start({ NODE_ENV: 'development', SUBGRAPH_TOKEN });
});
afterAll(() => Promise.all(gateways.map((gateway) => gateway.stop())));

describe('what a gateway over several graphs reads is there', () => {
  test.each([
    ['for all outside production', () => open, undefined],
    ['for all outside production, where there is a token', () => openWithToken, undefined],
    ['for holders of the token outside production', () => openWithToken, holder],
    ['for holders of the token in production', () => withToken, holder],
  ])('%s', async (_who, which, headers) => {
    const { _sdl, _service } = (await which().data(SDL, headers && { headers })) as Sdl;
    const schema = printSchema(lexicographicSortSchema(createSchema()));
    expect(printSchema(lexicographicSortSchema(buildSchema(_sdl)))).toBe(schema);
    expect(_sdl).toContain('): [Notification]! @merge(keyField: "notificationGuid")\n');

    const federation = [
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])',
      ' @key(fields: "notificationGuid")',
    ];
    expect(federation.filter((text) => !_service.sdl.includes(text))).toEqual([]);
    expect(federation.reduce((sdl, text) => sdl.replace(text, ''), _service.sdl).trim()).toBe(_sdl.trim());
    expect(_sdl.match(/@oneOf/g)).toHaveLength(5);
  });
});

describe('otherwise it is as if it were not there', () => {
  const callers: [who: string, which: () => TestGateway, headers: Record<string, string>][] = [
    ['without a token set', () => closed, {}],
    ['without a token set, but with one sent', () => closed, holder],
    ['without a token set, but with an empty one sent', () => closed, { 'x-subgraph-token': '' }],
    ['without the header', () => withToken, {}],
    ['with another token', () => withToken, { 'x-subgraph-token': `${SUBGRAPH_TOKEN}=` }],
    ['with a part of the token', () => withToken, { 'x-subgraph-token': SUBGRAPH_TOKEN.slice(1) }],
    ['with an empty token', () => withToken, { 'x-subgraph-token': '' }],
    ['with the token as bearer token', () => withToken, { authorization: `Bearer ${SUBGRAPH_TOKEN}` }],
  ];
  const documents: [query: string, messages: string[]][] = [
    [SDL, ['Cannot query field "_service" on type "Query".', 'Cannot query field "_sdl" on type "Query".']],
    ['{ _servic }', ['Cannot query field "_servic" on type "Query".']],
    [
      'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }',
      ['Unknown type "_Any".', 'Cannot query field "_entities" on type "Query".'],
    ],
    ['{ ... on _Entity { __typename } }', ['Unknown type "_Entity".']],
  ];

  test.each(
    callers.flatMap(([who, which, headers]) =>
      documents.map(([query, messages]) => ({ who, which, headers, query, messages })),
    ),
  )('$who: $query', async ({ which, headers, query, messages }) => {
    const { status, data, errors } = await which().execute(query, { headers, token: null });
    expect({
      status,
      data,
      errors: errors?.map(({ message, extensions }) => [message, extensions['code']]),
    }).toEqual({
      status: 400,
      data: undefined,
      errors: messages.map((message) => [message, 'GRAPHQL_VALIDATION_FAILED']),
    });
    expect(which().takeCalls()).toEqual([]);
  });
});

test('A token does not open what another caller asked for before, nor the other way round', async () => {
  const statuses: number[] = [];
  for (const headers of [{}, holder, {}, holder]) {
    statuses.push((await withToken.execute(SDL, { headers })).status);
  }
  expect(statuses).toEqual([400, 200, 400, 200]);
});

test('Holders of the token are not bound to the manifest of operations, as they compose their own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
  const manifest = join(folder, 'manifest.json');
  writeFileSync(manifest, JSON.stringify({ listed: '{ notifications { messages } }' }));
  const listing = await start({ SUBGRAPH_TOKEN, OPERATIONS_MANIFEST: manifest });
  rmSync(folder, { recursive: true });

  const codes: unknown[] = [];
  for (const headers of [holder, {}, { 'x-subgraph-token': 'another-token-of-16' }]) {
    const { errors } = await listing.execute('{ notifications { totalPossibleCount } }', { headers });
    codes.push(errors?.map(({ extensions }) => extensions['code']));
  }
  expect(codes).toEqual([undefined, ['QUERY_NOT_IN_SAFELIST'], ['QUERY_NOT_IN_SAFELIST']]);
});

test('No trace of Apollo’s is sent along, for which a larger graph may ask', async () => {
  const response = await fetch(openWithToken.url, {
    method: 'POST',
    headers: { ...holder, 'content-type': 'application/json', 'apollo-federation-include-trace': 'ftv1' },
    body: JSON.stringify({ query: '{ _service { __typename } }' }),
  });
  expect(await response.json()).toEqual({ data: { _service: { __typename: '_Service' } } });
});

test('Introspection stays off in production, for holders of the token, too', async () => {
  const { status } = await withToken.execute('{ __schema { queryType { name } } }', { headers: holder });
  expect(status).toBe(400);
});

test('The token goes neither to the service nor into logs', async () => {
  await withToken.data('{ notifications { messages } }', { headers: holder });
  expect(withToken.takeCalls().map(({ headers }) => headers['x-subgraph-token'])).toEqual([undefined]);
  expect(JSON.stringify(withToken.logLines)).not.toContain(SUBGRAPH_TOKEN);
});
