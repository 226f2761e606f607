/** With too much to do, the gateway turns requests away and stays alive. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { validArguments, asVariables } from '../support/graphql/rootFields.js';

let full: TestGateway;
let busy: TestGateway;
beforeAll(async () => {
  full = await startGateway({ env: { MAX_IN_FLIGHT_REQUESTS: '2' } });
  busy = await startGateway({ env: { MAX_EVENT_LOOP_DELAY_MS: '300' } });
});
afterAll(async () => {
  await full.stop();
  await busy.stop();
});

const list = asVariables('notifications', {});
const change = asVariables('trackShipment', validArguments('trackShipment'));

const turnedAway = {
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

test('of more requests in flight than MAX_IN_FLIGHT_REQUESTS the newest is turned away', async () => {
  full.injectFault({ delayMs: 1500 });
  const inFlight = [full.execute(list.query), full.execute(list.query)];
  await expect.poll(() => full.takeCalls().length, { interval: 10 }).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 200)); // until both are under way
  expect(await executeAndRecord(full, change)).toEqual(turnedAway);
  expect((await full.execute(list.query)).headers.get('retry-after')).toBe('1');
  expect(await healthOf(full)).toEqual([200, 200]);
  expect((await Promise.all(inFlight)).map(({ status, errors }) => [status, errors])).toEqual([
    [200, undefined],
    [200, undefined],
  ]);
  full.injectFault(undefined);
  expect((await full.execute(list.query)).errors).toBeUndefined();
});

test('while the event loop is held up for longer than MAX_EVENT_LOOP_DELAY_MS, requests are turned away', async () => {
  const until = performance.now() + 3000;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 150)); // until the delay was noticed
  expect(await executeAndRecord(busy, change)).toEqual(turnedAway);
  expect(await healthOf(busy)).toEqual([200, 200]);
  await expect.poll(async () => (await busy.execute(list.query)).status, { timeout: 20_000 }).toBe(200);
});
