/** Clients cannot create time series: each one costs memory in the gateway and in the metrics store. */
import { Agent, METHODS, request } from 'node:http';
import pMap from 'p-map';
import { expect, test } from 'vitest';
import { freePort } from '../../support/tools/freePort.js';
import { startGateway } from '../../support/gateway/gateway.js';
import { counts, scrape } from '../../support/telemetry/metrics.js';
import { seededRandom } from '../../support/tools/seededRandom.js';

const REQUESTS = 500;
const random = seededRandom('odd requests');
const odd = () => `odd${random.below(1e9)}`;
/** Without CONNECT: the gateway closes the connection instead of sending a response. */
const methods = METHODS.filter((method) => method !== 'CONNECT') as [string, ...string[]];

interface RandomRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

const post = (value: unknown): RandomRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${odd()}` },
  body: JSON.stringify(value),
});

const kinds: [() => RandomRequest, ...(() => RandomRequest)[]] = [
  () => ({ method: random.pick(methods), path: `/${odd()}?${odd()}=${odd()}`, headers: {} }),
  () => ({ method: random.pick(methods), path: '/graphql', headers: { [odd()]: odd() } }),
  () => ({ method: 'POST', path: '/graphql', headers: { 'content-type': `text/${odd()}` }, body: odd() }),
  () => post({ query: `query ${odd()} { __typename }` }),
  () => post({ query: `{ ${odd()} }` }),
  () => post({ query: `${odd()} { __typename }` }),
  () => post({ query: '{ __typename }', operationName: odd() }),
  () => post({ extensions: { persistedQuery: { version: 1, sha256Hash: odd() } } }),
  () => post({ query: `{ notification(notificationGuid: "${odd()}") { notificationGuid } }` }),
  () => post({ query: `mutation { deleteNotification(notificationGuid: "${odd()}") { messages } }` }),
];

test(
  `${REQUESTS} random requests create no series beyond the methods of Node.js, the statuses and the codes`,
  { timeout: 180_000 },
  async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/metrics`;
    const gateway = await startGateway({ env: { METRICS_PORT: String(port) } });
    const zero = await counts(url);
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const requests = Array.from({ length: REQUESTS }, () => random.pick(kinds)());
    await pMap(requests, (each) => send(gateway.url, agent, each), { concurrency: 20 });

    const names = Object.keys(await scrape(url));
    const own = Object.entries(await counts(url)).filter(([name, count]) => !(name in zero && count === 0));
    console.log(
      `${REQUESTS} random requests: ${names.length} series, ${own.length} of them counters of the gateway`,
    );
    expect(names.filter((name) => name.includes('odd'))).toEqual([]);
    expect(own.length).toBeLessThan(2 * METHODS.length + 60);
    const received = own.filter(([name]) => name.startsWith('http_server_request_duration_seconds_count'));
    expect(received.reduce((sum, [, count]) => sum + count, 0)).toBe(REQUESTS);
    agent.destroy();
    await gateway.stop();
  },
);

function send(url: string, agent: Agent, { method, path, headers, body }: RandomRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    request(new URL(path, url), { agent, method, headers })
      .on('response', (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end(body);
  });
}
