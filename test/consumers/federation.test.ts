import { createGatewayRuntime, type GatewayRuntime } from '@graphql-hive/gateway-runtime';
import http from '@graphql-mesh/transport-http';
import { composeServices } from '@theguild/federation-composition';
import { federateSubgraphs, ROUTER_COMPATIBILITY_VERSION_ONE } from '@wundergraph/composition';
import {
  buildASTSchema,
  isInputObjectType,
  lexicographicSortSchema,
  parse,
  printType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { gatewayConfig } from '../../deploy/supergraph/hive/gateway.config.js';
import { createSchema } from '../../src/graphql/schema.js';
import { readNotifications } from '../../src/mock/notifications.js';
import { TOKEN, useGateway, type TestGateway } from '../support/gateway/gateway.js';
import type { GraphQLResponse } from '../support/http/post.js';
import { loadsFederationSdl, startLoadsSubgraph } from './support/loadsSubgraph.js';
import { LOADS, oneOfInputs } from './support/supergraphCases.js';
import { useStarted } from '../support/tools/useStarted.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const unknownGuid = '00000000-0000-4000-8000-000000000000';
const [first, second] = readNotifications();
const guids = [first, second].map((notification) => notification?.notificationGuid ?? '');
let sdl: string;
const gateway = useGateway({
  env: {
    SUBGRAPH_TOKEN,
    SERVICE_CONNECTIONS: '1',
  },
  config: { service: { retries: 0 }, subgraph: { maxEntities: 110 } },
});
const loads = useStarted(() => startLoadsSubgraph([...guids, ...guids.slice(0, 1), unknownGuid]));
beforeAll(async () => {
  sdl = await sdlOf(gateway);
});

function composeWithGuild(loadsUrl = loads.url) {
  return composeServices([
    { name: 'freight', url: gateway.url, typeDefs: parse(sdl) },
    { name: 'loads', url: loadsUrl, typeDefs: parse(loadsFederationSdl) },
  ]);
}

describe('with another team that has a CarrierInput,', () => {
  const carriersSdl = `
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])
    directive @oneOf on INPUT_OBJECT
    type Query { carriers(by: CarrierInput!): [ID!] }
    input CarrierInput @oneOf { mc: String taxId: String }
  `;
  const composers = [
    ['@theguild/federation-composition', composeByGuild],
    ['@wundergraph/composition', composeByWunderGraph],
  ] as const;

  const prefixed = useGateway({ env: { SUBGRAPH_TOKEN, SCHEMA_PREFIX: 'Freight_' } });

  test.each(composers)('%s keeps both intact if ours has a prefix', async (_library, compose) => {
    const { schema, warnings } = compose(await sdlOf(prefixed), carriersSdl);
    expect(fieldsOf(schema, 'Freight_CarrierInput')).toEqual(['mc', 'dot', 'scac']);
    expect(fieldsOf(schema, 'CarrierInput')).toEqual(['mc', 'taxId']);
    expect(oneOfInputsOf(schema)).toEqual(['CarrierInput', ...oneOfInputs.map((name) => `Freight_${name}`)]);
    expect(warnings).toEqual([]);
  });

  test.each(composers)('%s removes fields of ours without a prefix', (library, compose) => {
    const { schema, warnings } = compose(sdl, carriersSdl);
    expect(fieldsOf(schema, 'CarrierInput')).toEqual(['mc']);
    expect(warnings).toEqual(
      library === '@wundergraph/composition'
        ? [expect.stringContaining('only one optional Input field, "mc", is propagated') as string]
        : [],
    );
  });
});

async function sdlOf(subgraph: TestGateway): Promise<string> {
  const headers = { 'x-subgraph-token': SUBGRAPH_TOKEN };
  const data = (await subgraph.data('{ _service { sdl } }', { headers })) as { _service: { sdl: string } };
  return data._service.sdl;
}

interface Composed {
  /** The schema for clients. */
  schema: GraphQLSchema;
  warnings: string[];
}

function composeByGuild(ours: string, theirs: string): Composed {
  const { errors, publicSdl } = composeServices([
    { name: 'freight', url: gateway.url, typeDefs: parse(ours) },
    { name: 'theirs', url: loads.url, typeDefs: parse(theirs) },
  ]);
  expect(errors).toBe(undefined);
  return { schema: buildASTSchema(parse(publicSdl ?? '')), warnings: [] };
}

function composeByWunderGraph(ours: string, theirs: string): Composed {
  const result = federateSubgraphs({
    version: ROUTER_COMPATIBILITY_VERSION_ONE,
    subgraphs: [
      { name: 'freight', url: gateway.url, definitions: parse(ours) },
      { name: 'theirs', url: loads.url, definitions: parse(theirs) },
    ],
  });
  if (!result.success) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return {
    schema: result.federatedGraphClientSchema,
    warnings: result.warnings.map(({ message }) => message),
  };
}

function fieldsOf(schema: GraphQLSchema, input: string): string[] {
  const type = schema.getType(input);
  return isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}

test.each([
  ['@theguild/federation-composition', composeByGuild],
  ['@wundergraph/composition', composeByWunderGraph],
] as const)('%s keeps the @oneOf inputs and the contract of failures that are data', (_library, compose) => {
  const { schema, warnings } = compose(sdl, loadsFederationSdl);
  expect([warnings, oneOfInputsOf(schema), String(schema.getType('Load'))]).toEqual([
    [],
    oneOfInputs,
    'Load',
  ]);
  const ours = createSchema();
  for (const name of [
    'WritePayload',
    'WriteError',
    'WriteOutcome',
    'OutcomeEvidence',
    'WriteErrorCode',
    'InputRule',
    'TrackShipmentPayload',
    'WriteRecord',
  ])
    expect(printType(lexicographicSortSchema(schema).getType(name) as GraphQLNamedType)).toBe(
      printType(lexicographicSortSchema(ours).getType(name) as GraphQLNamedType),
    );
  expect(
    [schema, schema.getQueryType(), schema.getMutationType()].map((shared) => shared?.description),
  ).toEqual(Array(3).fill(undefined));
  const mutationsOf = (each: GraphQLSchema) => {
    const printed = printType(lexicographicSortSchema(each).getMutationType() as GraphQLNamedType);
    return printed.slice(printed.indexOf('type Mutation'));
  };
  expect(mutationsOf(schema)).toBe(mutationsOf(ours));
});

function startHive(loadsUrl?: string): GatewayRuntime {
  return createGatewayRuntime({
    ...gatewayConfig,
    supergraph: composeWithGuild(loadsUrl).supergraphSdl ?? '', // in place of the file
    transports: { http },
    logging: false,
  });
}

describe('Hive Gateway, running the supergraph,', () => {
  let hive: GatewayRuntime;
  beforeAll(() => {
    vi.stubEnv('SUBGRAPH_TOKEN', SUBGRAPH_TOKEN);
    hive = startHive();
  });
  afterAll(() => hive[Symbol.asyncDispose]());

  const execute = async (query: string, headers: Record<string, string> = {}, runtime = hive) => {
    gateway.takeCalls();
    const response = await runtime.fetch('http://supergraph/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
      body: JSON.stringify({ query }),
    });
    const { data, errors } = (await response.json()) as GraphQLResponse;
    const calls = gateway.takeCalls().map(({ method, path, headers }) => ({
      call: `${method} ${path}`,
      authorization: headers.authorization,
    }));
    return { data, errors, calls };
  };
  const readCall = (guid = '') => ({
    call: `GET /v1/customnotifications/${guid}`,
    authorization: `Bearer ${TOKEN}`,
  });
  const loadOf = (index: number, notification: typeof first) => ({
    loadId: `load-${index}`,
    notification: notification && {
      notificationGuid: notification.notificationGuid,
      notificationName: notification.notificationName,
    },
  });
  const unresolvedReference = expect.objectContaining({
    path: ['loads', 3, 'notification', 'notificationName'],
  }) as unknown;

  test('joins both subgraphs with the client’s token and reads each notification once', async () => {
    const { data, errors, calls } = await execute(LOADS);
    expect(data).toEqual({
      loads: [
        loadOf(0, first),
        loadOf(1, second),
        loadOf(2, first),
        { loadId: 'load-3', notification: null },
      ],
    });
    // Hive Gateway itself adds this error for the notification that the service does not have.
    expect(errors).toEqual([unresolvedReference]);
    expect(calls).toEqual([...guids, unknownGuid].map(readCall));
  });

  test('sends the subgraph token and the request ID to the gateway, and the token to no other subgraph', async () => {
    gateway.logLines.length = 0;
    loads.headers.length = 0;
    await execute(LOADS, { 'x-request-id': 'request-of-a-client' });
    const requestIds = gateway.logLines.map(({ requestId }) => requestId);
    expect(new Set(requestIds.filter((id) => id !== undefined))).toEqual(new Set(['request-of-a-client']));
    expect(loads.headers.map((headers) => headers['x-subgraph-token'])).toEqual([undefined]);
  });
});

function oneOfInputsOf(schema: GraphQLSchema): string[] {
  const types = Object.values(schema.getTypeMap());
  return types.flatMap((type) => (isInputObjectType(type) && type.isOneOf ? [type.name] : [])).sort();
}
