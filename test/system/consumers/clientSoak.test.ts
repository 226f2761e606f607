/** A list of thousands through the package for front ends, while connections are cut, the page reloads, and tokens expire. */
import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createBatch } from '../../../src/client/batch.js';
import type { NextStep } from '../../../src/client/index.js';
import { createList } from '../../../src/client/list.js';
import { startCutProxy } from '../../consumers/support/cuttingProxy.js';
import { startInProcessGateway } from '../../support/gateway/inProcessGateway.js';
import { validArguments } from '../../support/graphql/rootFields.js';
import { serve } from '../../support/http/serve.js';
import { seededRandom, type SeededRandom } from '../../support/tools/seededRandom.js';
import { sizes } from '../../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs });

const BULK =
  'mutation ($items: [TrackShipmentItem!]!, $dryRun: Boolean!) { trackShipments(items: $items, dryRun: $dryRun) { results { outcome evidence errors { code message retryable retryAfterSeconds requestId inputPath rule } } } }';
const { input } = validArguments('trackShipment') as { input: { driverPhoneNumber: string } };
/** Of the shipment that does not exist. */
const UNKNOWN_SHIPMENT = {
  hauler: { freightProviderReferenceNumber: 'none', freightHaulerProviderXid: 'none' },
};
const ITEMS = sizes.isLong ? 10_000 : 600;
/** In REST calls, of which there are more than items: so that the same happens however fast the machine is. */
const CUT_EVERY = 70;
const EXPIRE_EVERY = 250;
const RELOAD_EVERY = 160;

/** The next steps in which an item may end. */
const ENDS: NextStep[] = ['NONE', 'CORRECT', 'DECIDE'];

type Load = { input: typeof input };

test('nothing is applied twice, and the outcomes are those that the service counts', async () => {
  const random = seededRandom('the soak of the package for front ends');
  let isTokenValid = true;
  let expiries = 0;
  const page = new EventEmitter();
  const service = await startService(
    random,
    () => isTokenValid,
    (calls) => {
      if (calls % CUT_EVERY === 0) proxy.cut();
      if (calls % EXPIRE_EVERY === 0) {
        isTokenValid = false;
        expiries += 1;
      }
      if (calls % RELOAD_EVERY === 0) page.emit('reload');
    },
  );
  const gateway = await startInProcessGateway(service, {
    env: { IDEMPOTENCY_STORE: 'memory' },
    config: { service: { retries: 0 } },
  });
  onTestFinished(() => gateway.stop());
  const proxy = await startCutProxy(gateway.url);

  const items = Array.from({ length: ITEMS }, (_, number): Load => {
    const driverPhoneNumber = `+130355${String(10_000 + number)}`;
    const shipment = number % 50 === 0 ? { shipment: UNKNOWN_SHIPMENT } : {};
    return { input: { ...input, ...shipment, driverPhoneNumber } };
  });
  let stored: string | null = null;
  let reloads = 0;
  /** Of a page: after a reload, the requests of the one before go nowhere. */
  const open = (number: number) => {
    const list = createList<Load>({
      name: 'soak',
      storage: {
        getItem: () => stored,
        setItem(_key, saved) {
          if (number === reloads) stored = saved;
        },
      },
    });
    return createBatch({
      list,
      field: 'trackShipments',
      random: () => random.below(1000) / 1000,
      backoffMs: 50,
      maxAttempts: 20,
      async send(part, { dryRun }) {
        if (number !== reloads) return new Promise(() => undefined);
        const response = await fetch(proxy.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
          body: JSON.stringify({ query: BULK, variables: { items: part, dryRun } }),
          signal: AbortSignal.timeout(30_000),
        });
        const result: unknown = await response.json();
        return number === reloads ? result : new Promise(() => undefined);
      },
    });
  };

  let batch = open(0);
  batch.start(items);
  let run = batch.send({ onInvalidItem: 'SEND_OTHERS' });
  for (;;) {
    const isCutShort = await Promise.race([run.then(() => false), once(page, 'reload').then(() => true)]);
    if (isCutShort) {
      reloads += 1;
      batch = open(reloads);
    }
    const { items: rows } = batch.getSnapshot();
    if (!isCutShort && rows.every(({ nextStep }) => ENDS.includes(nextStep))) break;
    isTokenValid = true;
    // A check that was cut short has left items to be sent.
    const { repeat, send } = batch;
    run = repeat().then(() => send({ onInvalidItem: 'SEND_OTHERS' }));
  }

  const rows = batch.getSnapshot().items;
  const phonesOf = (...steps: NextStep[]) =>
    rows.flatMap(({ item, nextStep }) => (steps.includes(nextStep) ? [item.input.driverPhoneNumber] : []));
  const counts = ENDS.map((step) => `${phonesOf(step).length} ${step}`).join(', ');
  console.log(`${rows.length} items: ${counts}; ${service.applied.size} applied`);
  console.log(
    `${service.calls()} calls, ${proxy.cuts()} cuts, ${reloads} reloads, ${expiries} expired tokens`,
  );
  expect([proxy.cuts() > 0, reloads > 0, expiries > 0]).toEqual([true, true, true]);
  expect([...service.applied].filter(([, count]) => count > 1)).toEqual([]);
  expect(phonesOf(...ENDS)).toHaveLength(ITEMS);
  // What is said to be applied was, what is to be corrected was not, and of the rest nobody knows.
  expect(phonesOf('NONE').filter((phone) => !service.applied.has(phone))).toEqual([]);
  expect(phonesOf('CORRECT').filter((phone) => service.applied.has(phone))).toEqual([]);
  const known = new Set(phonesOf('NONE', 'DECIDE'));
  expect([...service.applied.keys()].filter((phone) => !known.has(phone))).toEqual([]);
});

/** A tracking service that loses responses, is rate limited, and counts what it applies. */
async function startService(
  random: SeededRandom,
  isTokenValid: () => boolean,
  onCall: (calls: number) => void,
) {
  const applied = new Map<string, number>();
  let calls = 0;
  const server = createHttpServer((request, response) => {
    void text(request).then((body) => {
      calls += 1;
      onCall(calls);
      const { DriverPhoneNumber: phone, FreightProviderReferenceNumber: reference } = JSON.parse(
        body,
      ) as Record<string, string>;
      const end = (status: number, content: string) =>
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(content);
      if (!isTokenValid()) return end(401, '{}');
      if (random.happens(0.02)) return end(429, '{}');
      if (reference === 'none') return end(404, '{}');
      const isLost = random.happens(0.01);
      if (!isLost || random.happens(0.5)) applied.set(phone ?? '', (applied.get(phone ?? '') ?? 0) + 1);
      if (isLost) return request.socket.destroy();
      return void setTimeout(() => end(200, 'true'), 40);
    });
  });
  const { url, stop } = await serve(server);
  return { url, applied, calls: () => calls, stop };
}
