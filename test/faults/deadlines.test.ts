/** Deadlines and the bulkhead: time, calls in flight and queued calls are limited. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { timedOut, slowCases, unconnectedInTime } from '../support/service/faultCases.js';
import { startFaultGateway, useFaultGateway, type FaultGateway } from '../support/gateway/faultGateway.js';
import { createGate, until } from '../support/tools/waiting.js';
import { about, failure, type Failure } from '../support/graphql/faultOperations.js';
import { fieldNames, type FieldName } from '../support/graphql/rootFields.js';
import { stubDns } from '../support/http/stubDns.js';
import { sizes } from '../support/tools/scale.js';
import { withoutStackTraces } from '../support/tools/stackTraces.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });
withoutStackTraces();

/** Executes one operation per field concurrently, each on its own subject. */
function executeEach(gateway: FaultGateway, fields: readonly FieldName[], subject: string) {
  return Promise.all(fields.map((field) => gateway.result(about(field, subjectOf(field, subject)))));
}

function subjectOf(field: FieldName, subject: string): string {
  return `${field} ${subject}`;
}

describe.concurrent('the deadline limits', () => {
  const TIMEOUT_MS = 4000; // enough for a busy machine to send every call
  const SILENT_HOST = 'silent-host.test';
  const gateway = useFaultGateway({
    env: { SERVICE_TIMEOUT_MS: String(TIMEOUT_MS) },
    config: { service: { retries: 10 } },
  });
  beforeAll(async () => {
    await gateway.prime();
    for (const [name, { fault }] of Object.entries(slowCases)) {
      for (const field of fieldNames) gateway.service.faults.set(subjectOf(field, name), [fault]);
    }
  });

  /** Fails unless every field fails as expected, and not before the deadline. */
  const expectTimeouts = async (at: FaultGateway, subject: string, expected: Failure) => {
    const startedAt = performance.now();
    expect(await executeEach(at, fieldNames, subject)).toEqual(
      fieldNames.map((field) => failure(field, expected)),
    );
    expect(performance.now() - startedAt).toBeGreaterThan(TIMEOUT_MS - 5);
  };

  test.each(Object.keys(slowCases))('calls of every kind that get %s', async (name) => {
    await expectTimeouts(gateway, name, timedOut);
  });

  test('calls whose connection is accepted but never read', async () => {
    const unread = await startFaultGateway({ env: { SERVICE_TIMEOUT_MS: String(TIMEOUT_MS) } });
    unread.service.planConnection = () => 'ignore';
    await expectTimeouts(unread, 'never read', timedOut);
    await unread.stop();
  });

  test('calls that get no connection, and sends nothing of them', async () => {
    const dns = stubDns(SILENT_HOST, () => undefined);
    const unconnected = await startFaultGateway({
      env: { SERVICE_TIMEOUT_MS: '8000' }, // a busy machine may take seconds to send all, and half of it is for connecting
      serviceUrl: (url) => url.replace('127.0.0.1', SILENT_HOST),
    });
    await expectTimeouts(unconnected, 'no connection', unconnectedInTime);
    expect(unconnected.service.connections).toEqual([]);
    dns.restore();
    await unconnected.stop();
  });
});

describe('the bulkhead', () => {
  const CONNECTIONS = 4;
  const QUEUE = 6;
  const READ_SEVERAL =
    'query ($subjects: [ID!]!) { notificationsByGuid(notificationGuids: $subjects) { notificationGuid } }';
  const fullQueue: Failure = {
    message: 'The queue of REST calls is full',
    code: 'SERVICE_UNAVAILABLE',
    outcome: 'NOT_APPLIED',
    retryable: true,
    retryAfterSeconds: 1,
  };
  const gateway = useFaultGateway({
    env: { SERVICE_CONNECTIONS: String(CONNECTIONS), SERVICE_TIMEOUT_MS: '60000' },
    config: { service: { queueLimit: 2 * QUEUE } }, // of which one client has half
  });

  test('limits calls in flight and queued calls, and rejects further ones immediately', async () => {
    const { service } = gateway;
    const { opened: released, open: release } = createGate();
    service.plan = () => ({ kind: 'delay', until: () => released });
    const subjects = Array.from({ length: 15 }, (_, index) => `call-${index}`);
    const reading = gateway.execute({ query: READ_SEVERAL, variables: { subjects } });
    await until(() => service.requests.length === CONNECTIONS);

    const rejected = await executeEach(gateway, fieldNames, 'over the limit');
    expect(rejected).toEqual(fieldNames.map((field) => failure(field, fullQueue)));
    expect(service.requests.length).toBe(CONNECTIONS);

    release();
    const { data, errors } = await reading;
    const served = subjects.slice(0, CONNECTIONS + QUEUE);
    expect(data).toEqual({
      notificationsByGuid: subjects.map((notificationGuid) =>
        served.includes(notificationGuid) ? { notificationGuid } : null,
      ),
    });
    const oneFailure = failure('notificationsByGuid', fullQueue).errors[0];
    expect(errors).toEqual(
      subjects.flatMap((subject, index) =>
        served.includes(subject)
          ? []
          : { ...oneFailure, locations: [{ line: 1, column: 29 }], path: ['notificationsByGuid', index] },
      ),
    );
    expect(service.requests.map(({ subject }) => subject).sort()).toEqual([...served].sort());
    expect({ maxInFlight: service.maxInFlight, opened: service.connections.length }).toEqual({
      maxInFlight: CONNECTIONS,
      opened: CONNECTIONS,
    });
  });
});
