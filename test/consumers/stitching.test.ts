import { randomUUID } from 'node:crypto';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { stitchSchemas } from '@graphql-tools/stitch';
import { stitchingDirectives } from '@graphql-tools/stitching-directives';
import { buildSchema, graphql, isInputObjectType, parse, type GraphQLSchema } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { loadsSdl, startLoadsSubgraph, type LoadsSubgraph } from './support/loadsSubgraph.js';
import {
  FAILURES_AS_DATA,
  LOADS,
  oneOfInputs,
  recordsOf,
  tracking,
  TWO_CARRIERS,
} from './support/supergraphCases.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const LOAD_COUNT = 120;

interface RequestContext {
  authorization: string;
  'x-subgraph-token': string;
  'idempotency-key'?: string;
}
let loads: LoadsSubgraph;
let schema: GraphQLSchema;
/** Reads each notification with a separate field; `batch` merges them into one document. */
let schemaOfSingleFields: GraphQLSchema;
let guids: string[];
/** Bodies of the requests from the stitching gateway to ours. */
const requests: string[] = [];

const gateway = useGateway({
  env: { SUBGRAPH_TOKEN, SERVICE_CONNECTIONS: '1', IDEMPOTENCY_STORE: 'memory' },
  config: { service: { retries: 0 } },
});
beforeAll(async () => {
  guids = await createNotifications();
  loads = await startLoadsSubgraph(guids);

  const fetchSdl = buildHTTPExecutor({
    endpoint: gateway.url,
    headers: { 'x-subgraph-token': SUBGRAPH_TOKEN },
  });
  const { data } = (await fetchSdl({ document: parse('{ _sdl }') })) as { data: { _sdl: string } };
  const notifications = {
    schema: buildSchema(data._sdl),
    batch: true,
    executor: buildHTTPExecutor({
      endpoint: gateway.url,
      headers: (request) => ({ ...(request?.context as RequestContext) }),
      fetch: (url, init) => {
        requests.push(init?.body as string);
        return fetch(url, init);
      },
    }),
  };
  const loadsSubschema = {
    schema: buildSchema(loadsSdl),
    executor: buildHTTPExecutor({ endpoint: loads.url }),
  };
  schema = stitchSchemas({
    subschemas: [notifications, loadsSubschema],
    subschemaConfigTransforms: [stitchingDirectives().stitchingDirectivesTransformer],
  });
  const merge = {
    Notification: {
      fieldName: 'notification',
      selectionSet: '{ notificationGuid }',
      args: ({ notificationGuid }: { notificationGuid: string }) => ({ notificationGuid }),
    },
  };
  schemaOfSingleFields = stitchSchemas({ subschemas: [{ ...notifications, merge }, loadsSubschema] });
});
afterAll(() => loads.stop());

test('a stitching gateway reads the notifications of 120 loads in one request, with the client’s token', async () => {
  const { data, errors, calls } = await execute(LOADS);
  expect(errors).toBe(undefined);
  expect(data).toEqual(allLoads());
  expect(requests.map((body) => (JSON.parse(body) as { variables: object }).variables)).toEqual([
    { notificationGuids: guids },
  ]);
  expect(calls).toEqual(guids.map((guid) => `GET /v1/customnotifications/${guid} Bearer ${TOKEN}`));
});

test('a stitching gateway reads the notifications of 120 loads with an alias for each', async () => {
  const { data, errors, calls } = await execute(LOADS, { schema: schemaOfSingleFields });
  expect(errors).toBe(undefined);
  expect(data).toEqual(allLoads());
  const { query = '' } = JSON.parse(requests[0] ?? '') as { query?: string };
  expect([requests.length, query.match(/\bnotification\(/g)?.length]).toEqual([1, LOAD_COUNT]);
  expect(calls).toEqual(guids.map((guid) => `GET /v1/customnotifications/${guid} Bearer ${TOKEN}`));
});

test('a stitching gateway returns the other notifications if one fails, and keeps the extensions of its error', async () => {
  gateway.injectFaults({ delayMs: 0 }, { status: 403 });
  const { data, errors } = await execute(LOADS);
  expect(
    (data as { loads: { notification: object | null }[] }).loads.map(
      ({ notification }) => notification === null,
    ),
  ).toEqual(guids.map((_guid, index) => index === 1));
  expect(errors?.map((error) => error.toJSON())).toEqual([
    {
      message: 'The service does not permit this operation',
      path: ['loads', 1, 'notification', 'notificationName'],
      extensions: {
        code: 'FORBIDDEN',
        retryable: false,
        status: 403,
        requestId: expect.any(String) as string,
      },
    },
  ]);
});

test('a stitched schema keeps the @oneOf inputs, and makes no call that violates them', async () => {
  const types = Object.values(schema.getTypeMap());
  expect(
    types.flatMap((type) => (isInputObjectType(type) && type.isOneOf ? [type.name] : [])).sort(),
  ).toEqual(oneOfInputs);

  const { errors, calls } = await execute(TWO_CARRIERS.query, { variables: TWO_CARRIERS.variables });
  expect(errors?.map(({ message }) => message)).toEqual([
    expect.stringContaining('Exactly one key must be specified for OneOf type "CarrierInput"'),
  ]);
  expect([requests, calls]).toEqual([[], []]);
});

test.each([
  ['argument', (key: string) => [tracking(key), {}] as const],
  ['header', (key: string) => [tracking(), { 'idempotency-key': key }] as const],
])(
  'a stitching gateway sends a write once for two requests with the same idempotency key as %s',
  async (_way, request) => {
    const key = randomUUID();
    const [{ query, variables }, headers] = request(key);
    const first = await execute(query, { variables, headers });
    const second = await execute(query, { variables, headers });
    expect([first, second].map(({ data, errors, calls }) => ({ data, errors, calls: calls.length }))).toEqual(
      [
        { data: { trackShipment: { tracked: true } }, errors: undefined, calls: 1 },
        { data: { trackShipment: { tracked: true } }, errors: undefined, calls: 0 },
      ],
    );
    const records = recordsOf(key);
    const { data, errors } = await execute(records.query, { variables: records.variables });
    expect({ data, errors }).toEqual({ data: records.data, errors: undefined });
  },
);

test('a stitching gateway passes on failures that are data', async () => {
  gateway.injectFaults({ status: 403 });
  const { query, variables } = FAILURES_AS_DATA;
  const { data, errors, calls } = await execute(query, { variables });
  expect({ data, errors, calls: calls.length }).toEqual({
    data: FAILURES_AS_DATA.data,
    errors: undefined,
    calls: 1,
  });
});

test('a stitched schema contains no types or fields of Federation', () => {
  const names = [
    ...Object.keys(schema.getTypeMap()),
    ...Object.keys(schema.getQueryType()?.getFields() ?? {}),
  ];
  expect(names.filter((name) => /^_(?!_)/.test(name))).toEqual([]);
});

function allLoads() {
  return {
    loads: guids.map((notificationGuid, index) => ({
      loadId: `load-${index}`,
      notification: { notificationGuid, notificationName: `Load ${index}` },
    })),
  };
}

interface ExecuteOptions {
  variables?: Record<string, unknown>;
  headers?: Partial<RequestContext>;
  /** @default the one that reads lists */
  schema?: GraphQLSchema;
}

async function execute(
  source: string,
  { variables: variableValues, headers, schema: executed = schema }: ExecuteOptions = {},
) {
  gateway.takeCalls();
  requests.length = 0;
  const contextValue: RequestContext = {
    authorization: `Bearer ${TOKEN}`,
    'x-subgraph-token': SUBGRAPH_TOKEN,
    ...headers,
  };
  const result = await graphql({
    schema: executed,
    source,
    contextValue,
    ...(variableValues && { variableValues }),
  });
  const calls = gateway.takeCalls();
  return {
    ...result,
    calls: calls.map(({ method, path, headers }) => `${method} ${path} ${headers.authorization ?? ''}`),
  };
}

/** Creates one notification per load; returns their GUIDs. */
async function createNotifications(): Promise<string[]> {
  const mutation = `mutation ($input: NotificationInput!) {
    createNotification(input: $input) {
      notification {
        notificationGuid
      }
    }
  }`;
  const createdGuids: string[] = [];
  for (let index = 0; index < LOAD_COUNT; index += 1) {
    const variables = { input: { ...sampleDefinition.input, notificationName: `Load ${index}` } };
    const data = (await gateway.data(mutation, { variables })) as {
      createNotification: { notification: { notificationGuid: string } };
    };
    createdGuids.push(data.createNotification.notification.notificationGuid);
  }
  return createdGuids;
}
