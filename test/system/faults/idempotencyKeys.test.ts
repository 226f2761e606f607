/** Idempotency keys across processes: at most one write per key, whatever dies at whatever moment. */
import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { splitEvidence, withEvidence } from '../../support/graphql/evidence.js';
import { about, otherWrites, success } from '../../support/graphql/faultOperations.js';
import type { FieldName } from '../../support/graphql/rootFields.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { startRedisProxy, type RedisStep } from '../../support/process/redisProxy.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import type { FaultPlan } from '../../support/service/faults.js';
import { sizes } from '../../support/tools/scale.js';
import { seededRandom } from '../../support/tools/seededRandom.js';
import { until } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';
import { post } from '../../support/http/post.js';

skipIf(reasonToSkip('redis-server'));

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

test(
  'writes at most once per key under faults, over two processes, and no outcome is untrue',
  async () => {
    const random = seededRandom('idempotency keys');
    const faults: readonly [FaultPlan, ...FaultPlan[]] = [
      { kind: 'reset' },
      { kind: 'reset', isExecuted: false },
      { kind: 'close' },
      { kind: 'hang' },
      { kind: 'hang', isExecuted: false },
      { kind: 'resetMidBody' },
      { kind: 'respond', status: 500, body: '{}' },
      { kind: 'respond', status: 503, body: '{}', isExecuted: true },
      { kind: 'respond', status: 429, body: '{}', headers: { 'retry-after': '0' } },
      { kind: 'respond', status: 401, body: '{}' },
      { kind: 'garbage', bytes: Buffer.from('not HTTP') },
    ];
    service.plan = ({ method }) =>
      method === 'POST' && random.happens(0.6) ? random.pick(faults) : undefined;
    const urls = await Promise.all([start(), start()]).then((all) => all.map(({ url }) => url));
    const counts: Record<string, number> = {};
    const untrue: object[] = [];
    await pMap(
      Array.from({ length: sizes.keyedWrites }, (_, index) => index),
      async (index) => {
        const field = fieldOf(index);
        const subject = `faulty-${index}`;
        const key = randomUUID();
        const history: string[] = [];
        for (let attempt = 0; attempt < 10; attempt += 1) {
          // Now and then two processes get the same repeat at once.
          const targets = random.happens(0.1) ? urls : [urls[random.below(2)] ?? ''];
          const outcomes = await Promise.all(
            targets.map(async (url) => outcomeOf(await send(url, field, subject, key))),
          );
          // A response to one attempt says nothing of another one, which may still run, or be unknown.
          const isAlone = targets.length === 1 && history.every((each) => each.endsWith(' NOT_APPLIED'));
          history.push(...outcomes.map(({ code, outcome }) => `${code} ${outcome}`));
          const times = service.timesExecuted('POST', subject);
          const isApplied = outcomes.some(({ outcome }) => outcome === 'APPLIED');
          const isNotApplied = isAlone && outcomes.every(({ outcome }) => outcome === 'NOT_APPLIED');
          const isTrue = times <= 1 && (!isApplied || times === 1) && (!isNotApplied || times === 0);
          if (!isTrue) untrue.push({ subject, field, times, history });
          if (isApplied) break;
        }
        const last = history.at(-1) ?? '';
        counts[last] = (counts[last] ?? 0) + 1;
      },
      { concurrency: 32 },
    );
    console.log(`last responses of ${sizes.keyedWrites} keys:`, counts);
    expect(untrue).toEqual([]);
    const repeated = service.requests.filter(
      ({ method, subject }) => method === 'POST' && service.timesExecuted('POST', subject) > 1,
    );
    expect(repeated).toEqual([]);
    expect(counts['success APPLIED']).toBeGreaterThan(0);
    expect(counts['IDEMPOTENCY_OUTCOME_UNKNOWN UNKNOWN']).toBeGreaterThan(0);
  },
  sizes.testTimeoutMs,
);

test(
  'sends one write when two processes get a key at the same time',
  async () => {
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
  },
  sizes.testTimeoutMs,
);

test('takes two round trips to Redis for a write with a key, and none without', async () => {
  const proxy = await startRedisProxy(redis.url);
  const { url } = await start({ REDIS_URL: proxy.url });
  for (const field of otherWrites) {
    await send(url, field, `round-trips-warm-up-${field}`, randomUUID());
    let commands = 0;
    proxy.onStep = (step, text) => {
      const countOf = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
      // INFO now and then, for which no write waits.
      if (step === 'command') commands += countOf(/^\*\d+\r$/gm) - countOf(/^info\r$/gim);
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
const isFinish = (text: string) => /APPLIED|UNKNOWN/.test(text);
const isClaim = (text: string) => /evalsha/i.test(text) && !isFinish(text);

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
    await send(url, field, `${subject}, warm-up`, randomUUID()); // so that later commands do not carry the scripts
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

describe('a store that is down', () => {
  const field = 'trackShipment';

  test('before a call has nothing sent', async () => {
    const own = await startRedis();
    const { url } = await start({ REDIS_URL: own.url });
    const key = randomUUID();
    await send(url, field, `warm-up-down-${field}`, randomUUID());
    await own.kill();
    const subject = `store-down-${field}`;
    expect(outcomeOf(await send(url, field, subject, key))).toEqual({
      outcome: 'NOT_APPLIED',
      code: 'IDEMPOTENCY_UNAVAILABLE',
    });
    expect(service.timesExecuted('POST', subject)).toBe(0);
    await startRedis(own.port);
    await until(async () => outcomeOf(await send(url, field, subject, key)).code === 'success');
    expect(service.timesExecuted('POST', subject)).toBe(1);
  });

  test('that does not reply to a claim has nothing sent', async () => {
    const own = await startRedis();
    const { url } = await start({ REDIS_URL: own.url });
    await send(url, field, `warm-up-hung-${field}`, randomUUID());
    own.pause();
    const key = randomUUID();
    const subject = `store-hung-${field}`;
    expect(outcomeOf(await send(url, field, subject, key))).toEqual({
      outcome: 'NOT_APPLIED',
      code: 'IDEMPOTENCY_UNAVAILABLE',
    });
    own.resume();
    // The claim was released once Redis replied again.
    await until(async () => outcomeOf(await send(url, field, subject, key)).code === 'success');
    expect(service.timesExecuted('POST', subject)).toBe(1);
    await own.kill();
  });

  test('during a call does not change its response, and is said', async () => {
    const own = await startRedis();
    const { url, gateway } = await start({ REDIS_URL: own.url });
    const key = randomUUID();
    const subject = `store-lost-${field}`;
    service.plan = (request) =>
      request.subject === subject && request.method === 'POST'
        ? { kind: 'delay', until: () => own.kill() }
        : undefined;
    expect(await send(url, field, subject, key)).toMatchObject({ data: success(field, subject).data });
    await gateway.printed(/"msg":"Outcome not recorded for an idempotency key"/);
    expect(service.timesExecuted('POST', subject)).toBe(1);
  });
});
