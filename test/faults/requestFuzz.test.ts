/** Requests of any content: each gets a response that is small, cheap, and tells nothing of the engine or the process. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startInProcessGateway, TOKEN, type InProcessGateway } from '../support/gateway/inProcessGateway.js';
import { randomBody } from '../support/graphql/randomRequests.js';
import { ENGINE_MESSAGE } from '../support/http/engineMessage.js';
import { seededRandom } from '../support/tools/seededRandom.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

/** Maximum CPU time of a request in milliseconds, including that of the client in the same process. */
const MAX_CPU_MS = 50;
/** Sending a suspicious request again separates its cost from that of a garbage collection or of a compilation. */
const MEASUREMENTS = 6;
/** The code for requests that are not cheap yet is not compiled yet. */
const WARM_UP_REQUESTS = 300;

let gateway: InProcessGateway;
let clients: Pool;
beforeAll(async () => {
  const service = await startRejectingService();
  // A busy machine must not shed load.
  gateway = await startInProcessGateway(service, { MAX_EVENT_LOOP_DELAY_MS: '60000' });
  clients = new Pool(new URL(gateway.url).origin, { connections: 1 });
});
afterAll(async () => {
  await clients.destroy();
  await gateway.stop();
});

/** A service that rejects every REST call and has much to say about it. */
async function startRejectingService() {
  const messages = Array.from({ length: 20 }, (_, index) => `${index} ${'reason '.repeat(60)}`);
  const body = JSON.stringify({ messages });
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(422, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

interface Exchange {
  status: number;
  text: string;
  cpuMs: number;
}

async function send(body: Buffer, token: string | undefined): Promise<Exchange> {
  const before = process.cpuUsage();
  const response = await clients.request({
    path: '/graphql',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body,
  });
  const text = await response.body.text();
  const { user, system } = process.cpuUsage(before);
  return { status: response.statusCode, text, cpuMs: (user + system) / 1000 };
}

/** Whether any field of the data has a value. */
function holdsData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value !== null && value !== undefined;
  return Object.values(value).some(holdsData);
}

/** What is wrong with a response. */
function problemsOf({ status, text }: Exchange, requestBytes: number): string[] {
  const { data, errors = [] } = JSON.parse(text) as { data?: unknown; errors?: { message: string }[] };
  const bytes = Buffer.byteLength(text);
  return [
    data === undefined && errors.length === 0 ? `neither data nor errors: ${text}` : [],
    status >= 500 ? `status ${status}: ${text.slice(0, 300)}` : [],
    bytes > 2 * requestBytes + 65_536 && !holdsData(data) ? `${bytes} bytes for ${requestBytes}` : [],
    errors.length > 100 ? `${errors.length} errors` : [],
    Buffer.byteLength(JSON.stringify(errors)) > 65_536 ? 'errors larger than 64 KiB' : [],
    errors.filter(({ message }) => ENGINE_MESSAGE.test(message)).map(({ message }) => `message ${message}`),
  ].flat();
}

test(`${sizes.fuzzedRequests} requests of any content get small and cheap responses`, async () => {
  const random = seededRandom('fuzzed requests');
  const failures: object[] = [];
  const slowest = { cpuMs: 0, body: '' };
  const statuses: Record<number, number> = {};
  for (let index = 0; index < sizes.fuzzedRequests && failures.length < 5; index += 1) {
    const body = randomBody(random);
    const token = random.happens(0.5) ? TOKEN : undefined;
    const exchange = await send(body, token);
    statuses[exchange.status] = (statuses[exchange.status] ?? 0) + 1;
    const problems = problemsOf(exchange, body.length);
    if (index >= WARM_UP_REQUESTS) {
      let { cpuMs } = exchange;
      for (let time = 1; time < MEASUREMENTS && cpuMs > MAX_CPU_MS; time += 1)
        cpuMs = Math.min(cpuMs, (await send(body, token)).cpuMs);
      if (cpuMs > MAX_CPU_MS) problems.push(`${cpuMs} ms of CPU`);
      if (cpuMs > slowest.cpuMs) Object.assign(slowest, { cpuMs, body: body.toString('latin1', 0, 200) });
    }
    if (problems.length > 0) failures.push({ index, problems, body: body.toString('latin1', 0, 500) });
    gateway.logLines.length = 0;
  }
  console.log('Statuses:', statuses, 'slowest:', slowest);
  expect(failures).toEqual([]);
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400']));
});
