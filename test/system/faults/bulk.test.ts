/** Bulk mutations are fair to other clients, and their outcomes true when a process dies at any moment. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startFaultGateway } from '../../support/gateway/faultGateway.js';
import { bulkOperation, itemAbout } from '../../support/graphql/bulkFields.js';
import { about } from '../../support/graphql/faultOperations.js';
import { post } from '../../support/http/post.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import type { Fault } from '../../support/service/faults.js';
import { sizes } from '../../support/tools/scale.js';
import { seededRandom } from '../../support/tools/seededRandom.js';
import { createGate, until } from '../../support/tools/waiting.js';

afterAll(() => killProcesses());

const LIST = 100;
const SELECTION = 'results { outcome evidence errors { code retryable } }';

test('While three bulk mutations of a client wait for the service, the read of another client waits for none of their calls', async () => {
  const gateway = await startFaultGateway();
  const held = createGate();
  onTestFinished(async () => {
    held.open();
    await gateway.stop();
  });
  const { service } = gateway;
  service.plan = ({ method }) =>
    method === 'POST' ? { kind: 'delay', until: () => held.opened } : undefined;
  const bulks = Promise.all(
    [0, 1, 2].map((bulk) => {
      const items = Array.from({ length: LIST }, (_, index) =>
        itemAbout('trackShipment', `bulk-${bulk}-${index}`),
      );
      return gateway.execute(bulkOperation('trackShipments', items, { selection: 'applied' }));
    }),
  );
  const sent = () => service.requests.filter(({ method }) => method === 'POST').length;
  await until(() => sent() === 96); // three times a quarter of SERVICE_CONNECTIONS
  const read = await gateway.execute(about('notification', 'meanwhile'), { token: 'reader' });
  expect([read.errors, sent()]).toEqual([undefined, 96]);
  held.open();
  expect((await bulks).map(({ data }) => data)).toEqual(Array(3).fill({ trackShipments: { applied: LIST } }));
});

interface Result {
  outcome: 'APPLIED' | 'NOT_APPLIED' | 'UNKNOWN';
  evidence: string | null;
  errors: { code: string; retryable: boolean }[];
}

test.skipIf(reasonToSkip('redis-server') !== undefined)(
  'Lists under faults, disconnects and deaths of processes have no untrue outcome, and each item is applied at most once',
  async () => {
    const redis = await startRedis();
    const service = await startFaultServer();
    const random = seededRandom('bulk mutations');
    const faults: readonly [Fault, ...Fault[]] = [
      { kind: 'reset' },
      { kind: 'reset', isExecuted: false },
      { kind: 'close' },
      { kind: 'hang' },
      { kind: 'hang', isExecuted: false },
      { kind: 'resetMidBody' },
      { kind: 'respond', status: 500, body: '{}', isExecuted: true },
      { kind: 'respond', status: 503, body: '{}' },
      { kind: 'respond', status: 429, body: '{}', headers: { 'retry-after': '0' } },
    ];
    service.plan = () => (random.happens(0.02) ? random.pick(faults) : undefined);
    const start = () => {
      const started = startGatewayProcess({
        env: {
          NODE_ENV: 'production',
          SERVICE_URL: service.url,
          REDIS_URL: redis.url,
          SERVICE_TIMEOUT_MS: '1000',
          DRAIN_DELAY_MS: '0',
          IDEMPOTENCY_KEYS_PER_HOUR: '1000000',
        },
      });
      return { ...started, url: started.listening().then((origin) => `${origin}/graphql`) };
    };
    const processes = [start(), start()];
    /** One of the two ends now and then, and another one takes its place. */
    const replaceOne = async (signal: 'SIGKILL' | 'SIGTERM') => {
      const fresh = start();
      await fresh.url;
      const [old] = processes.splice(0, 1, fresh);
      old?.kill(signal);
    };

    const untrue: object[] = [];
    const counts: Record<string, number> = {};
    const count = (word: string) => {
      counts[word] = (counts[word] ?? 0) + 1;
    };
    const isApplied = (subject: string) => service.timesExecuted('POST', subject) > 0;
    const sendList = async (list: number) => {
      let pending = Array.from({ length: LIST }, (_, index) => `list-${list}-${index}`).map((subject) => {
        const idempotencyKey = randomUUID();
        return { subject, item: itemAbout('trackShipment', subject, { idempotencyKey }) };
      });
      for (let attempt = 0; pending.length > 0 && attempt < 60; attempt += 1) {
        const operation = bulkOperation(
          'trackShipments',
          pending.map(({ item }) => item),
          { selection: SELECTION },
        );
        const url = await processes[random.below(2)]?.url;
        const signal = random.happens(0.2) ? AbortSignal.timeout(random.below(200)) : undefined;
        const response = await post(url ?? '', operation, { ...(signal && { signal }) }).catch(
          () => undefined,
        );
        const { results } = (response?.data as { trackShipments?: { results: Result[] } } | undefined)
          ?.trackShipments ?? { results: [] };
        if (results.length === 0) count('no response');
        // The key of a process that was killed is in progress until its lease has run out.
        if (attempt > 2) await sleep(1000);
        pending = pending.filter(({ subject }, index) => {
          const result = results[index];
          if (result === undefined) return true;
          const {
            outcome,
            evidence,
            errors: [error],
          } = result;
          count(`${outcome} ${error?.code ?? evidence}`);
          // What a response says of a write is so as soon as it says so.
          if (outcome !== 'UNKNOWN' && (outcome === 'APPLIED') !== isApplied(subject))
            untrue.push({ subject, ...result });
          return outcome === 'NOT_APPLIED' || error?.retryable === true;
        });
      }
      return pending;
    };

    const lists = Array.from({ length: sizes.bulkItems / LIST }, (_, list) => list);
    let next = 0;
    const left: object[] = [];
    const client = async () => {
      for (let list = lists[next++]; list !== undefined; list = lists[next++])
        left.push(...(await sendList(list)));
    };
    const clients = Promise.all([client(), client(), client(), client()]);
    const state = { isOver: false };
    const over = clients.finally(() => {
      state.isOver = true;
    });
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await replaceOne(signal);
      if (state.isOver) break;
    }
    await over;
    console.log(counts);
    const executed = lists.flatMap((list) =>
      Array.from({ length: LIST }, (_, index) => service.timesExecuted('POST', `list-${list}-${index}`)),
    );
    await service.stop();
    await redis.kill();
    expect(untrue).toEqual([]);
    expect(left).toEqual([]);
    expect(Math.max(...executed)).toBe(1);
  },
  sizes.testTimeoutMs,
);
