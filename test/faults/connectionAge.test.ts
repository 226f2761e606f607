/**
 * Addresses of the service that are added get their share, because connections have an age; no call is lost or doubled by it. A stub of
 * `dns.lookup` stands in for a name server.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { startInProcessGateway } from '../support/gateway/inProcessGateway.js';
import { TOKEN } from '../support/http/post.js';
import { about, success } from '../support/graphql/faultOperations.js';
import { stubDns } from '../support/http/stubDns.js';
import {
  startFaultServer,
  type FaultServer,
  type FaultServerOptions,
} from '../support/service/faultServer.js';
import { until } from '../support/tools/waiting.js';

const AGE_MS = 300;
const CLIENTS = 30;
const WRITES = ['createNotification', 'updateNotification', 'deleteNotification', 'trackShipment'] as const;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

test('a third address of the name of the service gets its share of the calls', async () => {
  const first = await startService();
  const port = Number(new URL(first.url).port);
  const services = [
    first,
    await startService({ host: '127.0.0.2', port }),
    await startService({ host: '127.0.0.3', port }),
  ];
  const addresses = ['127.0.0.1', '127.0.0.2'];
  const dns = stubDns('service.test', (reply) => {
    reply(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  });
  cleanups.push(() => dns.restore());
  const gateway = await startInProcessGateway(
    { url: first.url.replace('127.0.0.1', 'service.test'), stop: () => Promise.resolve() },
    { config: { service: { maxConnectionAgeMs: AGE_MS } } },
  );
  cleanups.push(() => gateway.stop());
  const load = startLoad(gateway.url);
  await load.sends(100);
  expect(services[2]?.requests).toEqual([]);
  addresses.push('127.0.0.3');
  await sleep(2 * AGE_MS);
  const before = services.map(({ requests }) => requests.length);
  await load.sends(400);
  await sleep(2 * AGE_MS);
  const subjects = await load.stop();

  expectOnce(subjects, services);
  const shares = sharesOf(services.map(({ requests }, index) => requests.length - (before[index] ?? 0)));
  console.log(`${subjects.length} mutations; shares of the addresses: ${shares.join(', ')}`);
  for (const share of shares) expect(share).toBeGreaterThan(0.1);
});

async function startService(options?: FaultServerOptions): Promise<FaultServer> {
  const service = await startFaultServer(options);
  cleanups.push(() => service.stop());
  return service;
}

/** Clients that each send one mutation after the other over a connection that they keep open; all must succeed. */
function startLoad(url: string) {
  const { origin, pathname } = new URL(url);
  const subjects: string[] = [];
  let isStopping = false;
  const run = async (client: Client) => {
    while (!isStopping) {
      const subject = `subject-${subjects.length}`;
      const field = WRITES[subjects.length % WRITES.length] ?? 'trackShipment';
      subjects.push(subject);
      const { body } = await client.request({
        path: pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify(about(field, subject)),
      });
      expect(await body.json()).toEqual({ data: success(field, subject).data });
    }
    await client.close();
  };
  const runs = Promise.all(Array.from({ length: CLIENTS }, () => run(new Client(origin))));
  return {
    /** Waits until so many more are sent. */
    sends(count: number) {
      const target = subjects.length + count;
      return until(() => subjects.length >= target);
    },
    async stop() {
      isStopping = true;
      await runs;
      return subjects;
    },
  };
}

/** Expects that each write was sent once, to one of the services. */
function expectOnce(subjects: readonly string[], services: readonly FaultServer[]): void {
  const sent = services.flatMap(({ requests }) =>
    requests.filter(({ method }) => method !== 'GET').map(({ subject }) => subject),
  );
  expect(sent.sort()).toEqual([...subjects].sort());
}

function sharesOf(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => count / total);
}
