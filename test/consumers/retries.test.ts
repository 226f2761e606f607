/** The package for front ends sends an operation again exactly if the errors of the gateway allow it, or an idempotency key does. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRetryLink } from '../../src/client/apollo.js';
import { REQUEST_TIMEOUT_MS, resultOf, retryDelayMs, type FailedAttempt } from '../../src/client/index.js';
import { waitOnline, type RetryWait } from '../../src/client/retryDelay.js';
import { parseConfig } from '../../src/config/config.js';
import type { Fault } from '../../src/mock/mockService.js';
import { startGateway, TOKEN, useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { SEED_GUID, validArguments } from '../support/graphql/rootFields.js';
import { serve } from '../support/http/serve.js';
import { forTest } from '../support/tools/useStarted.js';
import { createGate, until } from '../support/tools/waiting.js';
import { startCuttingProxy, type Cut } from './support/cuttingProxy.js';
import {
  retryingClients,
  type RetryingClient,
  type RetryingClientOptions,
} from './support/retryingClients.js';

const QUERY = '{ notifications { __typename messages } }';
const DELETION = `mutation { deleteNotification(notificationGuid: "${SEED_GUID}") { __typename messages } }`;
const TRACKING =
  'mutation ($input: TrackShipmentInput!) { trackShipment(input: $input) { __typename tracked } }';
const SEVERAL_DELETIONS = `mutation { one: deleteNotification(notificationGuid: "${SEED_GUID}") { messages } two: deleteNotification(notificationGuid: "${SEED_GUID}") { messages } }`;
const BULK_DELETION = `mutation { deleteNotifications(items: [{ notificationGuid: "${SEED_GUID}" }]) { __typename applied } }`;
const CREATION =
  'mutation ($input: NotificationInput!) { createNotification(input: $input) { notificationGuid evidence } }';
const WITHOUT_KEYS = { idempotencyKeys: false };
const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const listed = {
  data: { notifications: { __typename: 'NotificationList', messages: [] } },
  errors: [],
};
const deletion = { __typename: 'DeleteNotificationPayload', messages: [] };
const tracking = { __typename: 'TrackShipmentPayload', tracked: true };
const tracked = { data: { trackShipment: tracking }, errors: [] };
const deleted = { data: { deleteNotification: deletion }, errors: [] };
const failed = (field: string, code: string) => ({ data: { [field]: null }, errors: [code] });
const rateLimited = (seconds: number): Fault => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
});

/** It does not retry, so that each request makes one REST call. */
const options = {
  readsBack: false,
  env: { IDEMPOTENCY_STORE: 'memory' },
  config: { service: { retries: 0 } },
};
const gateway = useGateway(options);
beforeEach(() => {
  gateway.takeCalls();
  gateway.injectFault(({ method }) => (method === 'DELETE' ? { status: 204 } : undefined)); // however often
});

describe.each(retryingClients)('%s', (_name, create) => {
  /** Waits so far, in milliseconds; none of them takes time. */
  let waits: number[];
  const connect = (url: string, options: Partial<RetryingClientOptions> = {}): RetryingClient => {
    waits = [];
    const wait = (delayMs: number) => {
      waits.push(delayMs);
      return Promise.resolve();
    };
    return create({ url, wait, random: () => 0.5, ...options });
  };

  /** Every REST call and every wait while an operation meets these faults. */
  const send = async (
    faults: Fault[],
    query: string,
    variables?: Record<string, unknown>,
    options?: Partial<RetryingClientOptions>,
  ) => {
    gateway.injectFaults(...faults);
    const result = await connect(gateway.url, options).send(query, variables);
    return { ...result, calls: gateway.takeCalls().map(({ method }) => method), waits };
  };

  test('repeats a query after retryAfterSeconds', async () => {
    expect(await send([rateLimited(7), rateLimited(2)], QUERY)).toEqual({
      ...listed,
      calls: ['GET', 'GET', 'GET'],
      waits: [7000, 2000],
    });
  });

  test('repeats a query with backoff and jitter if the error names no wait', async () => {
    expect(await send([{ status: 503 }, { disconnect: 'midBody' }], QUERY)).toEqual({
      ...listed,
      calls: ['GET', 'GET', 'GET'],
      waits: [500, 1000],
    });
  });

  test('gives up after three attempts', async () => {
    expect(await send([1, 2, 3].map(rateLimited), QUERY)).toEqual({
      ...failed('notifications', 'RATE_LIMITED'),
      calls: ['GET', 'GET', 'GET'],
      waits: [1000, 2000],
    });
  });

  test('does not repeat a query of which one error is not retryable', async () => {
    const query = `{ notifications { messages } notification(notificationGuid: "${SEED_GUID}") { filters } }`;
    const { errors, calls, waits } = await send([rateLimited(1), { status: 403 }], query);
    expect({ codes: errors.sort(), calls, waits }).toEqual({
      codes: ['FORBIDDEN', 'RATE_LIMITED'],
      calls: ['GET', 'GET'],
      waits: [],
    });
  });

  test('repeats a mutation that was not applied', async () => {
    expect(await send([rateLimited(3)], DELETION)).toEqual({
      ...deleted,
      calls: ['DELETE', 'DELETE'],
      waits: [3000],
    });
  });

  test.each<[failure: string, fault: Fault, code: string]>([
    ['a 503', { status: 503, headers: { 'retry-after': '1' } }, 'SERVICE_ERROR'],
    ['a lost connection', { disconnect: 'beforeResponse' }, 'SERVICE_ERROR'],
    ['an invalid response', { status: 302 }, 'SERVICE_RESPONSE_INVALID'],
  ])(
    'never repeats a mutation without a key whose outcome is unknown after %s',
    async (_failure, fault, code) => {
      expect(await send([fault], DELETION, {}, WITHOUT_KEYS)).toEqual({
        ...failed('deleteNotification', code),
        calls: ['DELETE'],
        waits: [],
      });
    },
  );

  test('does not repeat a mutation of which another field was applied', async () => {
    const field = (alias: string) =>
      `${alias}: deleteNotification(notificationGuid: "${alias}") { __typename messages }`;
    gateway.injectFaults({ status: 200 }, rateLimited(1));
    const result = await connect(gateway.url).send(`mutation { ${field('one')} ${field('two')} }`);
    expect({ ...result, calls: gateway.takeCalls().length, waits }).toEqual({
      data: { one: deletion, two: null },
      errors: ['RATE_LIMITED'],
      calls: 2,
      waits: [],
    });
  });

  describe('if failures are data', () => {
    const REPORT = '__typename outcome errors { __typename code retryable retryAfterSeconds }';
    const withReport = (field: string) => `${field}(notificationGuid: "${SEED_GUID}") { ${REPORT} }`;
    const payload = (outcome: string, ...errors: object[]) => ({
      __typename: 'DeleteNotificationPayload',
      outcome,
      errors: errors.map((error) => ({ __typename: 'WriteError', ...error })),
    });
    const one = `mutation { ${withReport('deleteNotification')} }`;

    test('repeats a mutation that was not applied', async () => {
      expect(await send([rateLimited(3)], one)).toEqual({
        data: { deleteNotification: payload('APPLIED') },
        errors: [],
        calls: ['DELETE', 'DELETE'],
        waits: [3000],
      });
    });

    test('does not repeat one that fails for good, and neither throws nor reports an error', async () => {
      const forbidden = { code: 'FORBIDDEN', retryable: false, retryAfterSeconds: null };
      expect(await send([{ status: 403 }], one)).toEqual({
        data: { deleteNotification: payload('NOT_APPLIED', forbidden) },
        errors: [],
        calls: ['DELETE'],
        waits: [],
      });
    });

    test('does not repeat one that does not select `retryable`', async () => {
      const query = one.replace(' retryable retryAfterSeconds', '');
      expect((await send([rateLimited(3)], query)).calls).toEqual(['DELETE']);
    });
  });

  test.each([QUERY, DELETION])('repeats what the gateway itself rejects with 429: %s', async (operation) => {
    const gateway = await start({ RATE_LIMIT: '1/8s' });
    await gateway.data('{ __typename }');
    const { errors } = await connect(gateway.url).send(operation);
    expect([errors, waits.length, gateway.takeCalls()]).toEqual([['RATE_LIMITED'], 2, []]);
    for (const delayMs of waits) {
      expect(delayMs).toBeGreaterThanOrEqual(1000);
      expect(delayMs).toBeLessThanOrEqual(8000);
    }
  });

  describe.each<[failure: string, respond: RequestListener, waits: number[]]>([
    ['the connection fails', ({ socket }) => socket.destroy(), [500, 1000]],
    [
      'a proxy responds with 503',
      (_request, response) => response.writeHead(503, { 'retry-after': '4' }).end('<html></html>'),
      [4000, 4000],
    ],
  ])('if %s', (_failure, respond, expectedWaits) => {
    test('repeats a query', async () => {
      const proxy = await startProxy(respond);
      const { errors } = await connect(proxy.url).send(QUERY);
      expect([errors, proxy.requests(), waits]).toEqual([['network'], 3, expectedWaits]);
    });

    test.each([
      ['without a key', DELETION, WITHOUT_KEYS],
      ['with several fields, which has no key', SEVERAL_DELETIONS, {}],
      ['with a bulk field, whose items have keys of their own', BULK_DELETION, {}],
    ])('never repeats a mutation %s', async (_kind, mutation, options) => {
      const proxy = await startProxy(respond);
      const { errors } = await connect(proxy.url, options).send(mutation);
      expect([errors, proxy.requests(), waits]).toEqual([['network'], 1, []]);
    });

    test('repeats a mutation with its key', async () => {
      const proxy = await startProxy(respond);
      const { errors } = await connect(proxy.url).send(DELETION);
      expect([errors, proxy.requests(), waits]).toEqual([['network'], 3, expectedWaits]);
      expect(proxy.keys()).toEqual(Array(3).fill(proxy.keys()[0]));
      expect(proxy.keys()[0]).toMatch(UUID_V4);
    });
  });

  test.each([
    ['a query', QUERY],
    ['a mutation with its key', DELETION],
  ])('does not repeat %s after a permanent error of a proxy', async (_kind, operation) => {
    const proxy = await startProxy((_request, response) => response.writeHead(404).end());
    const { errors } = await connect(proxy.url).send(operation);
    expect([errors, proxy.requests(), waits]).toEqual([['network'], 1, []]);
  });

  test('sends no key with a bulk mutation, which the gateway would reject', async () => {
    const payload = { __typename: 'DeleteNotificationsPayload', applied: 1 };
    const expected = { data: { deleteNotifications: payload }, errors: [], calls: ['DELETE'], waits: [] };
    expect(await send([], BULK_DELETION)).toEqual(expected);
    const inFragment = BULK_DELETION.replace('mutation {', 'mutation { ...F } fragment F on Mutation {');
    expect((await send([], inFragment)).data).toMatchObject(expected.data);
  });

  test('repeats a bulk mutation whose response was lost if each item has a key, and sends no header', async () => {
    const items = [SEED_GUID, 'other'].map((notificationGuid) => ({
      notificationGuid,
      idempotencyKey: randomUUID(),
    }));
    const asVariable =
      'mutation ($items: [DeleteNotificationItem!]!) { deleteNotifications(items: $items) { __typename applied notApplied } }';
    const inLiteral = `mutation ($key: ID!) { deleteNotifications(items: [{ notificationGuid: "other", idempotencyKey: $key }]) { __typename applied notApplied } }`;
    const sent: [mutation: string, variables: Record<string, unknown>, applied: number, requests: number][] =
      [
        [asVariable, { items }, 2, 2],
        [inLiteral, { key: randomUUID() }, 1, 2],
      ];
    for (const [mutation, variables, applied, requests] of sent) {
      const proxy = await startProxyTo(gateway, ['beforeResponse']);
      const { data, errors } = await connect(proxy.url).send(mutation, variables);
      expect([data, errors, proxy.keys]).toMatchObject([
        { deleteNotifications: { applied } },
        [],
        Array<undefined>(requests).fill(undefined),
      ]);
    }
    const withoutKey = { items: [{ ...items[0], idempotencyKey: null }] };
    const proxy = await startProxyTo(gateway, ['beforeResponse']);
    expect((await connect(proxy.url).send(asVariable, withoutKey)).errors).toEqual(['network']);
    expect(proxy.keys).toHaveLength(1);
  });

  test.each([
    ['', [], []],
    [
      ' without what React Native and older browsers lack',
      ['timeout', 'any'] as const,
      ['DOMException', 'crypto'],
    ],
  ])(
    'ends an attempt without a response after the timeout, and repeats it with its key%s',
    async (_where, missing, missingGlobals) => {
      for (const name of missingGlobals) vi.stubGlobal(name, undefined);
      onTestFinished(() => void vi.unstubAllGlobals());
      for (const name of missing) {
        const method = Object.getOwnPropertyDescriptor(AbortSignal, name) ?? {};
        Object.defineProperty(AbortSignal, name, { ...method, value: undefined });
        onTestFinished(() => void Object.defineProperty(AbortSignal, name, method));
      }
      const proxy = await startProxyTo(gateway, [() => new Promise(() => undefined)]);
      const client = connect(proxy.url, { timeoutMs: 1_000 });
      expect(await client.send(TRACKING, validArguments('trackShipment'))).toEqual(tracked);
      expect([waits, proxy.keys.length, new Set(proxy.keys).size]).toEqual([[500], 2, 1]);
      expect(proxy.keys[0]).toMatch(UUID_V4);
      expect(gateway.takeCalls()).toHaveLength(1);
    },
  );

  test('ends an attempt whose body does not end', async () => {
    const proxy = await startProxy((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    );
    const { errors } = await connect(proxy.url, { timeoutMs: 1_000 }).send(QUERY);
    expect([errors, proxy.requests()]).toEqual([['network'], 3]);
  });

  test('waits longer than the gateway takes at most', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const interval = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => void vi.restoreAllMocks());
    await connect(gateway.url).send(QUERY);
    const { graphql, service } = parseConfig({});
    const longestMs = graphql.bulkTimeoutMs + 1.4 * service.timeoutMs; // docs/configuration.md
    expect(REQUEST_TIMEOUT_MS).toBeGreaterThan(longestMs);
    const delays = [...set.mock.calls, ...interval.mock.calls].map(([, delayMs]) => delayMs);
    expect(delays).toContain(REQUEST_TIMEOUT_MS);
  });

  describe('tells of each wait', () => {
    /** An operation that the service rejects for a second, and the event of its wait. */
    const startWaiting = async (operation: string, variables = {}, faults = [rateLimited(9)]) => {
      gateway.injectFaults(...faults);
      const events: RetryWait[] = [];
      const ended: number[] = [];
      let endWait = () => {};
      const wait = () =>
        new Promise<void>((resolve) => {
          endWait = resolve;
        });
      const client = connect(gateway.url, {
        wait,
        onWait: (event) => {
          events.push(event);
          void event.ended.then(() => ended.push(event.attempt));
        },
      });
      const result = client.send(operation, variables);
      await until(() => events.length === 1);
      return { client, events, ended, result, endWait: () => endWait() };
    };
    const NAMED = TRACKING.replace('mutation ', 'mutation Track ');

    test('with its time and with what is known, until it is over', async () => {
      const variables = validArguments('trackShipment');
      const faults = [rateLimited(9), rateLimited(9)];
      const { events, ended, result, endWait } = await startWaiting(NAMED, variables, faults);
      const [event] = events;
      expect(event).toMatchObject({ operationName: 'Track', variables, attempt: 2 });
      const leftMs = (event?.retryAt ?? 0) - Date.now();
      expect([leftMs > 8000, leftMs <= 9000]).toEqual([true, true]);
      expect(resultOf(event?.source, 'trackShipment')).toMatchObject({
        outcome: 'NOT_APPLIED',
        nextStep: 'REPEAT',
        errors: [{ code: 'RATE_LIMITED' }],
      });
      expect(ended).toEqual([]);
      endWait();
      await until(() => events.length === 2);
      expect([ended, events[1]?.attempt]).toEqual([[2], 3]);
      endWait();
      expect(await result).toEqual(tracked);
      expect([ended, events.length, gateway.takeCalls().length]).toEqual([[2, 3], 2, 3]);
    });

    test('which the user can end: the operation ends with what is known', async () => {
      const { events, ended, result } = await startWaiting(NAMED, validArguments('trackShipment'));
      events[0]?.cancel();
      events[0]?.cancel();
      expect(await result).toEqual(failed('trackShipment', 'RATE_LIMITED'));
      expect([ended, gateway.takeCalls().length]).toEqual([[2], 1]);
    });
  });

  describe('with a key', () => {
    test.each<[failure: string, fault: Fault]>([
      ['a 503', { status: 503 }],
      ['a lost connection', { disconnect: 'beforeResponse' }],
    ])('repeats a deletion whose outcome is unknown after %s', async (_failure, fault) => {
      expect(await send([fault], DELETION)).toEqual({
        ...deleted,
        calls: ['DELETE', 'DELETE'],
        waits: [500],
      });
    });

    test('does not repeat a tracking request whose outcome is unknown', async () => {
      expect(await send([{ status: 503 }], TRACKING, validArguments('trackShipment'))).toEqual({
        ...failed('trackShipment', 'SERVICE_ERROR'),
        calls: ['POST'],
        waits: [],
      });
    });

    test('does not repeat a mutation if the gateway has keys switched off', async () => {
      const gateway = await start({ IDEMPOTENCY_STORE: 'off' });
      expect(await connect(gateway.url).send(DELETION)).toEqual(
        failed('deleteNotification', 'IDEMPOTENCY_UNAVAILABLE'),
      );
      expect(waits).toEqual([]);
      expect(await connect(gateway.url, WITHOUT_KEYS).send(DELETION)).toEqual(deleted);
    });

    test.each<[place: string, cut: Cut]>([
      ['before', 'beforeResponse'],
      ['within', 'midResponse'],
    ])('creates one notification if connections are lost %s two responses', async (_place, cut) => {
      const proxy = await startProxyTo(gateway, [cut, cut]);
      const { data, errors } = await connect(proxy.url).send(CREATION, validArguments('createNotification'));
      const calls = gateway.takeCalls();
      expect(calls.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
      expect(data).toMatchObject({
        createNotification: { notificationGuid: calls[1]?.path.split('/').pop() },
      });
      expect([errors, waits]).toEqual([[], [500, 1000]]);
      expect(proxy.keys).toEqual(Array(3).fill(proxy.keys[0]));
      expect(proxy.keys[0]).toMatch(UUID_V4);
      expect(proxy.responses.map((text) => text.includes('"evidence":"REPLAY"'))).toEqual([
        false,
        true,
        true,
      ]);
    });

    test.each([
      ['data', 'outcome evidence errors { code retryable retryAfterSeconds }'],
      ['GraphQL errors', 'tracked'],
    ])(
      'does not take a repeat that was not sent for the outcome of the attempt before, with failures as %s',
      async (_name, fields) => {
        const gateway = await start({ RATE_LIMIT: '1/60s' });
        const proxy = await startProxyTo(gateway, ['beforeResponse']);
        const mutation = `mutation ($input: TrackShipmentInput!) { trackShipment(input: $input) { ${fields} } }`;
        const { errors } = await connect(proxy.url).send(mutation, validArguments('trackShipment'));
        expect([errors, proxy.keys.length, gateway.takeCalls().length]).toEqual([['network'], 2, 1]);
        expect(proxy.responses[1]).toContain('RATE_LIMITED');
      },
    );

    test('is not sent again after the gateway has forgotten it, as after a device was asleep', async () => {
      const proxy = await startProxyTo(gateway, ['beforeResponse']);
      const wait = () => {
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
        onTestFinished(() => void vi.useRealTimers());
        return Promise.resolve();
      };
      const { errors } = await connect(proxy.url, { wait }).send(
        CREATION,
        validArguments('createNotification'),
      );
      expect([errors, proxy.keys.length]).toEqual([['network'], 1]);
    });

    test('waits while the first attempt is in progress', async () => {
      const { opened, open } = createGate();
      gateway.injectFaults({ heldUntil: opened });
      const methods: string[] = [];
      const isCalled = () => {
        methods.push(...gateway.takeCalls().map(({ method }) => method));
        return methods.length > 0;
      };
      const proxy = await startProxyTo(gateway, [() => until(isCalled)]);
      const wait = (delayMs: number) => {
        waits.push(delayMs);
        if (waits.length === 3) open();
        return delay(20);
      };
      const client = connect(proxy.url, { wait, maxAttempts: 1000 });
      expect(await client.send(TRACKING, validArguments('trackShipment'))).toEqual(tracked);
      expect([...methods, ...gateway.takeCalls()]).toEqual(['POST']);
      expect(waits.length).toBeGreaterThan(1);
      // The network failure has no wait of its own; each IDEMPOTENCY_IN_PROGRESS asks for one second.
      expect(new Set(waits.slice(1))).toEqual(new Set([1000]));
      expect(new Set(proxy.keys).size).toBe(1);
    });

    test('is the argument of the operation if it has one', async () => {
      const proxy = await startProxyTo(gateway, ['beforeResponse']);
      const mutation =
        'mutation ($input: TrackShipmentInput!, $key: ID) { trackShipment(input: $input, idempotencyKey: $key) { __typename tracked } }';
      const variables = { ...validArguments('trackShipment'), key: randomUUID() };
      for (let count = 0; count < 2; count += 1)
        expect(await connect(proxy.url).send(mutation, variables)).toEqual(tracked);
      expect(gateway.takeCalls().map(({ method }) => method)).toEqual(['POST']);
      expect(proxy.keys).toHaveLength(3);
    });

    test('is sent for one field in fragments, and neither for several nor with a query', async () => {
      const proxy = await startProxyTo(gateway);
      const client = connect(proxy.url);
      const inFragments = (fields: string) =>
        `mutation { __typename ... { ...Fields } } fragment Fields on Mutation { ${fields} }`;
      const field = (alias: string) =>
        `${alias}: deleteNotification(notificationGuid: "${alias}") { __typename messages }`;
      gateway.injectFaults({}, { status: 200 }, { status: 200 }, { status: 200 });
      for (const operation of [QUERY, inFragments(field('one') + field('two')), inFragments(field('one'))])
        expect(await client.send(operation)).toMatchObject({ errors: [] });
      expect(proxy.keys).toEqual([undefined, undefined, expect.stringMatching(UUID_V4)]);
    });
  });

  test('stops when nobody waits for the result any more', async () => {
    gateway.injectFault(rateLimited(1));
    let endWait = () => {};
    const wait = (delayMs: number) => {
      waits.push(delayMs);
      return new Promise<void>((resolve) => {
        endWait = resolve;
      });
    };
    const unsubscribe = connect(gateway.url, { wait }).watch(QUERY);
    await until(() => waits.length === 1);
    unsubscribe();
    endWait();
    // Another operation, after which a repeated request would have arrived, too.
    await gateway.execute(DELETION);
    expect(gateway.takeCalls().map(({ method }) => method)).toEqual(['GET', 'DELETE']);
  });
});

test('Apollo Client stops when its signal is aborted during a wait', async () => {
  gateway.injectFault(rateLimited(1));
  const waits: number[] = [];
  const wait = (delayMs: number) => {
    waits.push(delayMs);
    return new Promise<void>(() => undefined);
  };
  const httpLink = new HttpLink({ uri: gateway.url, headers: { authorization: `Bearer ${TOKEN}` } });
  const client = new ApolloClient({
    link: ApolloLink.from([createRetryLink({ wait }), httpLink]),
    cache: new InMemoryCache(),
  });
  const abort = new AbortController();
  const result = client.query({ query: gql(QUERY), context: { fetchOptions: { signal: abort.signal } } });
  const rejected = expect(result).rejects.toMatchObject({ name: 'AbortError' });
  await until(() => waits.length === 1);
  abort.abort();
  await rejected;
  expect(gateway.takeCalls()).toHaveLength(1);
});

describe('The delay of a retry', () => {
  const failure: FailedAttempt = { attempt: 1, isMutation: false, source: new TypeError('fetch failed') };
  const delayWith = (random: number, options = {}) =>
    retryDelayMs(failure, { random: () => random, ...options });

  test('is spread over the whole interval by the jitter', () => {
    expect([0, 0.25, 1].map((random) => delayWith(random))).toEqual([0, 250, 1000]);
  });

  test('is undefined once maxAttempts are used up', () => {
    expect([delayWith(0.5, { maxAttempts: 2 }), delayWith(0.5, { maxAttempts: 1 })]).toEqual([
      500,
      undefined,
    ]);
  });

  test('is the longest that an error asks for', () => {
    const errors = [3, undefined, 9].map((retryAfterSeconds) => ({
      extensions: { code: 'RATE_LIMITED', retryable: true, requestId: 'a', retryAfterSeconds },
    }));
    expect(retryDelayMs({ ...failure, source: { errors } })).toBe(9000);
  });

  test.each([
    ['7', 7000],
    ['11', undefined],
    ['Wed, 21 Oct 2026 07:28:08 GMT', 8000],
    ['Wed, 21 Oct 2026 07:29:00 GMT', undefined], // a minute
    ['Wed, 21 Oct 2026 07:27:00 GMT', 500],
    ['soon', 500],
  ])('follows Retry-After: %s', (after, expected) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 9, 21, 7, 28) });
    onTestFinished(() => void vi.useRealTimers());
    const source = new Response('', { status: 503, headers: { 'retry-after': after } });
    expect(retryDelayMs({ ...failure, source }, { random: () => 0.5 })).toBe(expected);
  });

  test('is undefined after an empty list of errors', () => {
    expect(retryDelayMs({ ...failure, source: { errors: [] } })).toBeUndefined();
  });

  test('is undefined after an error that is not the gateway’s', () => {
    const errors = [{ extensions: { code: 'RATE_LIMITED' } }];
    expect(retryDelayMs({ ...failure, source: { errors } })).toBeUndefined();
  });
});

describe('A browser that says it is offline', () => {
  const listeners = new Set<() => void>();
  const startWaiting = () => {
    vi.useFakeTimers();
    vi.stubGlobal('navigator', { onLine: false });
    vi.stubGlobal('addEventListener', (_type: string, listener: () => void) => listeners.add(listener));
    vi.stubGlobal('removeEventListener', (_type: string, listener: () => void) => listeners.delete(listener));
    onTestFinished(() => {
      vi.useRealTimers();
      vi.unstubAllGlobals();
      listeners.clear();
    });
    const onEnd = vi.fn();
    void waitOnline(500).then(onEnd);
    return onEnd;
  };

  test('is believed until its event `online`', async () => {
    const onEnd = startWaiting();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(onEnd).not.toHaveBeenCalled();
    for (const listener of listeners) listener();
    await vi.advanceTimersByTimeAsync(0);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  test('is believed for 30 seconds at most', async () => {
    const onEnd = startWaiting();
    await vi.advanceTimersByTimeAsync(30_499);
    expect([onEnd.mock.calls.length, listeners.size]).toEqual([0, 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect([onEnd.mock.calls.length, listeners.size]).toEqual([1, 0]);
  });
});

/** Another gateway, with these variables. */
const start = (env: Record<string, string>) =>
  forTest(startGateway({ ...options, env: { ...options.env, ...env } }));

/** A server in place of the gateway. */
async function startProxy(respond: RequestListener) {
  const keys: unknown[] = [];
  const proxy = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    respond(request, response);
  });
  const { url } = await forTest(serve(proxy));
  return { url: `${url}/graphql`, requests: () => keys.length, keys: () => keys };
}

/** A TCP proxy in front of the gateway, which loses connections at these places, one for each request. */
const startProxyTo = ({ url }: TestGateway, cuts: Cut[] = []) => forTest(startCuttingProxy(url, cuts));
