/** Under overload the gateway rejects requests and stays healthy. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { startGateway, TOKEN, type TestGateway } from '../support/gateway/gateway.js';
import { validArguments, asVariables } from '../support/graphql/rootFields.js';
import { open, parseResponses, postOf, textOf } from '../support/http/rawHttp.js';

let limitedGateway: TestGateway;
let delayedGateway: TestGateway;
beforeAll(async () => {
  limitedGateway = await startGateway({ env: { MAX_IN_FLIGHT_REQUESTS: '2' } });
  delayedGateway = await startGateway({ env: { MAX_EVENT_LOOP_DELAY_MS: '100' } });
});
afterAll(async () => {
  await limitedGateway.stop();
  await delayedGateway.stop();
});

const list = asVariables('notifications', {});
const mutation = asVariables('trackShipment', validArguments('trackShipment'));

const overloaded = {
  status: 503,
  data: undefined,
  errors: [
    {
      message: 'The gateway is overloaded',
      extensions: {
        code: 'SERVICE_UNAVAILABLE',
        outcome: 'NOT_APPLIED',
        retryable: true,
        retryAfterSeconds: 1,
      },
    },
  ],
  calls: [],
};

async function healthOf({ url }: TestGateway) {
  const [live, ready] = await Promise.all(['/livez', '/readyz'].map((path) => fetch(new URL(path, url))));
  return [live?.status, ready?.status];
}

test('rejects requests beyond MAX_IN_FLIGHT_REQUESTS', async () => {
  limitedGateway.injectFault({ delayMs: 1500 });
  const inFlight = [limitedGateway.execute(list.query), limitedGateway.execute(list.query)];
  await expect.poll(() => limitedGateway.takeCalls().length, { interval: 10 }).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 200)); // until both are in flight
  expect(await executeAndRecord(limitedGateway, mutation)).toEqual(overloaded);
  expect((await limitedGateway.execute(list.query)).headers.get('retry-after')).toBe('1');
  expect(await healthOf(limitedGateway)).toEqual([200, 200]);
  expect((await Promise.all(inFlight)).map(({ status, errors }) => [status, errors])).toEqual([
    [200, undefined],
    [200, undefined],
  ]);
  limitedGateway.injectFault(undefined);
  expect((await limitedGateway.execute(list.query)).errors).toBeUndefined();
});

test('does not count responses that wait behind a slow one on their connection', async () => {
  limitedGateway.injectFault({ delayMs: 1500 });
  const socket = open(limitedGateway.url);
  const authorization = [`authorization: Bearer ${TOKEN}`];
  const received = textOf(socket);
  const waiting = postOf('{ __typename }').repeat(9) + postOf('{ __typename }', ['connection: close']);
  socket.write(postOf(list.query, authorization) + waiting);
  await expect.poll(() => limitedGateway.takeCalls().length, { interval: 10 }).toBe(1);
  expect(await limitedGateway.data('{ __typename }')).toEqual({ __typename: 'Query' });
  limitedGateway.injectFault(undefined);
  const responses = parseResponses(await received);
  expect(responses.map(({ status }) => status)).toEqual(Array<number>(11).fill(200));
});

test('rejects requests while the event-loop delay exceeds MAX_EVENT_LOOP_DELAY_MS', async () => {
  const until = performance.now() + 1000;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 150)); // until the delay has been measured
  expect(await executeAndRecord(delayedGateway, mutation)).toEqual(overloaded);
  expect(await healthOf(delayedGateway)).toEqual([200, 200]);
  await expect
    .poll(async () => (await delayedGateway.execute(list.query)).status, { timeout: 20_000 })
    .toBe(200);
});
