/** The package for front ends reads what became of a write from whatever an application has in hand. */
import { randomUUID } from 'node:crypto';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange, type Exchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import * as fc from 'fast-check';
import {
  getNamedType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
  type GraphQLFieldMap,
  type GraphQLObjectType,
} from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { map, pipe } from 'wonka';
import {
  createIntent,
  errorsOf,
  inputErrorsOf,
  otherErrorsOf,
  outcomeOf,
  resultOf,
} from '../../src/client/index.js';
import { cacheConfig } from '../../src/client/apollo.js';
import { inputTextOf, inputTexts } from '../../src/client/texts.js';
import { graphcacheConfig } from '../../src/client/urql.js';
import { InputRule } from '../../src/errors.js';
import { createSchema } from '../../src/graphql/schema.js';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { SEED_GUID, validArguments } from '../support/graphql/rootFields.js';
import { memoryStorage } from './support/memoryStorage.js';

/** It does not retry, so that each request makes one REST call. */
const options = { env: { IDEMPOTENCY_STORE: 'memory' }, config: { service: { retries: 0 } } };
const gateway = useGateway(options);
const headers = { authorization: `Bearer ${TOKEN}` };
const DATA =
  'outcome evidence errors { code message retryable retryAfterSeconds requestId inputPath rule limit status }';
const ERRORS = 'outcome evidence';
const TRACK = 'mutation ($input: TrackShipmentInput!, $key: ID, $dryRun: Boolean! = false)';
const tracking = (selection: string) =>
  `${TRACK} { trackShipment(input: $input, idempotencyKey: $key, dryRun: $dryRun) { __typename ${selection} } }`;
const deletion = (selection: string, args = '') =>
  `mutation { deleteNotification(notificationGuid: "${SEED_GUID}"${args}) { __typename ${selection} } }`;
const { input } = validArguments('trackShipment') as { input: object };

const schema = createSchema();
const roots: unknown[] = [schema.getQueryType(), schema.getMutationType()];
const objectTypes = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter((type) => !isIntrospectionType(type) && !roots.includes(type));

/** Sends an operation, and returns what an application has in hand afterwards: a result, or what was thrown. */
type Send = (url: string, query: string, variables: Record<string, unknown>) => Promise<unknown>;
const clients: [name: string, send: Send][] = [
  [
    'fetch',
    async (url, query, variables) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
      });
      return (await response.json()) as unknown;
    },
  ],
  [
    'Apollo Client',
    (uri, query, variables) =>
      new ApolloClient({
        link: new HttpLink({ uri, headers }),
        cache: new InMemoryCache(),
      }).mutate({ mutation: gql(query), variables }),
  ],
  [
    'urql',
    (url, query, variables) =>
      new Client({
        url,
        preferGetMethod: false,
        exchanges: [fetchExchange],
        fetchOptions: { headers },
      })
        .mutation(query, variables)
        .toPromise(),
  ],
  [
    'graphql-request',
    (url, query, variables) => new GraphQLClient(url, { headers }).rawRequest(query, variables),
  ],
];

interface Case {
  what: string;
  /** What becomes of tracking the input, unless another operation is given. */
  query?: (selection: string) => string;
  variables?: Record<string, unknown>;
  status?: number;
  expected: readonly [outcome: string, nextStep: string, ...codes: string[]];
}
const rejected = (what: string, status: number, nextStep: string, code: string): Case => ({
  what,
  status,
  expected: ['NOT_APPLIED', nextStep, code],
});
const invalid = (what: string, driverPhoneNumber: unknown): Case => ({
  what,
  variables: { input: { ...input, driverPhoneNumber } },
  expected: ['NOT_APPLIED', 'CORRECT', 'BAD_USER_INPUT'],
});
const cases: Case[] = [
  { what: 'a write that is applied', expected: ['APPLIED', 'NONE'] },
  invalid('an invalid phone number', 'none'),
  invalid('a variable of the wrong type', 1),
  rejected('a shipment that does not exist', 404, 'CORRECT', 'NOT_FOUND'),
  rejected('a rejection by the service', 422, 'CORRECT', 'SERVICE_REJECTED'),
  rejected('a rate limit', 429, 'REPEAT', 'RATE_LIMITED'),
  rejected('a token that the service rejects', 401, 'SIGN_IN', 'UNAUTHENTICATED'),
  rejected('a service that forbids it', 403, 'REQUEST_ACCESS', 'FORBIDDEN'),
  {
    what: 'a write of unknown outcome',
    status: 503,
    expected: ['UNKNOWN', 'DECIDE', 'SERVICE_ERROR'],
  },
  {
    what: 'a notification that somebody else has changed',
    query: (selection) => deletion(selection, ', ifLastUpdateDate: "2020-01-01T00:00:00Z"'),
    expected: ['NOT_APPLIED', 'RELOAD', 'CONFLICT'],
  },
  {
    what: 'a deletion of unknown outcome with a key',
    query: (selection) => deletion(selection, `, idempotencyKey: "${randomUUID()}"`),
    status: 503,
    expected: ['UNKNOWN', 'REPEAT', 'SERVICE_ERROR'],
  },
  {
    what: 'a key from yesterday',
    variables: { input, key: '01890000-0000-7000-8000-000000000000' },
    expected: ['UNKNOWN', 'DECIDE', 'IDEMPOTENCY_KEY_EXPIRED'],
  },
];

describe.each(clients)('%s', (_client, send) => {
  const gateway = useGateway(options); // the failures of one client would open the circuit for the next
  test.each(cases)('$what', async ({ query = tracking, variables = { input }, status, expected }) => {
    const field = query === tracking ? 'trackShipment' : 'deleteNotification';
    for (const selection of [DATA, ERRORS]) {
      if (status !== undefined) gateway.injectFaults({ status, body: '' });
      const source = await send(gateway.url, query(selection), variables).catch((error: unknown) => error);
      const { outcome, errors, nextStep } = resultOf(source, field);
      expect([outcome, nextStep, ...errors.map(({ code }) => code)]).toEqual(expected);
      expect(outcomeOf(source, field)).toBe(outcome);
      expect(errorsOf(source, field)).toEqual(errors);
      expect(errorsOf(source)).toEqual(errors);
    }
  });

  test('a dry run is to be sent', async () => {
    const valid = { input, dryRun: true };
    for (const selection of [DATA, ERRORS]) {
      const source = await send(gateway.url, tracking(selection), valid).catch((error: unknown) => error);
      expect(resultOf(source, 'trackShipment')).toMatchObject({ outcome: 'NOT_APPLIED', nextStep: 'SEND' });
    }
  });

  test('nothing is known of a write without a response: it is repeated with its key, or a person decides', async () => {
    const source = await send('http://127.0.0.1:1/graphql', tracking(DATA), { input }).catch(
      (error: unknown) => error,
    );
    const lost = {
      outcome: 'UNKNOWN',
      evidence: undefined,
      errors: [],
      cause: expect.any(TypeError) as unknown,
    };
    expect(resultOf(source, 'trackShipment')).toEqual({ ...lost, nextStep: 'REPEAT' });
    expect(resultOf(source, 'trackShipment', { hasKey: false })).toEqual({ ...lost, nextStep: 'DECIDE' });
  });

  test('of several fields, each has its own outcome', async () => {
    const query = `mutation ($input: TrackShipmentInput!) { one: trackShipment(input: $input) { ${DATA} } two: deleteNotification(notificationGuid: " ") { ${ERRORS} } }`;
    const source = await send(gateway.url, query, { input }).catch((error: unknown) => error);
    const steps = ['one', 'two'].map((field) => resultOf(source, field).nextStep);
    // Apollo Client throws an error that has the data, urql returns both.
    expect(steps).toEqual(['NONE', 'CORRECT']);
  });
});

describe('the items of a bulk field', () => {
  const BULK =
    'mutation ($items: [TrackShipmentItem!]!) { trackShipments(items: $items) { results { __typename SELECTION } } }';
  const steps = (source: unknown, count: number) =>
    Array.from({ length: count }, (_, index) => resultOf(source, 'trackShipments', index)).map(
      ({ outcome, nextStep, errors }) => [
        outcome,
        nextStep,
        ...errors.map(({ inputPath }) => inputPath?.join('.')),
      ],
    );
  const items = (...phones: unknown[]) =>
    phones.map((driverPhoneNumber) => ({ input: { ...input, driverPhoneNumber } }));

  test.each([DATA, ERRORS])(
    'have their own outcomes, with the errors as data or not (%#)',
    async (selection) => {
      const query = BULK.replace('SELECTION', selection);
      const invalid = { items: items('+13035550100', 'none') };
      expect(steps(await gateway.execute(query, { variables: invalid }), 2)).toEqual([
        ['NOT_APPLIED', 'SEND', undefined], // OTHER_ITEM_INVALID
        ['NOT_APPLIED', 'CORRECT', 'input.driverPhoneNumber'],
      ]);
      gateway.injectFaults({}, { status: 429 });
      const valid = { items: items('+13035550100', '+13035550101') };
      const after = steps(await gateway.execute(query, { variables: valid }), 2).map(([, step]) => step);
      expect(after.sort()).toEqual(['NONE', 'REPEAT']);
    },
  );

  test('are not sent if the type of another one rejects the operation', async () => {
    gateway.takeCalls();
    const source = await gateway.execute(BULK.replace('SELECTION', DATA), {
      variables: { items: items('+13035550100', 1, '+13035550102') },
    });
    expect(steps(source, 3)).toEqual([
      ['NOT_APPLIED', 'SEND'],
      ['NOT_APPLIED', 'CORRECT', 'input.driverPhoneNumber'],
      ['NOT_APPLIED', 'SEND'],
    ]);
    expect(gateway.takeCalls()).toEqual([]);
  });
});

test('errors of queries are read, too', async () => {
  const source = await gateway.execute('{ notification(notificationGuid: " ") { filters } }');
  expect(errorsOf(source, 'notification')).toMatchObject([{ code: 'BAD_USER_INPUT', rule: 'NOT_EMPTY' }]);
  expect(errorsOf(source, 'notifications')).toEqual([]);
});

test('sources of Relay, of batched links and of fetch are understood', async () => {
  const response = await gateway.execute(tracking(ERRORS), {
    variables: { input: { ...input, driverPhoneNumber: '' } },
  });
  const expected = resultOf(response, 'trackShipment');
  expect(expected.nextStep).toBe('CORRECT');
  for (const source of [
    response.errors,
    Object.assign(new Error(), { source: response }),
    { error: response },
  ])
    expect(resultOf(source, 'trackShipment')).toEqual(expected);
  expect(resultOf(new Response('', { status: 502 }), 'trackShipment').nextStep).toBe('REPEAT');
});

describe('input errors', () => {
  const notification = {
    notificationName: ' ',
    recipient: { shipmentLevel: { emailList: ['dock'], smsList: [] } },
    trigger: { shipmentStatusChange: [] },
  };
  const CREATE = `mutation ($input: NotificationInput!, $key: ID) { createNotification(input: $input, idempotencyKey: $key) { ${DATA} } }`;

  test('have the names of form libraries, all at once; the rest stands above the form', async () => {
    const source = await gateway.execute(CREATE, { variables: { input: notification, key: 'none' } });
    const named = inputErrorsOf(source, 'createNotification', { below: 'input' });
    expect(named.map(({ name, rule, limit }) => [name, rule, limit])).toEqual([
      ['notificationName', 'NOT_EMPTY', undefined],
      ['recipient.shipmentLevel.emailList.0', 'EMAIL', undefined],
      ['trigger.shipmentStatusChange', 'MIN_ITEMS', 1],
    ]);
    expect(otherErrorsOf(source, 'createNotification', { below: 'input' })).toMatchObject([
      { rule: 'UUID', inputPath: ['idempotencyKey'] },
    ]);
    const whole = inputErrorsOf(source, 'createNotification').map(({ name }) => name);
    expect(whole).toContain('input.recipient.shipmentLevel.emailList.0');
    expect(whole).toContain('idempotencyKey');
    expect(otherErrorsOf(source, 'createNotification')).toEqual([]);
    // The result of resultOf is a source, too.
    expect(inputErrorsOf(resultOf(source, 'createNotification'), '', { below: 'input' })).toEqual(named);
  });

  test('have texts for users by their rules, of which each can be replaced', async () => {
    const long = {
      ...notification,
      notificationName: 'a'.repeat(5000),
      trigger: { shipmentStatusChange: [] },
    };
    const source = await gateway.execute(CREATE, { variables: { input: long } });
    const errors = inputErrorsOf(source, 'createNotification', { below: 'input' });
    const texts = errors.map((error) => inputTextOf(error));
    expect(texts).toContain('Enter one email address, such as dispatch@example.com.');
    expect(texts).toContain('Choose at least 1.');
    expect(texts.join()).not.toMatch(/expected|got/);
    const own = errors.map((error) =>
      inputTextOf(error, { ...inputTexts, MIN_ITEMS: 'Pick {limit} or more.' }),
    );
    expect(own).toContain('Pick 1 or more.');
    // The rule of a newer gateway, and the objection of the service.
    for (const rule of [undefined, 'NEWER', 'constructor'])
      expect(inputTextOf({ rule, limit: undefined, message: 'No.' })).toBe('No.');
    expect(Object.keys(inputTexts).sort()).toEqual(Object.values(InputRule).sort());
  });

  test.each([
    ['data', 'errors { code message retryable inputPath serviceMessages }'],
    ['GraphQL errors', 'tracked'],
  ])('have the reasons of the service for values that it objects to, from %s', async (_shape, selection) => {
    const errors = {
      DriverPhoneNumber: ['It is no mobile.', 'It is blocked.'],
      CarrierMC: ['It is suspended.'],
    };
    gateway.injectFaults({ status: 422, body: JSON.stringify({ message: 'No.', errors }) });
    const source = await gateway.execute(tracking(`outcome ${selection}`), { variables: { input } });
    const none = { rule: undefined, limit: undefined };
    expect(inputErrorsOf(source, 'trackShipment', { below: 'input' })).toEqual([
      { name: 'driverPhoneNumber', message: 'It is no mobile.\nIt is blocked.', ...none },
      { name: 'carrier.mc', message: 'It is suspended.', ...none },
    ]);
    expect(otherErrorsOf(source, 'trackShipment', { below: 'input' })).toMatchObject([
      { code: 'SERVICE_REJECTED', serviceMessages: ['No.'] },
    ]);
    expect(resultOf(source, 'trackShipment').nextStep).toBe('CORRECT');
  });
});

/** A write of which nothing is known because of the program, not of the network. */
describe('a mistake of a program is no lost connection: it is said on the console, once, and nothing is repeated', () => {
  const response = () => new Response('{"data":{}}', { headers: { 'content-type': 'application/json' } });
  const reading = (run: () => unknown) => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };
  test.each([
    ['a misspelt field', { data: { trackShipments: { outcome: 'APPLIED' } } }],
    ['the data alone', { trackShipment: { outcome: 'APPLIED', errors: [] } }],
    ['a response that nobody read', response()],
    ['a promise', Promise.resolve({ data: {} })],
    ['nothing', undefined],
    ['a text', 'ok'],
    ['a bug', reading(() => (undefined as unknown as { data: unknown }).data)],
    ...[
      // V8
      "Cannot read properties of null (reading 'data')",
      "Cannot destructure property 'data' of 'undefined' as it is undefined.",
      'Assignment to constant variable.',
      "Class constructor A cannot be invoked without 'new'",
      "Failed to execute 'fetch' on 'Window': Request with GET/HEAD method cannot have body.",
      "Failed to execute 'json' on 'Response': body stream already read",
      // SpiderMonkey
      'can\'t access property "data", response is undefined',
      'cyclic object value',
      'Window.fetch: /a b is not a valid URL.',
      'Window.fetch: HEAD or GET Request cannot have a body.',
      'Response.json: Body has already been consumed.',
      // JavaScriptCore
      "undefined is not an object (evaluating 'response.data')",
      'Attempted to assign to readonly property.',
      'Right side of assignment cannot be destructured',
      'URL is not valid or contains user credentials.',
      'Body is disturbed or locked',
      // Hermes, whatwg-fetch, undici
      'Already read',
      'Failed to parse URL from /graphql',
    ].map((message): [string, unknown] => [`a TypeError, ${message}`, new TypeError(message)]),
    ['a name that does not exist', new ReferenceError('missing is not defined')],
    ['null without an error', { data: { trackShipment: null } }],
  ])('%s', (_what, source) => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => error.mockRestore());
    const result = resultOf(source, 'trackShipment');
    expect(result).toMatchObject({ outcome: 'UNKNOWN', nextStep: 'REPORT', errors: [] });
    expect('cause' in result).toBe(true);
    expect(error.mock.calls).toEqual([
      ['Expected a GraphQL response with trackShipment, or a failure of the network, got', source],
    ]);
  });

  test.each([
    ['fetch in Chromium', new TypeError('Failed to fetch')],
    ['fetch in Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
    ['fetch in Safari', new TypeError('Load failed')],
    ['fetch in Node.js', new TypeError('fetch failed')],
    ['a body that ended early', new TypeError('terminated')],
    ['React Native', new TypeError('Network request failed')],
    ...[
      // Firefox, in the middle of a response
      'Error in input stream',
      'Content-Encoding error',
      // Safari, whose system speaks the language of the device
      'The certificate for this server is invalid.',
      'Preflight response is not successful. Status code: 502',
      // cspell:disable
      'Die Netzwerkverbindung wurde unterbrochen.',
      'La connexion réseau a été perdue.',
      'ネットワーク接続が切れました。',
      'Превышено время ожидания.',
      // cspell:enable
      // Deno
      'error sending request for url (https://proxy.example.com/read-only/graphql)',
      'error sending request for url (http://a.example/is/a/constant): client error (SendRequest): connection closed before message completed',
      'request or response body error: error reading a body from connection: connection reset',
      'error decoding response body',
      '',
    ].map((message): [string, unknown] => [`a TypeError, ${message}`, new TypeError(message)]),
    ['a timeout', new DOMException('signal timed out', 'TimeoutError')],
    ['an aborted request', new DOMException('This operation was aborted', 'AbortError')],
    ['HTML of a proxy', new SyntaxError("Unexpected token '<'")],
    ['a status of a proxy', new Response('<html></html>', { status: 502 })],
  ])('but %s is one', (_what, source) => {
    const error = vi.spyOn(console, 'error');
    onTestFinished(() => error.mockRestore());
    expect(resultOf(source, 'trackShipment')).toMatchObject({ nextStep: 'REPEAT', cause: source });
    expect(error).not.toHaveBeenCalled();
  });

  test('nothing is said in production', () => {
    vi.stubEnv('NODE_ENV', 'production');
    onTestFinished(() => void vi.unstubAllEnvs());
    const error = vi.spyOn(console, 'error');
    onTestFinished(() => error.mockRestore());
    expect(resultOf({ data: {} }, 'trackShipment').nextStep).toBe('REPORT');
    expect(error).not.toHaveBeenCalled();
  });

  test('a payload without errors is a success without its outcome, too, unless it is of a dry run', () => {
    const source = { data: { trackShipment: { errors: [] } } };
    expect(resultOf(source, 'trackShipment')).toMatchObject({ outcome: 'APPLIED', nextStep: 'NONE' });
    expect(resultOf(source, 'trackShipment', { dryRun: true })).toMatchObject({
      outcome: 'NOT_APPLIED',
      nextStep: 'SEND',
    });
  });

  test('a 413 of a proxy was not applied', () => {
    const source = new Response('<html></html>', { status: 413 });
    expect(resultOf(source, 'trackShipment')).toMatchObject({ outcome: 'NOT_APPLIED', nextStep: 'REPORT' });
  });
});

describe('a source that nobody knows', () => {
  test('says nothing, and throws nothing', () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => error.mockRestore());
    const known = fc.constantFrom(
      ...[
        'data',
        'errors',
        'error',
        'graphQLErrors',
        'networkError',
        'extensions',
        'path',
        'inputPath',
        'code',
      ],
      ...['retryable', 'outcome', 'results', 'field', 'source', 'response', 'status'],
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.anything(),
        tie('object'),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
      object: fc.dictionary(known, tie('value')),
    })).value;
    fc.assert(
      fc.property(json, fc.option(fc.nat(3), { nil: undefined }), (source, index) => {
        for (const read of [errorsOf, outcomeOf, resultOf] as const) read(source, 'field', index);
        inputErrorsOf(source, 'field', { below: 'input' });
        otherErrorsOf(source, 'field');
        errorsOf(source);
      }),
    );
    const cyclic: Record<string, unknown> = {};
    cyclic['error'] = cyclic;
    expect(resultOf(cyclic, 'field').outcome).toBe('UNKNOWN');
  });

  test.each([
    ['a payload whose fields a cache has dropped', { data: { trackShipment: { tracked: null } } }],
    ['an error of a router', { errors: [{ message: 'Service unreachable', path: ['trackShipment'] }] }],
  ])('does not make a success, or a failure, of %s', (_what, source) => {
    expect(resultOf(source, 'trackShipment')).toMatchObject({ outcome: 'UNKNOWN', errors: [] });
  });
});

test.each([
  [
    'without configuration drops the fields of a fragment on the interface, which is no success',
    {},
    'DECIDE',
  ],
  ['with the configuration of the package keeps them', graphcacheConfig, 'NONE'],
])('Graphcache %s', async (_what, config, nextStep) => {
  const client = new Client({
    url: gateway.url,
    preferGetMethod: false,
    exchanges: [cacheExchange(config), fetchExchange],
    fetchOptions: { headers },
  });
  const query = tracking('... on WritePayload { outcome errors { code retryable } } tracked');
  const source = await client.mutation(query, { input }).toPromise();
  expect(resultOf(source, 'trackShipment').nextStep).toBe(nextStep);
});

describe.each(objectTypes)(
  'a cache with the configuration of the package reads back a whole $name',
  (type) => {
    const { query, data } = sampleOf(type);

    test('in Apollo Client', () => {
      const cache = new InMemoryCache(cacheConfig);
      cache.writeQuery({ query, data });
      expect(cache.readQuery({ query })).toEqual(data);
    });

    test('in Graphcache, without a warning', async () => {
      const warn = vi.spyOn(console, 'warn');
      onTestFinished(() => {
        warn.mockRestore();
      });
      const respond: Exchange = () => (operations$) =>
        pipe(
          operations$,
          map((operation) => ({ operation, data, stale: false, hasNext: false })),
        );
      const client = new Client({
        url: 'http://unused.test',
        preferGetMethod: false,
        exchanges: [cacheExchange(graphcacheConfig), respond],
      });
      await client.query(query, {}).toPromise();
      const cached = await client.query(query, {}, { requestPolicy: 'cache-only' }).toPromise();
      expect(cached.data).toEqual(data);
      expect(warn.mock.calls).toEqual([]);
    });
  },
);

test('Apollo Client writes and reads records, whether their keys are selected or not', async () => {
  const client = new ApolloClient({
    link: new HttpLink({ uri: gateway.url, headers }),
    cache: new InMemoryCache(cacheConfig),
  });
  const key = randomUUID();
  await gateway.execute(tracking(DATA), { variables: { input, key } });
  const ask = (selection: string) =>
    client.query({
      query: gql(`query ($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { ${selection} } }`),
      variables: { keys: [key, randomUUID()] },
    });
  const record = { __typename: 'WriteRecord', outcome: 'APPLIED' };
  expect((await ask('outcome')).data).toEqual({ writeRecords: [record, null] });
  expect((await ask('outcome key: idempotencyKey')).data).toEqual({
    writeRecords: [{ ...record, key }, null],
  });
  expect((await ask('outcome idempotencyKey')).data).toEqual({
    writeRecords: [{ ...record, idempotencyKey: key }, null],
  });
});

/** A document that selects the fields of an object through its interfaces, if it has some, and the data of its response. */
function sampleOf(type: GraphQLObjectType) {
  const leaves = (fields: GraphQLFieldMap<unknown, unknown>) =>
    Object.values(fields)
      .filter((field) => isLeafType(getNamedType(field.type)))
      .map(({ name }) => name);
  const interfaces = type
    .getInterfaces()
    .map((each) => ({ name: each.name, fields: leaves(each.getFields()) }));
  const inFragments = interfaces.flatMap(({ fields }) => fields);
  const own = leaves(type.getFields()).filter((name) => !inFragments.includes(name));
  const fragments = interfaces.map(({ name, fields }) => `... on ${name} { ${fields.join(' ')} }`);
  return {
    query: gql(`{ sample { __typename ${[...own, ...fragments].join(' ')} } }`),
    data: {
      sample: {
        __typename: type.name,
        ...Object.fromEntries([...own, ...inFragments].map((name) => [name, `The ${name}`])),
      },
    },
  };
}

describe('an intent', () => {
  test('has one key until it is settled, and another one for other variables', () => {
    const intent = createIntent();
    const key = intent.keyFor({ a: 1, b: { c: 2, d: 3 } });
    expect(intent.keyFor({ b: { d: 3, c: 2 }, a: 1 })).toBe(key);
    expect([intent.mayDouble({ a: 1, b: { c: 2, d: 3 } }), intent.mayDouble({ a: 2 })]).toEqual([
      false,
      true,
    ]);
    intent.settle('UNKNOWN');
    expect(intent.keyFor({ a: 1, b: { c: 2, d: 3 } })).toBe(key);
    expect(intent.keyFor({ a: 2 })).not.toBe(key);
    intent.settle('NOT_APPLIED');
    expect(intent.mayDouble({ a: 2 })).toBe(true);
    intent.settle('APPLIED');
    expect(intent.mayDouble({ a: 2 })).toBe(false);
    expect(intent.keyFor({ a: 1, b: { c: 2, d: 3 } })).not.toBe(key);
  });

  test('is replayed after its success until it starts over', async () => {
    gateway.takeCalls();
    const intent = createIntent();
    const variables = { input };
    const write = async () => {
      const key = intent.keyFor(variables);
      const source = await gateway.execute(tracking(DATA), { variables: { ...variables, key } });
      intent.settle(resultOf(source, 'trackShipment'));
      return resultOf(source, 'trackShipment').evidence;
    };
    expect([await write(), await write()]).toEqual(['RESPONSE', 'REPLAY']);
    expect(intent.resultFor(variables)).toMatchObject({ outcome: 'APPLIED', nextStep: 'NONE' });
    expect([intent.mayDouble({}), intent.resultFor({})]).toEqual([false, undefined]);
    intent.settle({ outcome: 'NOT_APPLIED', evidence: 'NOT_SENT' }); // a repeat that was rate limited
    expect(await write()).toBe('REPLAY');
    expect(gateway.takeCalls()).toHaveLength(1);
    intent.startOver();
    expect([intent.resultFor(variables), await write()]).toEqual([undefined, 'RESPONSE']);
    expect(gateway.takeCalls()).toHaveLength(1);
  });

  test('with a storage survives a reload: the same values have the same key, and others are doubted', async () => {
    const storage = memoryStorage();
    const open = () => createIntent({ name: 'tracking', storage });
    const variables = { input: { ...input, driverPhoneNumber: '+13035550177' } };
    const key = open().keyFor(variables); // the page is gone before the response
    gateway.takeCalls();
    await gateway.execute(tracking(DATA), { variables: { ...variables, key } });
    const intent = open();
    expect(intent.resultFor(variables)).toMatchObject({ outcome: 'UNKNOWN', nextStep: 'REPEAT', errors: [] });
    expect([intent.mayDouble(variables), intent.mayDouble({ input })]).toEqual([false, true]);
    expect(intent.keyFor(variables)).toBe(key);
    intent.settle({ outcome: 'NOT_APPLIED', evidence: 'NOT_SENT' }); // which says nothing of the attempt before the reload
    const source = await gateway.execute(tracking(DATA), {
      variables: { ...variables, key: open().keyFor(variables) },
    });
    expect(resultOf(source, 'trackShipment')).toMatchObject({ outcome: 'APPLIED', evidence: 'REPLAY' });
    expect(gateway.takeCalls()).toHaveLength(1);
    const last = open();
    last.keyFor(variables);
    last.settle(resultOf(source, 'trackShipment'));
    expect(open().resultFor(variables)).toMatchObject({ outcome: 'APPLIED', nextStep: 'NONE' });
    expect(createIntent({ name: 'another', storage }).resultFor(variables)).toBeUndefined();
    last.startOver();
    expect(open().keyFor(variables)).not.toBe(key);
  });

  test.each(['not JSON', '{}', 'null', '7'])('with %s in its storage starts with none', (text) => {
    const intent = createIntent({ name: 'a', storage: { getItem: () => text, setItem: () => undefined } });
    expect([intent.resultFor({}), intent.mayDouble({})]).toEqual([undefined, false]);
    expect(intent.keyFor({})).toMatch(/^[\da-f-]{36}$/);
  });

  test('with a storage that is full sends nothing', () => {
    const setItem = () => {
      throw new Error('full');
    };
    const intent = createIntent({ name: 'a', storage: { getItem: () => null, setItem } });
    expect(() => intent.keyFor({})).toThrow('full');
  });

  test('keeps its key if a repeat after an unknown attempt was not sent', () => {
    const intent = createIntent();
    const key = intent.keyFor({});
    intent.settle({ outcome: 'UNKNOWN', evidence: undefined });
    for (const unsent of ['NOT_APPLIED', { outcome: 'NOT_APPLIED', evidence: 'NOT_SENT' }] as const) {
      expect(intent.keyFor({})).toBe(key);
      intent.settle(unsent);
    }
    expect(intent.keyFor({})).toBe(key);
    intent.settle({ outcome: 'NOT_APPLIED', evidence: 'RESPONSE' });
    expect(intent.keyFor({})).not.toBe(key);
  });

  test('does not write again once the gateway has forgotten its key', async () => {
    const intent = createIntent();
    const key = intent.keyFor({});
    intent.settle('UNKNOWN');
    const keyAfter = (ms: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
      const later = intent.keyFor({});
      vi.useRealTimers();
      return later;
    };
    const retentionMs = 86_400_000;
    expect(keyAfter(retentionMs - 1000)).toBe(key);
    gateway.takeCalls();
    for (const change of [retentionMs, -retentionMs - 60_000]) {
      const variables = { input, key: keyAfter(change) };
      const source = await gateway.execute(tracking(DATA), { variables });
      expect(resultOf(source, 'trackShipment')).toMatchObject({
        outcome: 'UNKNOWN',
        nextStep: 'DECIDE',
        errors: [{ code: 'IDEMPOTENCY_KEY_EXPIRED' }],
      });
    }
    expect(gateway.takeCalls()).toEqual([]);
  });
});
