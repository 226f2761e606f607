/** What arrives of the gateway behind a router, with our configuration of Hive Gateway and by stitching. */
import { randomUUID } from 'node:crypto';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import http from '@graphql-mesh/transport-http';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { stitchSchemas } from '@graphql-tools/stitch';
import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { composeServices } from '@theguild/federation-composition';
import { buildSchema, graphql, isInputObjectType, parse, type GraphQLFormattedError } from 'graphql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { gatewayConfig } from '../../deploy/supergraph/hive/gateway.config.js';
import { readNotifications } from '../../src/mock/notifications.js';
import { startGateway, TOKEN, useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { PARENT_ID, TRACE_ID } from '../support/telemetry/traceContext.js';
import { useStarted } from '../support/tools/useStarted.js';
import { loadsFederationSdl, loadsSdl, startLoadsSubgraph } from './support/loadsSubgraph.js';
import {
  FAILURES_AS_DATA,
  LOADS,
  oneOfInputs,
  recordsOf,
  tracking,
  TWO_CARRIERS,
} from './support/supergraphCases.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const GUID = readNotifications()[0]?.notificationGuid ?? '';
const DELETED = '00000000-0000-4000-8000-000000000000';
const env = { SUBGRAPH_TOKEN, EXPLORER: 'true', IDEMPOTENCY_STORE: 'memory' };
const service = { retries: 0 };
const gateway = useGateway({ env, config: { service } });
const overloaded = useGateway({ env, config: { service, http: { maxEventLoopDelayMs: -1 } } });
/** It does not know the router, whose requests would not count. */
const limited = useStarted(async () => {
  const started = await startGateway({ env: { RATE_LIMIT: '1/600s' }, config: { service } });
  await started.execute('{ __typename }');
  return started;
});
const loads = useStarted(() => startLoadsSubgraph([GUID, DELETED]));
let schemas: { _service: { sdl: string }; _sdl: string };

beforeAll(async () => {
  vi.stubEnv('SUBGRAPH_TOKEN', SUBGRAPH_TOKEN);
  const headers = { 'x-subgraph-token': SUBGRAPH_TOKEN };
  schemas = (await gateway.data('{ _service { sdl } _sdl }', { headers })) as typeof schemas;
});
afterAll(() => {
  vi.unstubAllEnvs();
});

interface Response {
  data?: unknown;
  errors?: readonly GraphQLFormattedError[];
  extensions?: unknown;
}
type Variables = Record<string, unknown>;
type Send = (
  query: string,
  at: TestGateway,
  headers?: Record<string, string>,
  variables?: Variables,
) => Promise<Response>;

/** One for each gateway of ours. */
const hives = new Map<string, ReturnType<typeof startHive>>();
afterAll(() => Promise.all([...hives.values()].map((hive) => hive[Symbol.asyncDispose]())));

function startHive(url: string) {
  const { supergraphSdl: supergraph = '' } = composeServices([
    { name: 'freight', url, typeDefs: parse(schemas._service.sdl) },
    { name: 'loads', url: loads.url, typeDefs: parse(loadsFederationSdl) },
  ]);
  return createGatewayRuntime({ ...gatewayConfig, supergraph, transports: { http }, logging: false });
}

const sendThroughHive: Send = async (query, { url }, headers, variables) => {
  const hive = hives.get(url) ?? startHive(url);
  hives.set(url, hive);
  const response = await hive.fetch('http://supergraph/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Response;
};

/** Bodies of the requests of the stitching gateway to ours. */
const requests: string[] = [];

function stitch(at: TestGateway, loadsUrl: string, headers?: Record<string, string>) {
  return stitchSchemas({
    subschemas: [
      {
        schema: buildSchema(schemas._sdl),
        batch: true,
        executor: buildHTTPExecutor({
          endpoint: at.url,
          headers: { authorization: `Bearer ${TOKEN}`, 'x-subgraph-token': SUBGRAPH_TOKEN, ...headers },
          fetch: (url, init) => {
            requests.push(init?.body as string);
            return fetch(url, init);
          },
        }),
      },
      { schema: buildSchema(loadsSdl), executor: buildHTTPExecutor({ endpoint: loadsUrl }) },
    ],
    subschemaConfigTransforms: [stitchingDirectives().stitchingDirectivesTransformer],
  });
}

const sendThroughStitching: Send = async (query, at, headers, variableValues) => {
  const { data, errors, extensions } = await graphql({
    schema: stitch(at, loads.url, headers),
    source: query,
    ...(variableValues && { variableValues }),
  });
  return {
    data,
    ...(errors && { errors: errors.map((error) => error.toJSON()) }),
    ...(extensions && { extensions }),
  };
};

const read = (field: string) => `{ shipment { ${field} { notificationGuid notificationName } } }`;
const REMOVE = `deleteNotification(notificationGuid: "${GUID}") { evidence messages }`;
/** An item of a bulk mutation. */
const load = (reference: string) => `{ input: {
  shipment: { hauler: { freightProviderReferenceNumber: "${reference}", freightHaulerProviderXid: "XID-2001" } }
  carrier: { mc: "900001" }, driverPhoneNumber: "(303) 555-0110", shipmentTrackingType: "Mobile"
} }`;

describe.each([
  ['Hive Gateway', sendThroughHive],
  ['stitching', sendThroughStitching],
])('Behind %s,', (router, send) => {
  test('a dry run by header sends no write, and the extensions of its response are lost', async () => {
    const headers = { 'x-gateway-dry-run': '1' };
    const query = `mutation { ${REMOVE} }`;
    expect((await gateway.execute(query, { headers })).extensions).toHaveProperty('trace');
    const { data, errors, extensions } = await send(query, gateway, headers);
    expect([data, errors?.map((error) => error.extensions?.['code']), extensions]).toEqual([
      { deleteNotification: null },
      ['DRY_RUN'],
      undefined,
    ]);
    expect(gateway.takeCalls()).toEqual([]);
  });

  test.each([
    ['argument', (key: string) => [tracking(key), {}] as const],
    ['header', (key: string) => [tracking(), { 'idempotency-key': key }] as const],
  ])('two requests with the same idempotency key as %s send a write once', async (_way, request) => {
    const key = randomUUID();
    const [{ query, variables }, headers] = request(key);
    for (const calls of [1, 0]) {
      expect(await send(query, gateway, headers, variables)).toEqual({
        data: { trackShipment: { tracked: true } },
      });
      expect(gateway.takeCalls()).toHaveLength(calls);
    }
    const records = recordsOf(key);
    expect(await send(records.query, gateway, {}, records.variables)).toEqual({ data: records.data });
  });

  test('failures that are data arrive as they are', async () => {
    gateway.injectFaults({ status: 403 });
    const { query, variables, data } = FAILURES_AS_DATA;
    expect(await send(query, gateway, {}, variables)).toEqual({ data });
    expect(gateway.takeCalls()).toHaveLength(1);
  });

  test('a @oneOf input with two members is rejected before any call', async () => {
    const { errors } = await send(TWO_CARRIERS.query, gateway, {}, TWO_CARRIERS.variables);
    expect(errors?.map(({ message }) => message)).toEqual([
      expect.stringContaining('Exactly one key must be specified for OneOf type "CarrierInput"'),
    ]);
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('the trace of a client goes on, and the evidence of a write arrives', async () => {
    gateway.injectFaults({ status: 204 });
    const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`;
    const { data } = await send(`mutation { ${REMOVE} }`, gateway, { traceparent });
    expect(data).toEqual({ deleteNotification: { evidence: 'RESPONSE', messages: [] } });
    expect(gateway.takeCalls().map(({ headers }) => headers['traceparent'])).toEqual([traceparent]);
  });

  test.each([
    ['overload', () => overloaded, 'SERVICE_UNAVAILABLE'],
    ['a rate limit', () => limited, 'RATE_LIMITED'],
  ] as const)('a rejection by %s keeps code, outcome and retryable', async (_what, at, code) => {
    const { errors } = await send(`mutation { ${REMOVE} }`, at());
    expect(errors?.map(({ extensions }) => extensions)).toMatchObject([
      { code, outcome: 'NOT_APPLIED', retryable: true, retryAfterSeconds: expect.any(Number) as number },
    ]);
    expect(at().takeCalls()).toEqual([]);
  });

  test.each([
    ['as data', 'outcome errors { code }', { outcome: 'NOT_APPLIED', errors: [{ code: 'NOT_FOUND' }] }, []],
    ['as errors', 'outcome', null, [['NOT_FOUND', 'NOT_APPLIED', ['trackShipments', 'results', 1]]]],
  ])('the results of a bulk mutation arrive %s', async (_how, selection, failure, expectedErrors) => {
    const items = ['REF-1001', 'unknown'].map(load).join(' ');
    const field = `trackShipments(items: [${items}]) { results { ${selection} } applied notApplied }`;
    const { data, errors = [] } = await send(`mutation { ${field} }`, gateway);
    const applied = { outcome: 'APPLIED', ...(failure && { errors: [] }) };
    expect(data).toEqual({ trackShipments: { results: [applied, failure], applied: 1, notApplied: 1 } });
    expect(
      errors.map(({ path, extensions }) => [extensions?.['code'], extensions?.['outcome'], path]),
    ).toEqual(expectedErrors);
    expect(gateway.takeCalls().map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  test('a reference to a deleted notification is null in a list of nullable ones, and makes a response of others null', async () => {
    const nullable = await send(read('notifications'), gateway);
    expect(nullable.data).toMatchObject({ shipment: { notifications: [{ notificationGuid: GUID }, null] } });
    const required = await send(read('requiredNotifications'), gateway);
    expect(required.data).toBe(null);
    expect(gateway.takeCalls().map(({ path }) => path)).toEqual(
      [GUID, DELETED, GUID, DELETED].map((guid) => `/v1/customnotifications/${guid}`),
    );
  });

  test('twelve mutation fields are twelve operations with one field each, whatever the limit on them', async () => {
    const fields = Array.from({ length: 12 }, (_, index) => `a${index}: ${REMOVE}`);
    gateway.injectFaults(...fields.map(() => ({ status: 404, body: '{}' })));
    gateway.logLines.length = 0;
    const { errors } = await send(`mutation { ${fields.join(' ')} }`, gateway);
    expect(errors?.map(({ extensions }) => extensions?.['code'])).toEqual(fields.map(() => 'NOT_FOUND'));
    expect(gateway.takeCalls().map(({ method }) => method)).toEqual(fields.map(() => 'DELETE'));
    expect([router, gateway.logLines.filter(({ msg }) => msg === 'Request').length]).toEqual([router, 12]);
  });
});

test('Hive Gateway reads with the token of the client, and sends that of the subgraph to no other subgraph', async () => {
  loads.headers.length = 0;
  gateway.logLines.length = 0;
  const { data } = await sendThroughHive(LOADS, gateway, { 'x-request-id': 'request-of-a-client' });
  expect(data).toMatchObject({
    loads: [
      { loadId: 'load-0', notification: { notificationGuid: GUID } },
      { loadId: 'load-1', notification: null },
    ],
  });
  expect(gateway.takeCalls().map(({ path, headers }) => `${path} ${headers.authorization}`)).toEqual(
    [GUID, DELETED].map((guid) => `/v1/customnotifications/${guid} Bearer ${TOKEN}`),
  );
  const requestIds = gateway.logLines.flatMap(({ requestId }) => requestId ?? []);
  expect(new Set(requestIds)).toEqual(new Set(['request-of-a-client']));
  expect(loads.headers.map((headers) => headers['x-subgraph-token'])).toEqual([undefined]);
});

describe('A stitched schema', () => {
  const all = readNotifications();
  const everyLoad = useStarted(() => startLoadsSubgraph(all.map(({ notificationGuid }) => notificationGuid)));

  test('reads the notifications of all loads in one request, and keeps the others and the extensions if one fails', async () => {
    requests.length = 0;
    gateway.injectFaults({ delayMs: 0 }, { status: 403 });
    const { data, errors } = await graphql({ schema: stitch(gateway, everyLoad.url), source: LOADS });
    expect(data).toEqual({
      loads: all.map(({ notificationGuid, notificationName }, index) => ({
        loadId: `load-${index}`,
        notification: index === 1 ? null : { notificationGuid, notificationName },
      })),
    });
    expect(errors?.map((error) => error.toJSON())).toMatchObject([
      {
        path: ['loads', 1, 'notification', 'notificationName'],
        extensions: { code: 'FORBIDDEN', retryable: false, status: 403 },
      },
    ]);
    expect(requests).toHaveLength(1);
    expect(
      new Set(gateway.takeCalls().map(({ path, headers }) => `${path} ${headers.authorization}`)),
    ).toEqual(
      new Set(
        all.map(({ notificationGuid }) => `/v1/customnotifications/${notificationGuid} Bearer ${TOKEN}`),
      ),
    );
  });

  test('keeps the @oneOf inputs, and has no types or fields of Federation', () => {
    const schema = stitch(gateway, everyLoad.url);
    const types = Object.values(schema.getTypeMap());
    expect(
      types.flatMap((type) => (isInputObjectType(type) && type.isOneOf ? [type.name] : [])).sort(),
    ).toEqual(oneOfInputs);
    const names = [
      ...types.map(({ name }) => name),
      ...Object.keys(schema.getQueryType()?.getFields() ?? {}),
    ];
    expect(names.filter((name) => /^_(?!_)/.test(name))).toEqual([]);
  });
});
