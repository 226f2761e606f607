/** Outcomes of bulk mutations are true when a process dies at any moment. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { bulkOperation, itemAbout } from '../../support/graphql/bulkFields.js';
import type { Operation } from '../../support/graphql/rootFields.js';
import { post } from '../../support/http/post.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip } from '../../support/process/requirements.js';
import { killProcesses, type ProcessExit } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import type { FaultPlan } from '../../support/service/faults.js';
import { sizes } from '../../support/tools/scale.js';
import { seededRandom } from '../../support/tools/seededRandom.js';

afterAll(() => killProcesses());

const LIST = 100;
/** POSTs after which one of the processes dies, again and again. */
const POSTS_PER_DEATH = 200;
const TIMEOUT_MS = 1000;
const SELECTION = 'results { outcome evidence errors { code retryable } }';

type Outcome = 'APPLIED' | 'NOT_APPLIED' | 'UNKNOWN';

interface Result {
  outcome: Outcome;
  evidence: string | null;
  errors: { code: string; retryable: boolean }[];
}

const RECORDS = 'query ($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { outcome } }';
const MAX_KEYS = 1000;

test.skipIf(reasonToSkip('redis-server') !== undefined)(
  'Lists under faults, disconnects and deaths of processes have no untrue outcome, and each item is applied at most once',
  async () => {
    const redis = await startRedis();
    const service = await startFaultServer();
    const random = seededRandom('bulk mutations');
    const rejection = (status: number): FaultPlan => ({ kind: 'respond', status, body: '{}' });
    const late = () => sleep(2 * TIMEOUT_MS);
    const faults: readonly [FaultPlan, ...FaultPlan[]] = [
      { kind: 'reset' },
      { kind: 'reset', isExecuted: false },
      { kind: 'close' },
      { kind: 'hang' },
      { kind: 'hang', isExecuted: false },
      { kind: 'delay', until: late },
      { kind: 'delay', until: late, then: rejection(503) },
      { kind: 'resetMidBody' },
      { kind: 'cut', framing: 'length' },
      { kind: 'cut', framing: 'chunked' },
      { ...rejection(500), isExecuted: true },
      rejection(503),
      { kind: 'respond', status: 429, body: '{}', headers: { 'retry-after': '0' } },
    ];

    const start = () => {
      const started = startGatewayProcess({
        env: {
          NODE_ENV: 'production',
          SERVICE_URL: service.url,
          REDIS_URL: redis.url,
          SERVICE_TIMEOUT_MS: String(TIMEOUT_MS),
          DRAIN_DELAY_MS: '0',
        },
      });
      return { ...started, url: started.listening().then((origin) => `${origin}/graphql`) };
    };
    const processes = [start(), start()];
    let spare = start();
    await Promise.all([...processes, spare].map(({ url }) => url));
    const exits: Promise<ProcessExit>[] = [];
    /** The older one of the two processes dies, and the spare one takes its place. */
    const replaceOne = async () => {
      await spare.url;
      const old = processes.shift();
      old?.kill(exits.length % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      if (old) exits.push(old.exited);
      processes.push(spare);
      spare = start();
    };
    let posts = 0;
    let deaths = Promise.resolve();
    service.plan = ({ method }) => {
      if (method === 'POST' && ++posts % POSTS_PER_DEATH === 0) deaths = deaths.then(replaceOne);
      return random.happens(0.02) ? random.pick(faults) : undefined;
    };

    const untrue: object[] = [];
    /** How each item ended, by its subject. */
    const ended = new Map<string, Outcome>();
    const counts: Record<string, number> = {};
    /** Items of attempts without a response: what a later attempt says that sent nothing is not about these. */
    const lost = new Set<string>();
    /** What a response says of a write is true as soon as it says so. */
    const learn = (
      subject: string,
      said: string,
      { outcome, evidence }: { outcome: Outcome | null; evidence?: Result['evidence'] },
      isFinal: boolean,
    ) => {
      counts[said] = (counts[said] ?? 0) + 1;
      const isApplied = service.timesExecuted('POST', subject) > 0;
      const isKnown =
        outcome === 'APPLIED' ||
        (outcome === 'NOT_APPLIED' && !(evidence === 'NOT_SENT' && lost.has(subject)));
      if (isKnown && (outcome === 'APPLIED') !== isApplied) untrue.push({ subject, said });
      if (isFinal && outcome !== null) ended.set(subject, outcome);
    };
    /** Sends to one of the two processes; resolves with undefined if no response arrives. */
    const send = async <Data>(operation: Operation, signal?: AbortSignal): Promise<Data | undefined> => {
      const url = (await processes[random.below(2)]?.url) ?? '';
      const response = await post(url, operation, signal && { signal }).catch(() => undefined);
      return response?.data as Data | undefined;
    };
    const readRecords = async (keys: readonly string[]) => {
      const data = await send<{ writeRecords: ({ outcome: Outcome | null } | null)[] }>({
        query: RECORDS,
        variables: { keys },
      });
      return data?.writeRecords;
    };

    const lists = Array.from({ length: sizes.bulkItems / LIST }, (_list, list) =>
      Array.from({ length: LIST }, (_item, index) => ({
        subject: `list-${list}-${index}`,
        idempotencyKey: randomUUID(),
      })),
    );
    const sendList = async (list: (typeof lists)[number]) => {
      const open = () => list.filter(({ subject }) => !ended.has(subject));
      for (let attempt = 0; open().length > 0 && attempt < 60; attempt += 1) {
        // The key of a process that was killed is in progress until its lease has run out.
        if (attempt > 2) await sleep(1000);
        const sent = open();
        const items = sent.map(({ subject, idempotencyKey }) =>
          itemAbout('trackShipment', subject, { idempotencyKey }),
        );
        const data = await send<{ trackShipments: { results: Result[] } }>(
          bulkOperation('trackShipments', items, { selection: SELECTION }),
          random.happens(0.2) ? AbortSignal.timeout(random.below(200)) : undefined,
        );
        for (const [index, result] of (data?.trackShipments.results ?? []).entries()) {
          const { outcome, evidence, errors } = result;
          const said = `${outcome} ${errors[0]?.code ?? evidence}`;
          const isFinal = outcome !== 'NOT_APPLIED' && errors[0]?.retryable !== true;
          learn(sent[index]?.subject ?? '', said, result, isFinal);
        }
        if (data) continue;
        counts['no response'] = (counts['no response'] ?? 0) + 1;
        for (const { subject } of sent) lost.add(subject);
        // Some clients ask what became of the items before they send again those without a record.
        if (random.happens(0.5)) continue;
        const records = await readRecords(sent.map(({ idempotencyKey }) => idempotencyKey));
        for (const [index, { subject }] of sent.entries()) {
          const record = records?.[index];
          if (record) learn(subject, `record ${record.outcome}`, record, true);
        }
      }
    };
    let next = 0;
    const client = async () => {
      for (let list = lists[next++]; list; list = lists[next++]) await sendList(list);
    };
    await Promise.all([client(), client(), client(), client()]);
    await deaths;

    const items = lists.flat();
    const recorded: (Outcome | null | undefined)[] = [];
    for (let from = 0; from < items.length; from += MAX_KEYS) {
      const keys = items.slice(from, from + MAX_KEYS).map(({ idempotencyKey }) => idempotencyKey);
      recorded.push(...((await readRecords(keys)) ?? []).map((record) => record?.outcome));
    }
    console.log(counts, `${exits.length} deaths`);
    const deathCount = exits.length;
    await spare.url;
    for (const last of [...processes, spare]) {
      last.kill('SIGTERM');
      exits.push(last.exited);
    }
    const endings = await Promise.all(exits);
    await Promise.all([service.stop(), redis.kill()]);
    expect(untrue).toEqual([]);
    expect(items.filter(({ subject }) => !ended.has(subject))).toEqual([]);
    expect(recorded).toEqual(items.map(({ subject }) => ended.get(subject)));
    expect(items.filter(({ subject }) => service.timesExecuted('POST', subject) > 1)).toEqual([]);
    expect(deathCount).toBeGreaterThan(1);
    expect(endings.filter(({ code, signal }) => code !== 0 && signal !== 'SIGKILL')).toEqual([]);
  },
  sizes.testTimeoutMs,
);
