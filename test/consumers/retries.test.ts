/** The sample front end sends an operation again exactly if the errors of the gateway allow it. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { cacheExchange, Client, fetchExchange } from '@urql/core';
import { NEVER } from 'rxjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fromValue } from 'wonka';
import type { Fault } from '../../src/reference-service/referenceService.js';
import { startGateway, TOKEN, type TestGateway } from '../support/gateway/gateway.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';
import { until } from '../support/tools/waiting.js';
import { createRetryLink } from './frontEnd/apolloRetryLink.js';
import { unknownShipment } from './frontEnd/inputs.js';
import { retryDelayMs, type FailedAttempt } from './frontEnd/retryDelay.js';
import { createRetryExchange } from './frontEnd/urqlRetryExchange.js';
import {
  retryingClients,
  type RetryingClient,
  type RetryingClientOptions,
} from './support/retryingClients.js';

const QUERY = '{ notifications { __typename totalPossibleCount } }';
const DELETION = `mutation { deleteNotification(notificationGuid: "${SEED_GUID}") { __typename messages } }`;
const TRACKING = 'mutation ($input: TrackShipmentInput!) { trackShipment(input: $input) { tracked } }';
const listed = {
  data: { notifications: { __typename: 'NotificationList', totalPossibleCount: 36 } },
  errors: [],
};
const deletion = { __typename: 'DeleteNotificationPayload', messages: [] };
const deleted = { data: { deleteNotification: deletion }, errors: [] };
const failed = (field: string, code: string) => ({ data: { [field]: null }, errors: [code] });
interface List {
  notifications: { totalPossibleCount: number };
}
const rateLimited = (seconds: number): Fault => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
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
  const send = async (faults: Fault[], query: string, variables?: Record<string, unknown>) => {
    const gateway = await start();
    gateway.injectFaults(...faults);
    const result = await connect(gateway.url).send(query, variables);
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
    expect(await send([1, 2, 3, 4].map(rateLimited), QUERY)).toEqual({
      ...failed('notifications', 'RATE_LIMITED'),
      calls: ['GET', 'GET', 'GET'],
      waits: [1000, 2000],
    });
  });

  test('does not wait longer than the user would', async () => {
    expect(await send([rateLimited(11)], QUERY)).toEqual({
      ...failed('notifications', 'RATE_LIMITED'),
      calls: ['GET'],
      waits: [],
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
  ])('never repeats a mutation whose outcome is unknown after %s', async (_failure, fault, code) => {
    expect(await send([fault], DELETION)).toEqual({
      ...failed('deleteNotification', code),
      calls: ['DELETE'],
      waits: [],
    });
  });

  test('does not repeat a mutation that fails for good', async () => {
    expect(await send([], TRACKING, { input: unknownShipment })).toEqual({
      ...failed('trackShipment', 'NOT_FOUND'),
      calls: ['POST'],
      waits: [],
    });
  });

  test('does not repeat a mutation of which another field was applied', async () => {
    const field = (alias: string) =>
      `${alias}: deleteNotification(notificationGuid: "${alias}") { __typename messages }`;
    const gateway = await start();
    gateway.injectFaults({ status: 200 }, rateLimited(1));
    const result = await connect(gateway.url).send(`mutation { ${field('one')} ${field('two')} }`);
    expect({ ...result, calls: gateway.takeCalls().length, waits }).toEqual({
      data: { one: deletion, two: null },
      errors: ['RATE_LIMITED'],
      calls: 2,
      waits: [],
    });
  });

  test('does not repeat a request that is invalid', async () => {
    expect(await send([], '{ color }')).toEqual({
      data: undefined,
      errors: ['GRAPHQL_VALIDATION_FAILED'],
      calls: [],
      waits: [],
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

    test('never repeats a mutation', async () => {
      const proxy = await startProxy(respond);
      const { errors } = await connect(proxy.url).send(DELETION);
      expect([errors, proxy.requests(), waits]).toEqual([['network'], 1, []]);
    });
  });

  test('does not repeat a query after a permanent error of a proxy', async () => {
    const proxy = await startProxy((_request, response) => response.writeHead(404).end());
    const { errors } = await connect(proxy.url).send(QUERY);
    expect([errors, proxy.requests(), waits]).toEqual([['network'], 1, []]);
  });

  test('waits for a timer by default', async () => {
    const gateway = await start();
    gateway.injectFaults({ status: 503 });
    const client = connect(gateway.url, { wait: undefined, backoffMs: 1 });
    expect(await client.send(QUERY)).toEqual(listed);
    expect(gateway.takeCalls()).toHaveLength(2);
  });

  test('stops when nobody waits for the result any more', async () => {
    const gateway = await start();
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

  test('counts the attempts of each operation separately', async () => {
    const gateway = await start();
    const client = connect(gateway.url);
    for (const seconds of [1, 2, 3]) {
      gateway.injectFaults(rateLimited(seconds), rateLimited(seconds));
      expect(await client.send(QUERY)).toEqual(listed);
    }
    expect(waits).toEqual([1000, 1000, 2000, 2000, 3000, 3000]);
  });
});

test('Apollo Client stops when its signal is aborted during a wait', async () => {
  const gateway = await start();
  gateway.injectFault(rateLimited(1));
  const waits: number[] = [];
  const wait = (delayMs: number) => {
    waits.push(delayMs);
    return NEVER;
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

test('urql counts from one again when its cache repeats a query', async () => {
  const gateway = await start();
  const client = new Client({
    url: gateway.url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${TOKEN}` } },
    exchanges: [cacheExchange, createRetryExchange({ wait: () => fromValue(0) }), fetchExchange],
  });
  const counts: unknown[] = [];
  gateway.injectFaults(rateLimited(1), rateLimited(1));
  const subscription = client.query<List>(QUERY, {}).subscribe(({ data }) => {
    counts.push(data?.notifications.totalPossibleCount);
  });
  await until(() => counts.length === 1);
  gateway.injectFaults({}, rateLimited(1), rateLimited(1));
  await client.mutation(DELETION, {}, { additionalTypenames: ['NotificationList'] });
  await until(() => counts.length > 1 && counts.at(-1) !== 36);
  subscription.unsubscribe();
  expect(counts.at(-1)).toBe(35);
  const reads = ['GET', 'GET', 'GET'];
  expect(gateway.takeCalls().map(({ method }) => method)).toEqual([...reads, 'DELETE', ...reads]);
});

describe('The delay of a retry', () => {
  const failure: FailedAttempt = { attempt: 1, isMutation: false, errors: undefined };
  const delayWith = (random: number, options = {}) =>
    retryDelayMs(failure, { random: () => random, ...options });

  test('is spread over the whole interval by the jitter', () => {
    expect([0, 0.25, 1].map((random) => delayWith(random))).toEqual([0, 250, 1000]);
  });

  test('is random by default', () => {
    const delays = Array.from({ length: 100 }, () => retryDelayMs(failure));
    expect(new Set(delays).size).toBeGreaterThan(10);
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
    expect(retryDelayMs({ ...failure, errors })).toBe(9000);
  });

  test('is undefined after an empty list of errors', () => {
    expect(retryDelayMs({ ...failure, errors: [] })).toBeUndefined();
  });

  test('is undefined after an error that is not the gateway’s', () => {
    const errors = [{ extensions: { code: 'RATE_LIMITED', retryable: true } }];
    expect(retryDelayMs({ ...failure, errors })).toBeUndefined();
  });
});

/** A gateway that does not retry, so that each request makes one REST call. */
async function start(env: Record<string, string> = {}): Promise<TestGateway> {
  const gateway = await startGateway({ env: { SERVICE_RETRIES: '0', ...env } });
  onTestFinished(() => gateway.stop());
  return gateway;
}

async function startProxy(respond: RequestListener): Promise<{ url: string; requests(): number }> {
  let requests = 0;
  const proxy = createServer((request, response) => {
    requests += 1;
    respond(request, response);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/graphql`,
    requests: () => requests,
  };
}
