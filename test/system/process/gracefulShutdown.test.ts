import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { startMockService, type Fault, type MockService } from '../../../src/mock/mockService.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';
import { createGate, untilHolds } from '../../support/tools/waiting.js';

const READ = '{ notifications { totalPossibleCount } }';
const READ_RESPONSE = { data: { notifications: { totalPossibleCount: 36 } } };
const DELETE = 'deleteNotification(notificationGuid: "e124b63a-74ab-43ac-abaf-d7512394501a") { messages }';

let service: MockService;
let currentFault: Fault | undefined;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterEach(async () => {
  killProcesses();
  agent.destroy();
  currentFault = undefined;
  await service.stop();
});

/** Starts the gateway in a separate process and returns its origin as well. */
async function start(env: Record<string, string>): Promise<GatewayProcess & { origin: string }> {
  service = await startMockService({ faultFor: () => currentFault });
  const program = startGatewayProcess({
    env: { ...productionEnv, SERVICE_URL: service.url, ...env },
  });
  return { ...program, origin: await program.listening() };
}

interface HttpResponse {
  status: number | undefined;
  connection: IncomingHttpHeaders['connection'];
  body: unknown;
}

/** Sends a POST if there is an operation, otherwise a GET; on a new connection unless an agent is given. */
function send(
  url: string,
  { query, via = false, token = 'any' }: { query?: string; via?: Agent | false; token?: string } = {},
) {
  return new Promise<HttpResponse>((resolve, reject) => {
    request(url, {
      agent: via,
      method: query === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        // An agent sets this header itself.
        ...(!via && { connection: 'keep-alive' }),
        ...(query !== undefined && { 'content-type': 'application/json' }),
      },
    })
      .on('response', (response) => {
        const { statusCode: status, headers } = response;
        json(response).then((body) => resolve({ status, connection: headers.connection, body }), reject);
      })
      .on('error', reject)
      .end(query === undefined ? undefined : JSON.stringify({ query }));
  });
}

/** Waits until the service has received a call. */
function restCallReceived(): Promise<void> {
  return untilHolds(() => {
    expect(service.calls.length).toBeGreaterThan(0);
  });
}

test('SIGTERM ends readiness, then new connections, then the process once its requests are complete', async () => {
  const program = await start({ DRAIN_DELAY_MS: '3000' });
  const { origin } = program;
  const alive = { status: 200, connection: 'keep-alive', body: { status: 'ok' } };
  for (const path of ['/livez', '/readyz']) expect(await send(origin + path)).toEqual(alive);
  expect(service.calls).toEqual([]);
  const expected = { status: 200, connection: 'keep-alive', body: READ_RESPONSE };
  expect(await send(`${origin}/livez`, { via: agent })).toEqual(alive);

  const { opened, open } = createGate();
  currentFault = { heldUntil: opened };
  // From another client: identical reads of one client share a REST call.
  const inFlight = send(`${origin}/graphql`, { query: READ, token: 'another' });
  await restCallReceived();
  currentFault = undefined;
  program.kill('SIGTERM');

  await untilHolds(async () => {
    expect(await send(`${origin}/readyz`)).toEqual({
      status: 503,
      connection: 'keep-alive',
      body: { status: 'draining' },
    });
  });
  expect(await send(`${origin}/livez`)).toEqual(alive);
  expect(await send(`${origin}/graphql`, { query: READ })).toEqual(expected);

  // The keep-alive connection serves requests until a response asks to close it.
  let response: HttpResponse = expected;
  while (response.connection !== 'close') {
    expect(response).toEqual(expected);
    response = await send(`${origin}/graphql`, { query: READ, via: agent });
  }
  expect(response).toEqual({ ...expected, connection: 'close' });
  await expect(send(`${origin}/livez`)).rejects.toThrow('ECONNREFUSED');
  open();
  expect(await inFlight).toMatchObject({ status: 200, body: READ_RESPONSE });
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
});

test('a mutation whose writes together take longer than the grace period is aborted, and the process exits with code 0', async () => {
  // The grace period has room for one of them and the reads after it.
  const program = await start({ DRAIN_DELAY_MS: '0', SERVICE_TIMEOUT_MS: '400' });
  currentFault = { neverRespond: true };
  const aliases = Array.from({ length: 10 }, (_, index) => `a${index}: ${DELETE}`);
  const writes = `mutation { ${aliases.join(' ')} }`;
  const hanging = send(`${program.origin}/graphql`, { query: writes }).catch(String);
  await restCallReceived();
  program.kill('SIGTERM');
  expect(await hanging).toMatch(/socket hang up|ECONNRESET/);
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
});

test('SIGINT skips DRAIN_DELAY_MS', async () => {
  const program = await start({ DRAIN_DELAY_MS: '600000' });
  expect((await send(`${program.origin}/livez`, { via: agent })).status).toBe(200);
  program.kill('SIGINT');
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
});

test('a second signal ends the process immediately with code 1', async () => {
  const program = await start({ DRAIN_DELAY_MS: '600000' });
  expect((await send(`${program.origin}/readyz`)).status).toBe(200);
  program.kill('SIGTERM');
  await untilHolds(async () => {
    expect((await send(`${program.origin}/readyz`)).status).toBe(503);
  });
  program.kill('SIGTERM');
  expect(await program.exited).toMatchObject({ code: 1, stderr: '' });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s while the program is loaded ends it, with code %i if it has not started',
  async (signal, code) => {
    service = await startMockService();
    // As soon as the first handler is there, without which process 1 of a container would ignore the signal.
    const probe = `
    const sendSignal = (name) => {
      if (name !== '${signal}') return;
      process.off('newListener', sendSignal);
      setImmediate(() => process.kill(process.pid, '${signal}'));
    };
    process.on('newListener', sendSignal);
  `;
    const program = startGatewayProcess({ env: { ...productionEnv, SERVICE_URL: service.url }, probe });
    // Node.js 26 loads all modules within one turn of the event loop, so the signal is received by the program that has started.
    const { code: received, ...rest } = await program.exited;
    expect([code, 0]).toContain(received);
    expect(rest).toMatchObject({ signal: null, stderr: '' });
  },
);

test('a signal to npm start reaches the gateway', async () => {
  service = await startMockService({});
  const npm = startProcess('npm', ['start'], {
    env: { HOME: tmpdir(), SERVICE_URL: service.url, ...productionEnv, PORT: '0', DRAIN_DELAY_MS: '0' },
  });
  await npm.printed(/Server listening/);
  npm.kill('SIGTERM');
  expect(await npm.exited).toMatchObject({ code: 0, signal: null });
});
