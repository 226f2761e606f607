/** A disconnecting client cancels its reads and unsent calls; its writes in flight run to completion. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { startFaultGateway, type FaultGateway } from '../support/gateway/faultGateway.js';
import { createGate, until } from '../support/tools/waiting.js';
import { about, reads, success, writes } from '../support/graphql/faultOperations.js';
import { fieldNames, methodOf, type Operation } from '../support/graphql/rootFields.js';
import { settled } from '../support/gateway/settled.js';
import { stubDns } from '../support/http/stubDns.js';
import { sizes } from '../support/tools/scale.js';
import { withoutStackTraces } from '../support/tools/stackTraces.js';
import { forTest } from '../support/tools/useStarted.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });
withoutStackTraces();

const IN_FLIGHT = 200;
const WAITING = 50;
/** Of which the clients, which have one token, get seven eighths. */
const env = { SERVICE_CONNECTIONS: '228', SERVICE_TIMEOUT_MS: '60000' };

/** Sends an operation as one client; `disconnect` closes the client's connection. */
function connectClient(gateway: FaultGateway, operation: Operation) {
  const connection = new AbortController();
  const end = gateway.execute(operation, { signal: connection.signal }).then(
    () => 'responded',
    () => 'disconnected',
  );
  return {
    disconnect() {
      connection.abort();
      return end;
    },
  };
}

/** Disconnects all clients; fails if one of them got a response before. */
async function disconnectAll(clients: readonly ReturnType<typeof connectClient>[]): Promise<void> {
  const results = await Promise.all(clients.map((client) => client.disconnect()));
  expect(results).toEqual(clients.map(() => 'disconnected'));
}

/** The gateway's log lines about disconnected clients: one for the calls of a request that end alike. */
function disconnects(gateway: FaultGateway) {
  return gateway.logLines.flatMap(({ level, msg, method, result }) =>
    msg === 'Client disconnected before the response' ? [{ level, method, result }] : [],
  );
}

/** The outcomes in the log lines of finished mutations. */
function requestOutcomes(gateway: FaultGateway) {
  return gateway.logLines.flatMap(({ operationType, outcome }) =>
    operationType === 'mutation' ? [outcome] : [],
  );
}

test.each(Array.from({ length: sizes.disconnectRounds }, (_, round) => round))(
  'closes the sockets of the reads of 200 disconnecting clients, and sends nothing more: round %i',
  async () => {
    const gateway = await forTest(startFaultGateway({ env }));
    const { service } = gateway;
    service.plan = () => ({ kind: 'hang' });
    const read = (index: number) =>
      connectClient(gateway, about(reads[index % reads.length] ?? 'notification', `client ${index}`));
    const inFlight = Array.from({ length: IN_FLIGHT }, (_, index) => read(index));
    await until(() => service.requests.length === IN_FLIGHT);
    const waiting = Array.from({ length: WAITING }, (_, index) => read(IN_FLIGHT + index));
    await settled(gateway);
    await disconnectAll(waiting);
    await settled(gateway);

    await disconnectAll(inFlight);
    // Long before the deadline.
    await until(() => service.connections.every(({ closedAt }) => closedAt !== undefined));
    await settled(gateway);
    // Closed connections are not replaced either.
    expect(service.connections.length).toBe(IN_FLIGHT);
    expect(service.requests.length).toBe(IN_FLIGHT);
    expect(disconnects(gateway)).toEqual(
      Array(IN_FLIGHT + WAITING).fill({ level: 30, method: 'GET', result: 'aborted' }),
    );
  },
);

test('sends nothing more of a list whose client disconnects', async () => {
  const gateway = await forTest(startFaultGateway({ env }));
  const { service } = gateway;
  service.plan = () => ({ kind: 'hang' });
  const guids = Array.from({ length: 50 }, (_, index) => `listed ${index}`);
  const query =
    'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationGuid } }';
  const client = connectClient(gateway, { query, variables: { guids } });
  await until(() => service.requests.length === 32);
  await disconnectAll([client]);
  await until(() => disconnects(gateway).length > 0);
  await settled(gateway);
  expect(service.requests.map(({ subject }) => subject)).toEqual(guids.slice(0, 32));
  expect(disconnects(gateway)).toEqual([{ level: 30, method: 'GET', result: 'aborted' }]);
});

describe.concurrent('when a client disconnects', () => {
  test('calls that have no connection yet are not sent', async () => {
    const dnsReplies: (() => void)[] = [];
    const host = stubDns('slow-host.test', (reply) => {
      dnsReplies.push(() => reply(null, [{ address: '127.0.0.1', family: 4 }]));
    });
    const gateway = await startFaultGateway({
      env,
      serviceUrl: (url) => url.replace('127.0.0.1', 'slow-host.test'),
    });
    const clients = fieldNames.map((field) => connectClient(gateway, about(field, `unconnected ${field}`)));
    await until(() => dnsReplies.length === fieldNames.length);
    await disconnectAll(clients);
    await until(() => disconnects(gateway).length === fieldNames.length);
    for (const reply of dnsReplies) reply();
    await sleep(100);
    host.restore();
    await gateway.stop();
    expect(gateway.service.requests).toEqual([]);
    expect(gateway.service.connections.filter(({ bytesReceived }) => bytesReceived > 0)).toEqual([]);
    expect(
      disconnects(gateway)
        .map(({ method, result }) => `${String(method)} ${String(result)}`)
        .sort(),
    ).toEqual(fieldNames.map((field) => `${methodOf(field)} aborted`).sort());
  });

  test('its writes in flight run to completion, and their responses are read', async () => {
    const gateway = await startFaultGateway({ env });
    const { service } = gateway;
    const { open, opened } = createGate();
    service.plan = ({ subject }) =>
      subject.startsWith('write') ? { kind: 'delay', until: () => opened } : undefined;
    const operations = Array.from({ length: 50 }, (_, index) => ({
      field: writes[index % writes.length] ?? 'createNotification',
      subject: `write ${index}`,
    }));
    const clients = operations.map(({ field, subject }) => connectClient(gateway, about(field, subject)));
    await until(() => service.requests.length === operations.length);
    await disconnectAll(clients);
    await until(() => disconnects(gateway).length === operations.length);
    expect(disconnects(gateway).map(({ result }) => result)).toEqual(operations.map(() => 'detached'));
    open();
    await settled(gateway);
    expect(operations.map(({ field, subject }) => service.timesExecuted(methodOf(field), subject))).toEqual(
      operations.map(() => 1),
    );

    // A connection is reused after its response was read, unless it carried a DELETE with a body.
    const laterReads = await Promise.all(
      operations.map((_, index) => gateway.result(about('notification', `afterwards ${index}`))),
    );
    expect(laterReads).toEqual(operations.map((_, index) => success('notification', `afterwards ${index}`)));
    const reused = new Set(service.requests.slice(operations.length).map(({ connection }) => connection));
    const written = service.requests
      .slice(0, operations.length)
      .filter(({ path }) => !path.endsWith('/exception'));
    expect(written.filter(({ connection }) => !reused.has(connection))).toEqual([]);
    await gateway.stop();
  });

  test.each(writes)(
    '%s that waits for a connection is not sent, and logged as NOT_APPLIED',
    async (field) => {
      const gateway = await startFaultGateway({ env: { ...env, SERVICE_CONNECTIONS: '1' } });
      const { service } = gateway;
      const { open, opened } = createGate();
      service.plan = () => ({ kind: 'delay', until: () => opened });
      const first = gateway.execute(about('createNotification', 'in flight'));
      await until(() => service.requests.length === 1);
      const client = connectClient(gateway, about(field, 'waiting'));
      await settled(gateway);
      await sleep(50);
      await disconnectAll([client]);
      await until(() => disconnects(gateway).length === 1);
      open();
      await first;
      await until(() => requestOutcomes(gateway).length === 2);
      expect(disconnects(gateway)).toEqual([{ level: 30, method: methodOf(field), result: 'aborted' }]);
      expect(requestOutcomes(gateway)).toEqual(['NOT_APPLIED', 'APPLIED']);
      await gateway.stop();
      expect(service.requests.map(({ subject }) => subject)).toEqual(['in flight']);
    },
  );

  test('the writes of its operation after the one in flight are not sent', async () => {
    const gateway = await startFaultGateway({ env });
    const { service } = gateway;
    const { open, opened } = createGate();
    service.plan = () => ({ kind: 'delay', until: () => opened });
    const deletion = (subject: string) =>
      `${subject}: deleteNotification(notificationGuid: "${subject}") { notificationGuid }`;
    const query = `mutation { ${['a', 'b', 'c'].map(deletion).join(' ')} }`;
    const client = connectClient(gateway, { query, variables: {} });
    await until(() => service.requests.length === 1);
    await disconnectAll([client]);
    await until(() => disconnects(gateway).length === 1);
    open();
    await until(() => disconnects(gateway).length === 2);
    await settled(gateway);
    expect(service.requests.map(({ subject }) => subject)).toEqual(['a']);
    expect(disconnects(gateway).map(({ result }) => result)).toEqual(['detached', 'aborted']);
    await gateway.stop();
  });
});
