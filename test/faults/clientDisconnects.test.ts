/** A caller that leaves takes its reads along; a write that is on its way goes on to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { statusFault } from '../support/service/faultCases.js';
import { startFaultGateway, until, type FaultGateway } from '../support/gateway/faultGateway.js';
import { about, reads, success, writes } from '../support/graphql/faultOperations.js';
import { fieldNames, methodOf, type Operation } from '../support/graphql/rootFields.js';
import { settled, measureEventLoopLag } from '../support/gateway/eventLoopLag.js';
import { stubDns } from '../support/http/stubDns.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });
// What the test runner takes to map each error's stack to its sources would be most of what is measured.
Error.stackTraceLimit = 0;

const IN_FLIGHT = 200;
const WAITING = 50;
const env = { SERVICE_CONNECTIONS: String(IN_FLIGHT), SERVICE_TIMEOUT_MS: '5000' };

/** Sends an operation for a caller of its own; `leave` closes the caller's connection. */
function callerOf(gateway: FaultGateway, operation: Operation) {
  const departure = new AbortController();
  const end = gateway.execute(operation, { signal: departure.signal }).then(
    () => 'answered',
    () => 'left',
  );
  return {
    leave() {
      departure.abort();
      return end;
    },
  };
}

/** Fails when one of the callers has been answered before it left. */
async function leaveAll(callers: readonly ReturnType<typeof callerOf>[]): Promise<void> {
  const ends = await Promise.all(callers.map((caller) => caller.leave()));
  expect(ends).toEqual(callers.map(() => 'left'));
}

/** What the gateway logged of callers that left. */
function departures(gateway: FaultGateway) {
  return gateway.logLines.flatMap(({ level, msg, method, outcome }) =>
    msg === 'Client disconnected before the response' ? [{ level, method, outcome }] : [],
  );
}

/** A promise, and what fulfils it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test.each(Array.from({ length: sizes.leavingRounds }, (_, round) => round))(
  'when 200 callers leave, the sockets of their reads close, and nothing is sent any more: round %i',
  async () => {
    const gateway = await startFaultGateway({ env });
    const { service } = gateway;
    service.plan = () => ({ kind: 'hang' });
    const read = (index: number) =>
      callerOf(gateway, about(reads[index % reads.length] ?? 'notification', `caller ${index}`));
    const inFlight = Array.from({ length: IN_FLIGHT }, (_, index) => read(index));
    await until(() => service.requests.length === IN_FLIGHT);
    const waiting = Array.from({ length: WAITING }, (_, index) => read(IN_FLIGHT + index));
    await settled(gateway);
    await leaveAll(waiting);
    await settled(gateway);

    // They leave in groups, as all the other ends of the sockets are this process's, too.
    const leftAt = new Map<string, number>();
    const { lagMs } = await measureEventLoopLag(gateway, async () => {
      for (let begin = 0; begin < IN_FLIGHT; begin += 20) {
        for (let index = begin; index < begin + 20; index += 1)
          leftAt.set(`caller ${index}`, performance.now());
        await leaveAll(inFlight.slice(begin, begin + 20));
        await sleep(20);
      }
    });
    await settled(gateway);
    await sleep(200);
    const closingMs = service.requests.map(
      ({ subject, connection }) => (connection?.closedAt ?? Infinity) - (leftAt.get(subject) ?? 0),
    );
    const inTime = closingMs.filter((ms) => ms < 200 + lagMs);
    console.log(
      `${inTime.length} of ${closingMs.length} sockets closed in time, the last after ${Math.round(Math.max(...closingMs))} ms; lag ${Math.round(lagMs)} ms`,
    );
    // No connection is opened in the place of one that is closed, either.
    expect(service.connections.length).toBe(IN_FLIGHT);
    expect(inTime.length).toBeGreaterThanOrEqual(0.99 * IN_FLIGHT);
    expect(service.requests.length).toBe(IN_FLIGHT);
    expect(departures(gateway)).toEqual(
      Array(IN_FLIGHT + WAITING).fill({ level: 30, method: 'GET', outcome: 'aborted' }),
    );
    await gateway.stop();
  },
);

test('when callers leave while their reads wait between two tries, the waits end and nothing is sent any more', async () => {
  const gateway = await startFaultGateway({ env: { SERVICE_TIMEOUT_MS: '600000' } });
  const { service } = gateway;
  await gateway.prime();
  const sent = service.requests.length;
  service.plan = () => statusFault(503, { 'retry-after': '300' });
  const callers = Array.from({ length: 30 }, (_, index) =>
    callerOf(gateway, about(reads[index % reads.length] ?? 'notification', `waiting ${index}`)),
  );
  await until(() => service.requests.length === sent + callers.length);
  await settled(gateway);
  const timersBefore = timersOfProcess();
  await leaveAll(callers);
  await settled(gateway);
  expect(timersBefore - timersOfProcess()).toBeGreaterThanOrEqual(callers.length);
  expect(service.requests.length).toBe(sent + callers.length);
  expect(departures(gateway)).toEqual(callers.map(() => ({ level: 30, method: 'GET', outcome: 'aborted' })));
  await gateway.stop();
});

function timersOfProcess(): number {
  return process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
}

describe.concurrent('when a caller leaves', () => {
  test('nothing is sent that has no connection yet', async () => {
    const waitingReplies: (() => void)[] = [];
    const host = stubDns('slow-host.test', (reply) => {
      waitingReplies.push(() => {
        reply(null, [{ address: '127.0.0.1', family: 4 }]);
      });
    });
    const gateway = await startFaultGateway({
      env,
      serviceUrl: (url) => url.replace('127.0.0.1', 'slow-host.test'),
    });
    const callers = fieldNames.map((field) => callerOf(gateway, about(field, `unconnected ${field}`)));
    await until(() => waitingReplies.length === fieldNames.length);
    await leaveAll(callers);
    await until(() => departures(gateway).length === fieldNames.length);
    for (const reply of waitingReplies) reply();
    await sleep(100);
    host.restore();
    await gateway.stop();
    expect(gateway.service.requests).toEqual([]);
    expect(gateway.service.connections.filter(({ bytesReceived }) => bytesReceived > 0)).toEqual([]);
    expect(
      departures(gateway)
        .map(({ method, outcome }) => `${String(method)} ${String(outcome)}`)
        .sort(),
    ).toEqual(fieldNames.map((field) => `${methodOf(field)} aborted`).sort());
  });

  test('a write in flight is left to finish, and its answer is read', async () => {
    const gateway = await startFaultGateway({ env });
    const { service } = gateway;
    const { open, opened } = gate();
    service.plan = ({ subject }) =>
      subject.startsWith('write') ? { kind: 'delay', until: () => opened } : undefined;
    const each = Array.from({ length: 50 }, (_, index) => ({
      field: writes[index % writes.length] ?? 'createNotification',
      subject: `write ${index}`,
    }));
    const callers = each.map(({ field, subject }) => callerOf(gateway, about(field, subject)));
    await until(() => service.requests.length === each.length);
    await leaveAll(callers);
    await until(() => departures(gateway).length === each.length);
    expect(departures(gateway).map(({ outcome }) => outcome)).toEqual(each.map(() => 'detached'));
    open();
    await settled(gateway);
    expect(each.map(({ field, subject }) => service.timesExecuted(methodOf(field), subject))).toEqual(
      each.map(() => 1),
    );

    // A connection whose answer was read to its end is used again; one over which a DELETE had a body is not.
    const others = await Promise.all(
      each.map((_each, index) => gateway.execute(about('notification', `afterwards ${index}`))),
    );
    expect(others.map(({ data, errors }) => ({ data, errors }))).toEqual(
      each.map((_each, index) => success('notification', `afterwards ${index}`)),
    );
    const again = new Set(service.requests.slice(each.length).map(({ connection }) => connection));
    const written = service.requests.slice(0, each.length).filter(({ path }) => !path.endsWith('/exception'));
    expect(written.filter(({ connection }) => !again.has(connection))).toEqual([]);
    await gateway.stop();
  });

  test('of several writes of one operation, those after the one in flight are not sent', async () => {
    const gateway = await startFaultGateway({ env });
    const { service } = gateway;
    const { open, opened } = gate();
    service.plan = () => ({ kind: 'delay', until: () => opened });
    const deletion = (subject: string) =>
      `${subject}: deleteNotification(notificationGuid: "${subject}") { notificationGuid }`;
    const query = `mutation { ${['a', 'b', 'c'].map(deletion).join(' ')} }`;
    const caller = callerOf(gateway, { query, variables: {} });
    await until(() => service.requests.length === 1);
    await leaveAll([caller]);
    await until(() => departures(gateway).length === 1);
    open();
    await until(() => departures(gateway).length === 3);
    await settled(gateway);
    expect(service.requests.map(({ subject }) => subject)).toEqual(['a']);
    expect(departures(gateway).map(({ outcome }) => outcome)).toEqual(['detached', 'aborted', 'aborted']);
    await gateway.stop();
  });
});
