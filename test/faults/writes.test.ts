/** Writes to a faulty service: none is applied twice, and each failure reports its outcome truthfully. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  cutAtEnd,
  MAX_RESPONSE_BYTES,
  promptCases,
  unconnectedInTime,
  unreachable,
  type FaultCase,
} from '../support/service/faultCases.js';
import { startFaultGateway, useFaultGateway } from '../support/gateway/faultGateway.js';
import { about, failure, success, type Failure } from '../support/graphql/faultOperations.js';
import { methodOf } from '../support/graphql/rootFields.js';
import { seededRandom } from '../support/tools/seededRandom.js';
import { sizes } from '../support/tools/scale.js';
import { forTest } from '../support/tools/useStarted.js';
import { withoutStackTraces } from '../support/tools/stackTraces.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });
withoutStackTraces();

/** After 20 failures in a row. */
const circuitOpen: Failure = {
  message: 'Circuit breaker is open',
  code: 'SERVICE_UNAVAILABLE',
  outcome: 'NOT_APPLIED',
  retryable: true,
  retryAfterSeconds: 1,
};
const config = { service: { circuitOpenMs: 1, maxResponseBytes: MAX_RESPONSE_BYTES } };
const gateway = useFaultGateway({ readsBack: false, config });

describe('creations are applied at most once and fail with a true outcome', () => {
  const random = seededRandom('creations');
  /** Rounds of 500 creations, spread over all tests. */
  const rounds = Array.from({ length: sizes.creates / 500 }, (_, round) => round);
  const countByOutcome: Record<string, number> = {};
  afterAll(() => {
    const count = Object.values(countByOutcome).reduce((sum, each) => sum + each, 0);
    console.log(`outcomes of ${count} creations:`, countByOutcome);
    expect(count).toBe(sizes.creates);
  });

  /** Creates a notification per subject, and compares each reported outcome with what the service did. */
  const create = async (subjects: readonly string[], concurrency: number) => {
    const results = await pMap(subjects, (subject) => gateway.result(about('createNotification', subject)), {
      concurrency,
    });
    const contradictions = results.flatMap(({ data, errors }, index) => {
      const subject = subjects[index] ?? '';
      const [error] = (errors ?? []) as { extensions: { code: string; outcome: string } }[];
      const { code, outcome } = error?.extensions ?? { code: 'success', outcome: 'APPLIED' };
      countByOutcome[`${code} ${outcome}`] = (countByOutcome[`${code} ${outcome}`] ?? 0) + 1;
      const times = gateway.service.timesExecuted('POST', subject);
      const isTrue = { APPLIED: times === 1, NOT_APPLIED: times === 0, UNKNOWN: times <= 1 }[outcome];
      return isTrue === true ? [] : [{ subject, times, data, errors }];
    });
    expect(contradictions).toEqual([]);
    return results;
  };
  const named = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}-${index}`);
  /** Creates notifications, `times` with each fault and some without; each must fail as its fault specifies. */
  const createUnder = async (
    cases: Readonly<Record<string, FaultCase>>,
    times: number,
    { healthyCount = 0, round = 0 } = {},
  ) => {
    const kinds = Object.keys(cases).flatMap((name) => Array<string>(times).fill(name));
    const subjects = random
      .shuffle([...kinds, ...Array<string>(healthyCount).fill('healthy')])
      .map((name, index) => `${name}-${round}-${index}`);
    const caseOf = (subject: string) => cases[subject.replace(/-\d+-\d+$/, '')];
    gateway.service.plan = ({ subject }) => caseOf(subject)?.fault;
    const sentBefore = gateway.service.requests.length;
    const results = await create(subjects, 48);
    const isUnsent = results.map((each) => JSON.stringify(each).includes(unconnectedInTime.message));
    expect(results).toEqual(
      subjects.map((subject, index) => {
        const { failure: ofRead, failureOfWrite = ofRead } = caseOf(subject) ?? {};
        const expected = isUnsent[index] === true ? unconnectedInTime : failureOfWrite;
        return expected ? failure('createNotification', expected) : success('createNotification', subject);
      }),
    );
    expect(gateway.service.requests.length - sentBefore).toBe(isUnsent.filter((unsent) => !unsent).length);
    gateway.service.plan = () => undefined;
  };

  test('if responses are lost, truncated, rejections, invalid or too large', async () => {
    const cases = { ...promptCases, 'truncated body that ends with the connection': cutAtEnd };
    for (const round of rounds) {
      await gateway.prime();
      await createUnder(cases, 5, { round, healthyCount: 360 - 5 * Object.keys(cases).length });
    }
  });

  test('if the port is closed, or opens between two attempts', async () => {
    const { service } = gateway;
    for (const round of rounds) {
      await gateway.prime();
      service.refuse();
      service.disconnect();
      const refused = await create(named(`refused-${round}`, 25), 16);
      const creating = create(named(`reopened-${round}`, 25), 16);
      await sleep(30);
      await service.accept();
      const failed = (await creating).filter(({ errors }) => errors !== undefined);
      const expected = [unreachable, circuitOpen].map((each) => failure('createNotification', each));
      for (const result of [...refused, ...failed]) expect(expected).toContainEqual(result);
    }
  });

  test('if connections are reset as soon as they open, or closed between two calls', async () => {
    const { service } = gateway;
    for (const round of rounds) {
      await gateway.prime();
      service.planConnection = () => (random.happens(0.5) ? 'reset' : undefined);
      for (let part = 0; part < 5; part += 1) {
        service.disconnect();
        await create(named(`reset-${round}.${part}`, 10), 8);
      }
      service.planConnection = () => undefined;
      for (let part = 0; part < 4; part += 1) {
        const creating = create(named(`closed-${round}.${part}`, 10), 8);
        setImmediate(() => service.disconnect());
        await creating;
      }
    }
  });
});

describe('a write that may have reached the service', () => {
  beforeAll(() => gateway.prime());

  test.each(
    (['createNotification', 'deleteException'] as const).flatMap((field) =>
      (
        [
          'reset before execution',
          'reset after execution',
          'closed before execution',
          'truncated before the content-length',
          'garbage instead of HTTP',
          '503, executed',
          '503 with Retry-After',
          '500, not executed',
          '429',
          '409',
          '302, executed',
          '307',
        ] as const
      ).map((name) => ({ field, name })),
    ),
  )('is sent once: $field, $name', async ({ field, name }) => {
    const { service } = gateway;
    const { fault, failure: expected } = promptCases[name];
    service.plan = () => fault;
    const sentBefore = service.requests.length;
    const subject = `${field} ${name}`;
    expect(await gateway.result(about(field, subject))).toEqual(failure(field, expected));
    expect(service.requests.slice(sentBefore).map(({ method }) => method)).toEqual([methodOf(field)]);
  });
});

test.each(['notification', 'createNotification', 'deleteException'] as const)(
  '%s is retried until there is a connection, because no byte of it was sent',
  async (field) => {
    const options = { readsBack: false, config: { service: { retries: 10 } } };
    const patient = await forTest(startFaultGateway(options));
    const { service } = patient;
    service.refuse();
    const call = patient.result(about(field, field));
    await sleep(100);
    await service.accept();
    expect(await call).toEqual(success(field, field));
    expect(service.timesExecuted(methodOf(field), field)).toBe(1);
  },
);
