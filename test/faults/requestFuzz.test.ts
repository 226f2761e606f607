/** Requests of any content: each gets a response that is small, and tells nothing of the engine or the process. */
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startInProcessGateway, type InProcessGateway } from '../support/gateway/inProcessGateway.js';
import { TOKEN } from '../support/http/post.js';
import { serve } from '../support/http/serve.js';
import { randomBody } from '../support/graphql/randomRequests.js';
import { ENGINE_MESSAGE } from '../support/http/engineMessage.js';
import { seededRandom } from '../support/tools/seededRandom.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

let gateway: InProcessGateway;
let clients: Pool;
beforeAll(async () => {
  gateway = await startInProcessGateway(await serve(rejecting));
  clients = new Pool(new URL(gateway.url).origin, { connections: 1 });
});
afterAll(async () => {
  await clients.destroy();
  await gateway.stop();
});

/** A service that rejects every REST call and has much to say about it. */
const rejecting = createServer((request, response) => {
  const messages = Array.from({ length: 20 }, (_, index) => `${index} ${'reason '.repeat(60)}`);
  request.resume().on('end', () => {
    response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify({ messages }));
  });
});

/** With the last one, which says how many more there are. */
const MAX_ERRORS = 101;
/** Each has a shortened message, and a response key of at most 1,000 characters in its path and its extensions. */
const MAX_ERRORS_BYTES = MAX_ERRORS * 2500;

interface Exchange {
  status: number;
  text: string;
}

async function send(body: Buffer, token: string | undefined): Promise<Exchange> {
  const response = await clients.request({
    path: '/graphql',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body,
  });
  return { status: response.statusCode, text: await response.body.text() };
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
    bytes > 2 * requestBytes + MAX_ERRORS_BYTES && !holdsData(data)
      ? `${bytes} bytes for ${requestBytes}`
      : [],
    errors.length > MAX_ERRORS ? `${errors.length} errors` : [],
    errors.filter(({ message }) => ENGINE_MESSAGE.test(message)).map(({ message }) => `message ${message}`),
  ].flat();
}

test(`${sizes.fuzzedRequests} requests of any content get small responses`, async () => {
  const random = seededRandom('fuzzed requests');
  const failures: object[] = [];
  const statuses: Record<number, number> = {};
  for (let index = 0; index < sizes.fuzzedRequests && failures.length < 5; index += 1) {
    const body = randomBody(random);
    const token = random.happens(0.5) ? TOKEN : undefined;
    const exchange = await send(body, token);
    statuses[exchange.status] = (statuses[exchange.status] ?? 0) + 1;
    const problems = problemsOf(exchange, body.length);
    if (problems.length > 0) failures.push({ index, problems, body: body.toString('latin1', 0, 500) });
    gateway.logLines.length = 0;
  }
  console.log('Statuses:', statuses);
  expect(failures).toEqual([]);
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400']));
});
