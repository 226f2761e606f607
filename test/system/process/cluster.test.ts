import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import pMap from 'p-map';
import { afterEach, expect, test, vi } from 'vitest';
import { startReferenceService } from '../../../src/reference-service/referenceService.js';
import { freePort } from '../../support/tools/freePort.js';
import { counts } from '../../support/telemetry/metrics.js';
import {
  execute,
  listening,
  requestsByWorker,
  startCluster as start,
} from '../../support/process/clusterProcess.js';
import {
  parseLogLines,
  startGatewayProcess,
  type GatewayProcess,
} from '../../support/process/gatewayProcess.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { until, untilHolds } from '../../support/tools/waiting.js';

vi.setConfig({ testTimeout: 60_000 });

afterEach(killProcesses);

const READ = '{ notifications { totalPossibleCount } }';

/** Has each worker print its start, and all but the first two, thus every replacement, exit before it listens. */
const FAILING_REPLACEMENTS = `
  import cluster from 'node:cluster';
  if (cluster.isWorker) {
    console.log(JSON.stringify({ msg: 'Worker started', pid: process.pid }));
    if (cluster.worker.id > 2) process.exit(70);
  }
`;

/** Has the second worker start 4 s later than the first one, and the third one exit before it listens. */
const SLOW_SECOND_WORKER = `
  import cluster from 'node:cluster';
  if (cluster.worker?.id === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);
  if (cluster.worker?.id === 3) process.exit(70);
`;

/** Has each worker pass its channel to the primary on to a process that lives for longer. */
const OUTLIVED_CHANNEL = `
  import cluster from 'node:cluster';
  import { spawn } from 'node:child_process';
  if (cluster.isWorker) spawn('sleep', ['20'], { stdio: ['ignore', 'ignore', 'ignore', process.channel.fd] });
`;

test('the explorer of every worker knows that the cluster uses the mock service', async () => {
  const { origin } = await start();
  const pages = await pMap(Array.from({ length: 10 }), async () => {
    const response = await fetch(`${origin}/explorer/`, { headers: { connection: 'close' } });
    return (await response.text()).includes('data-service="mock"');
  });
  expect(pages).toEqual(pages.map(() => true));
});

test('workers share the port and the embedded service, and their metrics are summed up', async () => {
  const metricsPort = await freePort();
  const cluster = await start({ METRICS_PORT: String(metricsPort) });
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  const create = `
    mutation {
      createNotification(
        input: {
          notificationName: "Shared"
          recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } }
          trigger: { shipmentStatusChange: [DELIVERED] }
        }
      ) {
        messages
      }
    }
  `;
  expect(await execute(cluster.url, create)).toEqual({ data: { createNotification: { messages: [] } } });
  const responses = await pMap(Array<string>(40).fill(READ), (query) => execute(cluster.url, query), {
    concurrency: 4,
  });
  // 36 notifications of the seed data and the created one.
  expect(responses).toEqual(responses.map(() => ({ data: { notifications: { totalPossibleCount: 37 } } })));

  await untilHolds(() => {
    const byWorker = requestsByWorker(cluster);
    expect([...byWorker.keys()].sort()).toEqual(listening(cluster).sort());
    expect([...byWorker.values()].reduce((sum, count) => sum + count)).toBe(41);
  });
  const labels = (type: string) =>
    `{http_request_method="POST",http_response_status_code="200",graphql_operation_type="${type}"}`;
  const values = await counts(metricsUrl);
  expect(values).toMatchObject({
    [`http_server_request_duration_seconds_count${labels('query')}`]: 40,
    [`http_server_request_duration_seconds_count${labels('mutation')}`]: 1,
  });
  expect(Object.entries(values).filter(([name]) => name.startsWith('rest_circuit_open'))).toEqual([
    [expect.any(String), 0],
  ]);
  cluster.kill('SIGTERM');
  expect(await cluster.exited).toMatchObject({ code: 0, stderr: '' });
});

test('a worker that is killed is replaced while the others keep serving', async () => {
  const metricsPort = await freePort();
  const cluster = await start({ METRICS_PORT: String(metricsPort) });
  const [victim] = listening(cluster) as [number];
  process.kill(victim, 'SIGKILL');
  await cluster.printed(
    new RegExp(
      `"level":50,[^\\n]*"worker":${victim},[^\\n]*"signal":"SIGKILL","msg":"Worker exited unexpectedly`,
    ),
  );
  const response = { data: { notifications: { totalPossibleCount: 36 } } };
  while (listening(cluster).length < 3) {
    expect(await execute(cluster.url, READ)).toEqual(response);
    // A worker that is still starting neither contributes metrics nor delays them.
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    await metrics.text(); // a response that is not read holds its connection
    expect(metrics.status).toBe(200);
  }
  await untilHolds(async () => {
    await execute(cluster.url, READ);
    const workers = listening(cluster).filter((pid) => pid !== victim);
    expect([...requestsByWorker(cluster).keys()]).toEqual(expect.arrayContaining(workers));
  });
  cluster.kill('SIGTERM');
  expect(await cluster.exited).toMatchObject({ code: 0, stderr: '' });
});

test('a worker that is killed while another one starts is replaced, and so is a replacement that exits', async () => {
  const cluster = startGatewayProcess({
    env: { WEB_CONCURRENCY: '2', PORT: String(await freePort()) },
    probe: SLOW_SECOND_WORKER,
  });
  await until(() => listening(cluster).length === 1);
  process.kill(listening(cluster)[0] as number, 'SIGKILL');
  await cluster.printed(/"signal":"SIGKILL","msg":"Worker exited unexpectedly/);
  await cluster.printed(/"code":70,"signal":null,"msg":"Worker exited unexpectedly/);
  await until(() => listening(cluster).length === 3);
});

test('replacements that exit at once are started a second apart, while the other workers keep serving', async () => {
  const cluster = await start({}, FAILING_REPLACEMENTS);
  process.kill(listening(cluster)[0] as number, 'SIGKILL');
  await until(() => failedReplacements(cluster).length >= 4);
  const times = failedReplacements(cluster).map(({ time }) => time as number);
  const [first = 0] = times;
  // Within 2.5 s: the first one, and those that follow it after one and after two seconds.
  expect(times.filter((time) => time - first < 2500).length).toBeLessThanOrEqual(3);
  expect(await execute(cluster.url, READ)).toEqual({ data: { notifications: { totalPossibleCount: 36 } } });
  cluster.kill('SIGTERM');
  expect(await cluster.exited).toMatchObject({ code: 0, stderr: '' });
});

test('a worker whose replacement is delayed is not replaced once the cluster shuts down', async () => {
  // The last worker drains for longer than a replacement is delayed.
  const cluster = await start({ DRAIN_DELAY_MS: '3000' }, FAILING_REPLACEMENTS);
  process.kill(listening(cluster)[0] as number, 'SIGKILL');
  await until(() => failedReplacements(cluster).length >= 1);
  cluster.kill('SIGTERM');
  const { code, stdout, stderr } = await cluster.exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // The two workers, and the replacement that was started before the signal.
  expect([...stdout.matchAll(/"msg":"Worker started"/g)].length).toBe(3);
});

test('a worker that has exited before its channel closes delays neither metrics nor the shutdown', async () => {
  const metricsPort = await freePort();
  const cluster = await start({ METRICS_PORT: String(metricsPort) }, OUTLIVED_CHANNEL);
  process.kill(listening(cluster)[0] as number, 'SIGKILL');
  await cluster.printed(/"msg":"Worker exited unexpectedly/);
  expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200);
  cluster.kill('SIGTERM');
  expect(await cluster.exited).toMatchObject({ code: 0, stderr: '' });
});

/** The log lines about replacements that have exited, in a cluster with `FAILING_REPLACEMENTS`. */
function failedReplacements({ output }: GatewayProcess): Record<string, unknown>[] {
  return [...output().matchAll(/^.*"code":70,.*"msg":"Worker exited unexpectedly.*$/gm)].flatMap(([line]) =>
    parseLogLines(line),
  );
}

test.each([
  ['SIGTERM', { DRAIN_DELAY_MS: '500' }],
  ['SIGINT', { DRAIN_DELAY_MS: '600000' }],
] as const)(
  '%s to the primary ends all processes with code 0 once their requests are complete',
  async (signal, env) => {
    const service = await startReferenceService({ faultFor: () => ({ delayMs: 2000 }) });
    const cluster = await start({ ...env, SERVICE_URL: service.url });
    const workers = listening(cluster) as number[];
    const responses = Promise.all(
      Array.from({ length: 8 }, (_, index) => execute(cluster.url, READ, `token-${index}`)),
    );
    await until(() => service.calls.length === 8);
    cluster.kill(signal);
    expect(await responses).toEqual(
      Array.from({ length: 8 }, () => ({ data: { notifications: { totalPossibleCount: 36 } } })),
    );
    expect(await cluster.exited).toMatchObject({ code: 0, stderr: '' });
    expect(workers.filter(isAlive)).toEqual([]);
    await service.stop();
  },
);

test('workers exit if the primary is killed', async () => {
  const cluster = await start();
  const workers = listening(cluster) as number[];
  cluster.kill('SIGKILL');
  await untilHolds(() => {
    expect(workers.filter(isAlive)).toEqual([]);
  });
});

test.each(['PORT', 'METRICS_PORT'])(
  'a %s in use ends the primary with code 1 and one line, before it starts workers',
  async (name) => {
    const holder = createServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    const { port } = holder.address() as AddressInfo;
    const program = startGatewayProcess({ env: { WEB_CONCURRENCY: '2', [name]: String(port) } });
    const { code, stdout, stderr } = await program.exited;
    holder.close();
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `Cannot listen on 127.0.0.1:${port}: the port is already in use (HOST, ${name})\n`,
    });
  },
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
