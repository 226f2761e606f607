/** Circuit breaker and retry budget: they do not multiply an outage, and they notice its end soon. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { describe, expect, test, vi } from 'vitest';
import {
  timedOut,
  promptCases,
  statusFailure,
  statusFault,
  unconnectedInTime,
  unreachable,
} from '../support/service/faultCases.js';
import { startFaultGateway } from '../support/gateway/faultGateway.js';
import { about, failure, success, type Failure } from '../support/graphql/faultOperations.js';
import { fieldNames } from '../support/graphql/rootFields.js';
import { startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import { countConnectionRefusals } from '../support/http/countConnectionRefusals.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

const OPEN_MS = 300;
const config = { service: { circuitOpenMs: OPEN_MS } };

const open: Failure = {
  message: 'Circuit breaker is open',
  code: 'SERVICE_UNAVAILABLE',
  outcome: 'NOT_APPLIED',
  retryable: true,
  retryAfterSeconds: 1,
};

interface Outage {
  name: string;
  begin: (service: FaultServer) => void;
  end: (service: FaultServer) => void | Promise<void>;
  failure: Failure;
  timeoutMs?: number;
}

const outages: Outage[] = [
  {
    name: 'the port is closed',
    begin(service) {
      service.refuse();
      service.disconnect();
    },
    end: (service) => service.accept(),
    failure: unreachable,
  },
  ...[
    { name: 'every response is 503', fault: statusFault(503), failure: statusFailure(503) },
    { name: 'every response is 500', fault: statusFault(500), failure: statusFailure(500) },
    {
      name: 'every connection is lost',
      fault: { kind: 'reset' } as const,
      failure: promptCases['reset after execution'].failure,
    },
    { name: 'no call gets a response', fault: { kind: 'hang' } as const, failure: timedOut, timeoutMs: 1000 },
  ].map(({ name, fault, failure: expected, timeoutMs = 60_000 }) => ({
    name,
    timeoutMs,
    begin(service: FaultServer) {
      service.plan = () => fault;
    },
    end(service: FaultServer) {
      service.plan = () => undefined;
    },
    failure: expected,
  })),
];

describe.concurrent('a full outage', () => {
  test.each(outages)(
    'is not multiplied, and ends with the first successful probe: $name',
    async ({ name, begin, end, failure: expected, timeoutMs = 60_000 }) => {
      const gateway = await startFaultGateway({ env: { SERVICE_TIMEOUT_MS: String(timeoutMs) }, config });
      const { service } = gateway;
      const refusedConnections = countConnectionRefusals(service);
      for (const subject of ['before 1', 'before 2']) await gateway.execute(about('notification', subject));
      const sentBefore = service.requests.length;
      begin(service);

      const operations = Array.from({ length: sizes.outageCalls }, (_, index) => {
        const field = fieldNames[index % fieldNames.length] ?? 'notification';
        return { field, subject: `outage ${index}` };
      });
      const results = await pMap(
        operations,
        async ({ field, subject }) => {
          const { data, errors } = await gateway.execute(about(field, subject));
          return { data, errors };
        },
        { concurrency: 25 },
      );
      const restCalls = service.requests.length - sentBefore + refusedConnections.stop();
      console.log(`${name}: ${operations.length} GraphQL calls, ${restCalls} REST calls`);
      expect(restCalls).toBeLessThanOrEqual(1.2 * operations.length);
      expect(restCalls).toBeGreaterThanOrEqual(20);

      // Each call fails because of the outage or the open circuit.
      const causes = [open, ...(expected === timedOut ? [unconnectedInTime] : [])];
      const causeOf = (result: unknown) =>
        causes.find(({ message }) => JSON.stringify(result).includes(message)) ?? expected;
      expect(results).toEqual(operations.map(({ field }, index) => failure(field, causeOf(results[index]))));
      const isOpen = results.map((each) => causeOf(each) === open);
      expect(isOpen.filter(Boolean).length).toBeGreaterThan(operations.length / 2);

      await end(service);
      await sleep(OPEN_MS);
      for (const field of [...fieldNames, ...fieldNames]) {
        const { data, errors } = await gateway.execute(about(field, `healthy ${field}`));
        expect({ data, errors }).toEqual(success(field, `healthy ${field}`));
      }
      await gateway.stop();
    },
  );
});

describe('the circuit breaker', () => {
  const batch = (prefix: string, count: number) => ({
    query:
      'query ($subjects: [ID!]!) { notificationsByGuid(notificationGuids: $subjects) { notificationGuid } }',
    variables: { subjects: Array.from({ length: count }, (_, index) => `${prefix} ${index}`) },
  });
  const codesOf = (errors: unknown) =>
    (errors as { extensions: { code: string } }[] | undefined)?.map(({ extensions }) => extensions.code) ??
    [];

  test('stays closed however many calls the service rejects, and every call is made', async () => {
    const gateway = await startFaultGateway({ env: { SERVICE_RETRIES: '0' }, config });
    const { service } = gateway;
    const statuses = [401, 404, 400, 403, 409, 422, 429];
    service.plan = ({ subject }) =>
      statusFault(statuses.find((status) => subject.startsWith(`${status}`)) ?? 401);
    for (const status of [401, 404]) {
      const rounds = Array.from({ length: sizes.rejections / 2 / 50 }, (_, round) => round);
      const codes = await pMap(
        rounds,
        async (round) => codesOf((await gateway.execute(batch(`${status} ${round}`, 50))).errors),
        { concurrency: 4 },
      );
      expect(codes).toEqual(rounds.map(() => Array<string>(status === 401 ? 50 : 0).fill('UNAUTHENTICATED')));
    }
    expect(service.requests.length).toBe(sizes.rejections);
    for (const status of statuses.slice(2)) await gateway.execute(batch(`${status}`, 50));
    expect(service.requests.length).toBe(sizes.rejections + 250);

    service.plan = () => undefined;
    const { data, errors } = await gateway.execute(about('notification', 'healthy'));
    expect({ data, errors }).toEqual(success('notification', 'healthy'));
    await gateway.stop();
  });

  test('admits one probe at a time when it is half-open, and closes when the probe succeeds', async () => {
    const gateway = await startFaultGateway({ env: { SERVICE_RETRIES: '0' }, config });
    const { service } = gateway;
    service.plan = () => statusFault(500);
    await gateway.execute(batch('failing', 25));
    expect(service.requests.length).toBe(25);
    for (const [outcome, then] of [
      ['failure', statusFault(500)],
      ['success', undefined],
    ] as const) {
      await sleep(OPEN_MS);
      service.plan = () => ({ kind: 'delay', until: () => sleep(50), ...(then && { then }) });
      const sent = service.requests.length;
      const probing = await gateway.execute(batch(`probe with ${outcome}`, 20));
      expect(service.requests.length - sent).toBe(1);
      expect(codesOf(probing.errors).filter((code) => code === 'SERVICE_UNAVAILABLE').length).toBe(19);
    }
    service.plan = () => undefined;
    const { errors } = await gateway.execute(batch('healthy', 20));
    expect(errors).toBeUndefined();
    await gateway.stop();
  });

  test('of one origin does not affect that of another', async () => {
    const shipments = await startFaultServer();
    const gateway = await startFaultGateway({
      env: { SHIPMENT_SERVICE_URL: shipments.url },
      config: { service: { circuitOpenMs: 60_000 } },
    });
    const openForLong = { ...open, retryAfterSeconds: expect.any(Number) as number };
    gateway.service.plan = () => statusFault(500);
    await gateway.execute(batch('failing', 25));
    for (const field of fieldNames) {
      const { data, errors } = await gateway.execute(about(field, field));
      const isShipment = field === 'trackShipment' || field === 'deleteException';
      expect({ data, errors }).toEqual(isShipment ? success(field, field) : failure(field, openForLong));
    }
    await gateway.stop();
    await shipments.stop();
  });
});

describe('the retry budget', () => {
  test('allows thirty retries if all calls fail, however many succeeded before', async () => {
    const gateway = await startFaultGateway({ config });
    const { service } = gateway;
    const read = (name: string) => {
      const subjects = Array.from({ length: sizes.outageCalls }, (_, index) => `${name} ${index}`);
      return pMap(
        subjects,
        async (subject) => {
          const { data, errors } = await gateway.execute(about('notification', subject));
          return { data, errors };
        },
        { concurrency: 25 },
      );
    };
    await read('healthy');
    const sentBefore = service.requests.length;
    service.plan = () => statusFault(429);
    const results = await read('rate-limited');
    expect(results).toEqual(results.map(() => failure('notification', statusFailure(429))));
    expect(service.requests.length - sentBefore).toBeGreaterThanOrEqual(results.length + 30);
    expect(service.requests.length - sentBefore).toBeLessThanOrEqual(1.2 * results.length);
    await gateway.stop();
  });
});
