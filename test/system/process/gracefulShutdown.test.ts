import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  startReferenceService,
  type Fault,
  type ReferenceService,
} from '../../../src/reference-service/referenceService.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { killProcesses } from '../../support/process/startProcess.js';

const READ = '{ notifications { totalPossibleCount } }';
const READ_ANSWER = { data: { notifications: { totalPossibleCount: 36 } } };
const WRITE =
  'mutation { deleteNotification(notificationGuid: "e124b63a-74ab-43ac-abaf-d7512394501a") { messages } }';

let service: ReferenceService;
let standing: Fault | undefined;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterEach(async () => {
  killProcesses();
  agent.destroy();
  standing = undefined;
  await service.stop();
});

/** Starts the program, and gives its address besides. */
async function start(env: Record<string, string>): Promise<GatewayProcess & { origin: string }> {
  service = await startReferenceService({ faultFor: () => standing });
  const program = startGatewayProcess({
    env: { SERVICE_URL: service.url, NODE_ENV: 'production', ...env },
  });
  return { ...program, origin: await program.listening() };
}

interface HttpAnswer {
  status: number | undefined;
  connection: IncomingHttpHeaders['connection'];
  body: unknown;
}

/** A GET, or a POST where there is an operation; over a connection of its own where no agent is given. */
function send(
  url: string,
  { query, via = false, token = 'any' }: { query?: string; via?: Agent | false; token?: string } = {},
) {
  return new Promise<HttpAnswer>((resolve, reject) => {
    request(url, {
      agent: via,
      method: query === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        // An agent asks for it itself.
        ...(!via && { connection: 'keep-alive' }),
        ...(query !== undefined && { 'content-type': 'application/json' }),
      },
    })
      .on('response', (response) => {
        const { statusCode: status, headers } = response;
        json(response).then((body) => {
          resolve({ status, connection: headers.connection, body });
        }, reject);
      })
      .on('error', reject)
      .end(query === undefined ? undefined : JSON.stringify({ query }));
  });
}

/** Waits until the service got a call. */
function reached(): Promise<void> {
  return vi.waitFor(() => {
    expect(service.calls.length).toBeGreaterThan(0);
  });
}

test('SIGTERM ends readiness first, then new connections, then the program when its requests are answered', async () => {
  const program = await start({ DRAIN_DELAY_MS: '3000' });
  const { origin } = program;
  const alive = { status: 200, connection: 'keep-alive', body: { status: 'ok' } };
  for (const path of ['/livez', '/readyz']) expect(await send(origin + path)).toEqual(alive);
  expect(service.calls).toEqual([]);
  const answer = { status: 200, connection: 'keep-alive', body: READ_ANSWER };
  expect(await send(`${origin}/livez`, { via: agent })).toEqual(alive);

  standing = { delayMs: 6000 };
  // Of another caller, as identical reads of one are one call.
  const inFlight = send(`${origin}/graphql`, { query: READ, token: 'another' });
  await reached();
  standing = undefined;
  program.kill('SIGTERM');

  await vi.waitFor(async () => {
    expect(await send(`${origin}/readyz`)).toEqual({
      status: 503,
      connection: 'keep-alive',
      body: { status: 'draining' },
    });
  });
  expect(await send(`${origin}/livez`)).toEqual(alive);
  expect(await send(`${origin}/graphql`, { query: READ })).toEqual(answer);

  // One connection that is kept, until it is told to close.
  let kept: HttpAnswer = answer;
  while (kept.connection !== 'close') {
    expect(kept).toEqual(answer);
    kept = await send(`${origin}/graphql`, { query: READ, via: agent });
  }
  expect(kept).toEqual({ ...answer, connection: 'close' });
  await expect(send(`${origin}/livez`)).rejects.toThrow('ECONNREFUSED');
  expect(await inFlight).toMatchObject({ status: 200, body: READ_ANSWER });
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
});

describe('what hangs is cut off after SHUTDOWN_GRACE_MS, and the program ends with code 0', () => {
  test.each([
    ['a query', READ],
    ['a mutation', WRITE],
  ])('%s', async (_what, query) => {
    const program = await start({
      DRAIN_DELAY_MS: '0',
      SHUTDOWN_GRACE_MS: '500',
      SERVICE_TIMEOUT_MS: '600000',
    });
    standing = { neverRespond: true };
    const hanging = send(`${program.origin}/graphql`, { query }).catch(String);
    await reached();
    program.kill('SIGTERM');
    expect(await hanging).toMatch(/socket hang up|ECONNRESET/);
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
  });
});

test('SIGINT does not wait for a load balancer', async () => {
  const program = await start({ DRAIN_DELAY_MS: '600000' });
  expect((await send(`${program.origin}/livez`, { via: agent })).status).toBe(200);
  program.kill('SIGINT');
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
});

test('a second signal ends the program at once with code 1', async () => {
  const program = await start({ DRAIN_DELAY_MS: '600000' });
  expect((await send(`${program.origin}/readyz`)).status).toBe(200);
  program.kill('SIGTERM');
  await vi.waitFor(async () => {
    expect((await send(`${program.origin}/readyz`)).status).toBe(503);
  });
  program.kill('SIGTERM');
  expect(await program.exited).toMatchObject({ code: 1, stderr: '' });
});
