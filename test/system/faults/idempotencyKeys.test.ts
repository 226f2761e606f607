/** Idempotency keys across processes: at most one write per key, whatever dies at whatever moment. bulk.test.ts has them under faults. */
import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { splitEvidence, withEvidence } from '../../support/graphql/evidence.js';
import { about, otherWrites } from '../../support/graphql/faultOperations.js';
import type { FieldName } from '../../support/graphql/rootFields.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { isClaim, isFinish, startRedisProxy, type RedisStep } from '../../support/process/redisProxy.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { sizes } from '../../support/tools/scale.js';
import { until } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';
import { post } from '../../support/http/post.js';

skipIf(reasonToSkip('redis-server'));
vi.setConfig({ testTimeout: sizes.testTimeoutMs });

/** The writes that must not be sent twice. */
const fieldOf = (index: number) => otherWrites[index % otherWrites.length] ?? 'trackShipment';

interface Reply {
  data?: Record<string, unknown> | null;
  errors?: readonly { extensions: { code: string; outcome: string; retryable: boolean } }[] | undefined;
  evidence?: object | undefined;
}
let redis: Awaited<ReturnType<typeof startRedis>>;
const service = useStarted(startFaultServer);
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => killProcesses());
beforeEach(() => {
  service.plan = () => undefined;
});

const gateways: GatewayProcess[] = [];
afterEach(() => Promise.all(gateways.splice(0).map((gateway) => gateway.stop())));

async function start(env: Readonly<Record<string, string>> = {}) {
  const gateway = startGatewayProcess({
    env: {
      NODE_ENV: 'production',
      SERVICE_URL: service.url,
      REDIS_URL: redis.url,
      SERVICE_TIMEOUT_MS: '1000', // enough for most calls on a busy machine; keys are in progress for 10 seconds more
      ...env,
    },
  });
  gateways.push(gateway);
  return { gateway, url: `${await gateway.listening()}/graphql` };
}

/** Undefined if no response arrives. */
async function send(
  url: string,
  field: FieldName,
  subject: string,
  key: string | undefined,
): Promise<Reply | undefined> {
  try {
    const headers = { ...(key !== undefined && { 'idempotency-key': key }) };
    const { query, variables } = about(field, subject);
    const body = { query: withEvidence(query), variables };
    const { data, ...reply } = await post(url, body, { token: 'token', headers });
    return { ...reply, ...splitEvidence(data) } as Reply;
  } catch {
    return undefined;
  }
}

/** What a reply says of the write, and in a word why. */
function outcomeOf(reply: Reply | undefined): { outcome: string; code: string } {
  if (reply === undefined) return { outcome: 'UNKNOWN', code: 'no response' };
  const { code, outcome } = reply.errors?.[0]?.extensions ?? {
    code: reply.evidence ? 'replayed' : 'success',
    outcome: 'APPLIED',
  };
  return { outcome, code };
}

test('sends one write when two processes get a key at the same time', async () => {
  const env = { SERVICE_TIMEOUT_MS: '10000' }; // no timeout on a busy machine
  const urls = await Promise.all([start(env), start(env)]).then((all) => all.map(({ url }) => url));
  const races = Array.from({ length: 50 }, (_, index) => `race-${index}`);
  const results = await pMap(
    races,
    async (subject) => {
      const key = randomUUID();
      const outcomes = await Promise.all(
        urls.map(async (url) => outcomeOf(await send(url, 'trackShipment', subject, key)).code),
      );
      return { outcomes: outcomes.sort(), times: service.timesExecuted('POST', subject) };
    },
    { concurrency: 16 },
  );
  const expected = [
    ['IDEMPOTENCY_IN_PROGRESS', 'success'],
    ['replayed', 'success'],
  ].map(String);
  expect(results.filter(({ times }) => times !== 1)).toEqual([]);
  expect(results.filter(({ outcomes }) => !expected.includes(String(outcomes)))).toEqual([]);
});

test('takes two round trips to Redis for a write with a key, and none without', async () => {
  const proxy = await startRedisProxy(redis.url);
  const { url } = await start({ REDIS_URL: proxy.url });
  for (const field of otherWrites) {
    await send(url, field, `round-trips-warm-up-${field}`, randomUUID());
    let commands = 0;
    proxy.onStep = (step, text) => {
      if (step === 'command') commands += text.match(/^\*\d+\r$/gm)?.length ?? 0;
      return true;
    };
    await send(url, field, `round-trips-${field}`, randomUUID());
    expect(commands).toBe(2);
    await send(url, field, `no-round-trips-${field}`, undefined);
    expect(commands).toBe(2);
  }
  await proxy.stop();
});

/** The moments at which a process is killed, in the order of a write, and what a repeat at another process gets. */
const kills: readonly {
  moment: string;
  /** Whether to kill the process now, before a chunk to or from Redis is forwarded; the chunk is lost then. */
  isNow?: (step: RedisStep, text: string, seen: string) => boolean;
  reply: string;
  times: number;
}[] = [
  {
    moment: 'before it claims the key',
    isNow: (step, text) => step === 'command' && isClaim(text),
    reply: 'success',
    times: 1,
  },
  {
    moment: 'after the claim, before it sends',
    isNow: (step, _text, seen) => step === 'reply' && isClaim(seen),
    reply: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
    times: 0,
  },
  { moment: 'after it has sent', reply: 'IDEMPOTENCY_OUTCOME_UNKNOWN', times: 1 },
  {
    moment: 'after the response, before it records it',
    isNow: (step, text) => step === 'command' && isFinish(text),
    reply: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
    times: 1,
  },
  {
    moment: 'after it has recorded the response',
    isNow: (step, _text, seen) => step === 'reply' && isFinish(seen),
    reply: 'replayed',
    times: 1,
  },
];

test('a process that is killed at any moment never leads to a second write', async () => {
  const { url: otherUrl } = await start({ SERVICE_TIMEOUT_MS: '10000' });
  const killOrders = new Map<string, () => void>();
  service.plan = ({ method, subject }) => {
    const kill = method === 'POST' ? killOrders.get(subject) : undefined;
    kill?.();
    return kill && { kind: 'hang', isExecuted: true };
  };
  /** Sends a write to a process that is killed, then repeats it at the other one until its response is final. */
  const killAndRepeat = async ({ moment, isNow }: (typeof kills)[number], field: FieldName) => {
    const proxy = await startRedisProxy(redis.url);
    const { gateway, url } = await start({ REDIS_URL: proxy.url });
    const subject = `${moment}: ${field}`;
    await send(url, field, `${subject}, warm-up`, randomUUID());
    const key = randomUUID();
    if (isNow) {
      let seen = '';
      proxy.onStep = (step, text) => {
        if (isNow(step, text, seen)) {
          gateway.kill('SIGKILL');
          return false;
        }
        if (step === 'command') seen += text;
        return true;
      };
    } else {
      killOrders.set(subject, () => gateway.kill('SIGKILL'));
    }
    const first = outcomeOf(await send(url, field, subject, key)).code;
    const { signal } = await gateway.exited;
    let reply = '';
    await until(async () => {
      reply = outcomeOf(await send(otherUrl, field, subject, key)).code;
      return reply !== 'IDEMPOTENCY_IN_PROGRESS';
    }, 200);
    const again = outcomeOf(await send(otherUrl, field, subject, key)).code;
    await proxy.stop();
    return { subject, first, signal, reply, again, times: service.timesExecuted('POST', subject) };
  };
  const cases = kills.map((kill, index) => ({ kill, field: fieldOf(index) }));
  expect(
    await pMap(cases, ({ kill, field }) => killAndRepeat(kill, field), { concurrency: cases.length }),
  ).toEqual(
    cases.map(({ kill: { moment, reply, times }, field }) => ({
      subject: `${moment}: ${field}`,
      first: 'no response',
      signal: 'SIGKILL',
      reply,
      again: reply === 'success' ? 'replayed' : reply,
      times,
    })),
  );
});

test('a store that does not reply to a claim has nothing sent', async () => {
  const own = await startRedis();
  const { url } = await start({ REDIS_URL: own.url });
  await send(url, 'trackShipment', 'warm-up-hung', randomUUID());
  own.pause();
  const key = randomUUID();
  const subject = 'store-hung';
  expect(outcomeOf(await send(url, 'trackShipment', subject, key))).toEqual({
    outcome: 'NOT_APPLIED',
    code: 'IDEMPOTENCY_UNAVAILABLE',
  });
  own.resume();
  // The claim was released once Redis replied again.
  await until(async () => outcomeOf(await send(url, 'trackShipment', subject, key)).code === 'success');
  expect(service.timesExecuted('POST', subject)).toBe(1);
  await own.kill();
});
