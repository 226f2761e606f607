import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema, federationSdl } from '../../src/graphql/schema.js';
import { startGateway, useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';
import { forTest } from '../support/tools/useStarted.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const NEXT_TOKEN = 'the-next-token.of~a_gateway';
const tokenHeader = { 'x-subgraph-token': SUBGRAPH_TOKEN };
const SDL = '{ _service { sdl } _sdl }';

interface Sdl {
  _service: { sdl: string };
  _sdl: string;
}

const development = useGateway({ env: { NODE_ENV: 'development' } });
const developmentWithToken = useGateway({ env: { NODE_ENV: 'development', SUBGRAPH_TOKEN } });
const production = useGateway();
const productionWithToken = useGateway({ env: { SUBGRAPH_TOKEN } });
const productionWithTwoTokens = useGateway({ env: { SUBGRAPH_TOKEN: `${NEXT_TOKEN} ${SUBGRAPH_TOKEN}` } });

describe('the subgraph fields are visible', () => {
  test.each([
    ['to every client outside production', development, {}],
    ['to every client outside production, even if a token is configured', developmentWithToken, {}],
    ['to holders of the token outside production', developmentWithToken, tokenHeader],
    ['to holders of the token in production', productionWithToken, tokenHeader],
    ['to holders of the old token while it is replaced', productionWithTwoTokens, tokenHeader],
    ['to holders of the new one', productionWithTwoTokens, { 'x-subgraph-token': NEXT_TOKEN }],
  ] as const)('%s', async (_who, gateway, headers) => {
    const { _sdl, _service } = (await gateway.data(SDL, { headers })) as Sdl;
    const schema = createSchema();
    for (const shared of [schema, schema.getQueryType(), schema.getMutationType()])
      Object.assign(shared ?? {}, { description: undefined }); // ours are not those of the company's graph
    expect(printSchema(lexicographicSortSchema(buildSchema(_sdl)))).toBe(
      printSchema(lexicographicSortSchema(schema)),
    );
    expect(federationSdl()).toBe(_service.sdl); // the file of the package
    expect(_sdl).toContain('): [Notification] @merge(keyField: "notificationGuid")\n');

    const federationDirectives = [
      ' @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])',
      ' @key(fields: "notificationGuid")',
    ];
    expect(federationDirectives.filter((text) => !_service.sdl.includes(text))).toEqual([]);
    const oneOf = /\n"""\nExactly one[^"]*"""\ndirective @oneOf on INPUT_OBJECT\n/;
    expect(_service.sdl).toMatch(oneOf); // without it, Apollo's composition rejects the subgraph
    const withoutOneOf = _service.sdl.replace(oneOf, '');
    expect(federationDirectives.reduce((sdl, text) => sdl.replace(text, ''), withoutOneOf).trim()).toBe(
      _sdl.trim(),
    );
    expect(_sdl.match(/@oneOf/g)).toHaveLength(5);
  });
});

describe('the subgraph fields are absent from the schema', () => {
  const clients: [client: string, gateway: TestGateway, headers: Record<string, string>][] = [
    ['if no token is configured', production, {}],
    ['if no token is configured, but one is sent', production, tokenHeader],
    ['if no token is configured, but an empty one is sent', production, { 'x-subgraph-token': '' }],
    ['if the header is missing', productionWithToken, {}],
    ['if the token is wrong', productionWithToken, { 'x-subgraph-token': `${SUBGRAPH_TOKEN}=` }],
    [
      'if both tokens are sent',
      productionWithTwoTokens,
      { 'x-subgraph-token': `${NEXT_TOKEN} ${SUBGRAPH_TOKEN}` },
    ],
    ['if the token is truncated', productionWithToken, { 'x-subgraph-token': SUBGRAPH_TOKEN.slice(1) }],
    ['if the token is empty', productionWithToken, { 'x-subgraph-token': '' }],
    ['if it is sent as a bearer token', productionWithToken, { authorization: `Bearer ${SUBGRAPH_TOKEN}` }],
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
    clients.flatMap(([client, gateway, headers]) =>
      documents.map(([query, messages]) => ({ client, gateway, headers, query, messages })),
    ),
  )('$client: $query', async ({ gateway, headers, query, messages }) => {
    const { status, data, errors } = await gateway.execute(query, { headers, token: null });
    expect({
      status,
      data,
      errors: errors?.map(({ message, extensions }) => [message, extensions['code']]),
    }).toEqual({
      status: 422,
      data: undefined,
      errors: messages.map((message) => [message, 'GRAPHQL_VALIDATION_FAILED']),
    });
    expect(gateway.takeCalls()).toEqual([]);
  });
});

test('holders of the token bypass the safelist, as supergraph gateways compose their own operations', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
  const manifest = join(folder, 'manifest.json');
  writeFileSync(manifest, JSON.stringify({ listed: '{ notifications { messages } }' }));
  const gateway = await forTest(startGateway({ env: { SUBGRAPH_TOKEN, OPERATIONS_MANIFEST: manifest } }));
  rmSync(folder, { recursive: true });

  const codes: unknown[] = [];
  for (const headers of [tokenHeader, {}, { 'x-subgraph-token': 'another-token-of-16' }]) {
    const { errors } = await gateway.execute('{ notifications { totalPossibleCount } }', { headers });
    codes.push(errors?.map(({ extensions }) => extensions['code']));
  }
  expect(codes).toEqual([undefined, ['QUERY_NOT_IN_SAFELIST'], ['QUERY_NOT_IN_SAFELIST']]);
});

test('introspection stays disabled in production, even for holders of the token', async () => {
  const { status, data, errors } = await productionWithToken.execute('{ __schema { queryType { name } } }', {
    headers: tokenHeader,
  });
  expect([status, data, errors?.map(({ extensions }) => extensions['code'])]).toEqual([
    200,
    undefined,
    ['GRAPHQL_VALIDATION_FAILED'],
  ]);
});

test('operations of supergraph gateways stay from other clients, however often they are executed', async () => {
  const query =
    'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Notification { notificationGuid } } }';
  const variables = { r: [{ __typename: 'Notification', notificationGuid: SEED_GUID }] };
  for (let time = 0; time < 45; time += 1) {
    const { data } = await productionWithToken.execute(query, { variables, headers: tokenHeader });
    expect(data).toEqual({ _entities: [{ notificationGuid: SEED_GUID }] });
    for (const headers of [{}, { 'x-subgraph-token': `${SUBGRAPH_TOKEN}x` }])
      expect((await productionWithToken.execute(query, { variables, headers })).status).toBe(422);
  }
  expect(productionWithToken.takeCalls()).toHaveLength(45);
});

test('the subgraph token is neither forwarded to the service nor logged', async () => {
  await productionWithToken.data('{ notifications { messages } }', { headers: tokenHeader });
  expect(productionWithToken.takeCalls().map(({ headers }) => headers['x-subgraph-token'])).toEqual([
    undefined,
  ]);
  expect(JSON.stringify(productionWithToken.logLines)).not.toContain(SUBGRAPH_TOKEN);
});
