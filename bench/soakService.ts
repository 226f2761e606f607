/**
 * The REST service of the soak, run in its own process: fails in every way that it knows, at random and by schedule, and
 * counts how often it has applied each write. Its messages to the parent process are of the type `SoakMessage`; to any
 * message of the parent it replies with the writes.
 *
 * Argument: seconds from the start of one outage to the next.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { envelopeOf, recordOf } from './fixtures.js';
import { seededRandom } from '../test/support/tools/seededRandom.js';

export type SoakMessage =
  | { url: string }
  /** An outage has ended. */
  | { recoveredAt: number }
  /** How often each write was applied, by `FreightHaulerProviderXID`. */
  | { writes: Record<string, number> };

const OUTAGE_MS = 3000;
/** Longer than any soak's SERVICE_TIMEOUT_MS. */
const HANG_MS = 15_000;

const outageIntervalMs = Number(process.argv[2]) * 1000;
const random = seededRandom('faults of the soak');
const applied = new Map<string, number>();

const server = createServer((request, response) => {
  if (request.method === 'GET') read(request, response);
  else void write(request, response);
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  tell({ url: `http://127.0.0.1:${port}` });
  process.on('message', () => tell({ writes: Object.fromEntries(applied) }));
  setInterval(() => void haveOutage(port), outageIntervalMs);
});

function read({ url = '' }: IncomingMessage, response: ServerResponse): void {
  misbehave(response, () => send(response, 200, envelopeOf([recordOf(url.slice(url.lastIndexOf('/') + 1))])));
}

/** A write takes effect before the response, so a failure after it leaves the gateway without knowledge. */
async function write(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  const { FreightHaulerProviderXID: id } = JSON.parse(text) as { FreightHaulerProviderXID: string };
  const apply = () => applied.set(id, (applied.get(id) ?? 0) + 1);
  if (random.happens(0.005)) {
    send(response, 422, { messages: [{ message: 'The carrier is not known.' }] });
    return;
  }
  apply();
  misbehave(response, () => send(response, 200, true));
}

/** 2 % of the responses fail: by status, by a lost connection, by a body that is cut, by silence. */
function misbehave(response: ServerResponse, respond: () => void): void {
  const chance = random.below(10_000) / 10_000;
  if (chance < 0.01) send(response, 503, { messages: [{ message: 'There is too much to do.' }] });
  else if (chance < 0.015) response.destroy();
  else if (chance < 0.0175)
    response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy());
  else if (chance < 0.0195) setTimeout(respond, 300);
  else if (chance < 0.02) setTimeout(respond, HANG_MS).unref();
  else respond();
}

/** Refuses connections, and cuts those that are open. */
async function haveOutage(port: number): Promise<void> {
  server.close();
  server.closeAllConnections();
  await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
  server.listen(port, '127.0.0.1', () => tell({ recoveredAt: Date.now() }));
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function tell(message: SoakMessage): void {
  process.send?.(message);
}
