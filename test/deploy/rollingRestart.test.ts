import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { freePort, nginxMissing, startNginx } from '../support/nginx.js';

const RESTARTS = 20;
const REQUESTS_PER_SECOND = 200;
const QUERY = JSON.stringify({ query: '{ notifications { totalPossibleCount } }' });

const missing = nginxMissing();
beforeEach((context) => {
  if (missing !== undefined && process.env['REQUIRE_ALL'] !== '1') context.skip(missing);
});

const toStop: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of toStop.splice(0).reverse()) await stop();
});

test(
  `${RESTARTS} restarts, of one replica after the other, lose no request`,
  { timeout: 300_000 },
  async () => {
    const ports = [await freePort(), await freePort()] as const;
    const start = (port: number) => startGateway({ env: { PORT: String(port), DRAIN_DELAY_MS: '500' } });
    const replicas: [TestGateway, TestGateway] = [await start(ports[0]), await start(ports[1])];
    toStop.push(() => Promise.all(replicas.map((replica) => replica.stop())));
    const nginx = await startNginx(ports);
    toStop.push(() => nginx.stop());
    const load = startLoad(`${nginx.url}/graphql`);
    toStop.push(() => load.stop());

    for (let count = 0; count < RESTARTS; count++) {
      const index = (count % 2) as 0 | 1;
      await replicas[index].stop();
      replicas[index] = await start(ports[index]);
    }
    const { sent, outcomes } = await load.stop();
    expect(outcomes).toEqual({ '200 {"data":{"notifications":{"totalPossibleCount":36}}}': sent });
    expect(sent).toBeGreaterThan((RESTARTS * REQUESTS_PER_SECOND) / 2);
  },
);

/** Sends requests at a steady rate over connections that are kept, and counts how they end. */
function startLoad(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const outcomes: Record<string, number> = {};
  const inFlight = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  const send = () => {
    sent += 1;
    const one = post(url, agent)
      .catch((error: unknown) => String(error))
      .then((outcome) => {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        inFlight.delete(one);
      });
    inFlight.add(one);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * REQUESTS_PER_SECOND;
    while (sent < due) send();
  }, 5);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(inFlight);
      agent.destroy();
      return { sent, outcomes };
    },
  };
}

function post(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    request(url, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer a' },
    })
      .on('response', (response) => {
        json(response).then((body) => {
          resolve(`${response.statusCode} ${JSON.stringify(body)}`);
        }, reject);
      })
      .on('error', reject)
      .end(QUERY);
  });
}
