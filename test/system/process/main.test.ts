import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  startReferenceService,
  type Fault,
  type ReferenceService,
} from '../../../src/reference-service/referenceService.js';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { reasonToSkip } from '../../support/process/requirements.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';

const TIMEOUT_MS = 30_000;

/** What a test started, and what is ended whatever becomes of it. */
const services: ReferenceService[] = [];
afterEach(async () => {
  killProcesses();
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

describe('without SERVICE_URL', { timeout: TIMEOUT_MS }, () => {
  const greeting = new RegExp(
    [
      '',
      'No SERVICE_URL is set, so the embedded reference service answers, on (?<service>http://127\\.0\\.0\\.1:\\d+); its data is gone when it stops\\.',
      '',
      'GraphQL: (?<graphql>http://127\\.0\\.0\\.1:\\d+/graphql) \\(open it in a browser for Apollo Sandbox\\)',
      'Explorer: http://127\\.0\\.0\\.1:\\d+/explorer \\(needs no internet\\)',
      '',
      'Create a notification and read it back:',
      '',
      '(?<command>GUID=.+\ncurl .+)\n',
    ].join('\n'),
  );

  test('the program starts a service of its own, and prints a command that creates a notification and reads it back', async (context) => {
    const reason = reasonToSkip('bash', 'curl', 'sed');
    if (reason !== undefined) context.skip(reason);
    const program = startGatewayProcess();
    const { service = '', command = '' } = (await program.printed(greeting)).groups ?? {};

    const shell = startProcess('bash', ['-c', command]);
    const { code, stdout, stderr } = await shell.exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answer = JSON.parse(stdout) as { data: { notification: { notificationGuid: string } } };
    expect(answer).toEqual({
      data: {
        notification: {
          notificationGuid: expect.any(String) as string,
          notificationName: 'My first notification',
          shipmentStatuses: ['EN_ROUTE', 'DELIVERED'],
          recipient: { emailList: ['dispatch@example.com'], smsList: ['+13035550100'] },
          lastUpdateDate: expect.any(String) as string,
        },
      },
    });
    const { notificationGuid } = answer.data.notification;
    const record = await fetch(`${service}/v1/customnotifications/${notificationGuid}`, {
      headers: { authorization: 'Bearer any' },
    });
    expect(await record.json()).toMatchObject({
      data: [{ notificationGuid, notificationName: 'My first notification' }],
    });
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends the program and its service with code 0',
    async (signal) => {
      const program = startGatewayProcess();
      const { graphql = '', service = '' } = (await program.printed(greeting)).groups ?? {};
      // Both keep a connection of this client open.
      expect((await send(graphql)).status).toBe(200);
      expect((await fetch(service)).status).toBe(404);
      program.kill(signal);
      expect(await program.exited).toEqual({
        code: 0,
        signal: null,
        stdout: expect.stringMatching(greeting) as string,
        stderr: '',
      });
    },
  );

  test('the program does not start in production', async () => {
    expect(await startGatewayProcess({ env: { NODE_ENV: 'production' } }).exited).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr:
        'Invalid configuration (1 problem):\n' +
        '  SERVICE_URL: expected the address of the service, as NODE_ENV is production, got nothing\n',
    });
  });
});

describe('with SERVICE_URL', { timeout: TIMEOUT_MS }, () => {
  test('the program runs in front of that service, and says nothing but log lines', async () => {
    const service = await startService();
    const program = startGatewayProcess({
      env: { SERVICE_URL: service.url, NODE_ENV: 'production' },
    });
    const origin = await program.listening();
    expect(await (await send(`${origin}/graphql`)).json()).toEqual({
      data: { notifications: { totalPossibleCount: 36 } },
    });
    expect(service.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/customnotifications',
    ]);

    program.kill('SIGTERM');
    const { code, stdout, stderr } = await program.exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(parseLogLines(stdout).map(({ msg }) => msg)).toEqual([`Server listening at ${origin}`, 'Request']);
  });

  test(
    'SIGTERM ends the program as soon as the requests in flight are answered',
    { timeout: 20_000 },
    async () => {
      const service = await startService({ delayMs: 500 });
      const program = startGatewayProcess({ env: { SERVICE_URL: service.url } });
      const origin = await program.listening();
      const response = send(`${origin}/graphql`);
      await vi.waitFor(() => {
        expect(service.calls.length).toBe(1);
      });
      program.kill('SIGTERM');
      expect(await (await response).json()).toEqual({ data: { notifications: { totalPossibleCount: 36 } } });
      expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    },
  );
});

test(
  'a bad configuration ends the program with code 1 and every problem, before anything else',
  { timeout: TIMEOUT_MS },
  async () => {
    const program = startGatewayProcess({
      env: {
        NODE_ENV: 'production',
        PORT: 'http',
        SERVICE_RETRIES: '-1',
        SHIPMENT_PARAMETERS: '{"Key":"5ecret"',
      },
    });
    expect(await program.exited).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `Invalid configuration (4 problems):
  PORT: expected a whole number from 0 to 65535, got "http"
  SHIPMENT_PARAMETERS: expected a JSON object
  SERVICE_RETRIES: expected a whole number from 0 to 10, got "-1"
  SERVICE_URL: expected the address of the service, as NODE_ENV is production, got nothing
`,
    });
  },
);

describe('a port that is in use ends the program with code 1', { timeout: TIMEOUT_MS }, () => {
  test.each([
    ['without SERVICE_URL', {}],
    ['with SERVICE_URL', { SERVICE_URL: 'http://127.0.0.1:9' }],
  ])('%s', async (_name, env) => {
    const holder = createServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = holder.address() as AddressInfo;
      const { code, stdout, stderr } = await startGatewayProcess({ env: { ...env, PORT: String(port) } })
        .exited;
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(parseLogLines(stdout)).toMatchObject([
        { level: 60, msg: 'The gateway failed to start', err: { code: 'EADDRINUSE', port } },
      ]);
    } finally {
      holder.close();
    }
  });
});

async function startService(fault?: Fault): Promise<ReferenceService> {
  const service = await startReferenceService({ faultFor: () => fault });
  services.push(service);
  return service;
}

function send(url: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
    body: JSON.stringify({ query: '{ notifications { totalPossibleCount } }' }),
  });
}
