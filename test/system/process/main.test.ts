import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startMockService, type MockService } from '../../../src/mock/mockService.js';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { reasonToSkip, skipTestIf } from '../../support/process/requirements.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';

/** Services that a test has started, stopped after it even if it fails. */
const services: MockService[] = [];
afterEach(async () => {
  killProcesses();
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

describe('Without SERVICE_URL, the gateway', () => {
  const welcomeMessage = new RegExp(
    [
      '',
      'SERVICE_URL is not set: using the mock service at (?<service>http://127\\.0\\.0\\.1:\\d+) \\(in-memory; data is lost on exit\\)\\.',
      '',
      'GraphQL: (?<graphql>http://127\\.0\\.0\\.1:\\d+/graphql) \\(open it in a browser for Apollo Sandbox\\)',
      'Explorer: http://127\\.0\\.0\\.1:\\d+/explorer \\(works offline\\)',
      '',
      'Create a notification and read it back:',
      '',
      '(?<command>GUID=.+\ncurl .+)\n',
    ].join('\n'),
  );

  test('starts the mock service and prints a command that creates a notification and reads it back', async (context) => {
    skipTestIf(reasonToSkip('bash', 'curl', 'sed'), context);
    // A proxy of the developer's machine, which cannot reach the mock.
    const program = startGatewayProcess({ env: { http_proxy: 'http://127.0.0.1:1' } });
    const { service = '', command = '' } = (await program.printed(welcomeMessage)).groups ?? {};

    const shell = startProcess('bash', ['-c', command]);
    const { code, stdout, stderr } = await shell.exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const response = JSON.parse(stdout) as { data: { notification: { notificationGuid: string } } };
    expect(response).toEqual({
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
    const { notificationGuid } = response.data.notification;
    const record = await fetch(`${service}/v1/customnotifications/${notificationGuid}`, {
      headers: { authorization: 'Bearer any' },
    });
    expect(await record.json()).toMatchObject({
      data: [{ notificationGuid, notificationName: 'My first notification' }],
    });
  });

  test('ends itself and the service with code 0 on a signal', async () => {
    const program = startGatewayProcess();
    const { graphql = '', service = '' } = (await program.printed(welcomeMessage)).groups ?? {};
    // fetch keeps a connection to each of them open.
    expect((await send(graphql)).status).toBe(200);
    expect((await fetch(service)).status).toBe(404);
    program.kill('SIGTERM');
    expect(await program.exited).toEqual({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(welcomeMessage) as string,
      stderr: '',
    });
  });
});

describe('With SERVICE_URL, the gateway', () => {
  test('calls that service and prints nothing but log lines in production', async () => {
    const service = await startService();
    const program = startGatewayProcess({
      env: { ...productionEnv, SERVICE_URL: service.url },
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
    const messages = ['Idempotency keys are off', `Server listening at ${origin}`, 'Request'];
    expect(parseLogLines(stdout).map((line) => [line['service'], line['msg']])).toEqual(
      messages.map((message) => ['shipment-graphql-gateway', message]),
    );
    expect(stdout).not.toMatch(/^[^{]/m);
  });

  test('prints its addresses outside of production', async () => {
    const service = await startService();
    const program = startGatewayProcess({ env: { SERVICE_URL: service.url, LOG_LEVEL: 'error' } });
    const [, origin = ''] = await program.printed(/^GraphQL: (.+)\/graphql.*\n(?:Explorer: .+\n)?\n/m);
    program.kill('SIGTERM');
    expect(await program.exited).toEqual({
      code: 0,
      signal: null,
      stdout: `\nUsing the service at ${service.url}/.\n\nGraphQL: ${origin}/graphql (open it in a browser for Apollo Sandbox)\nExplorer: ${origin}/explorer (works offline)\n\n`,
      stderr: '',
    });
  });
});

test('an invalid configuration ends the process with code 1 after printing every problem', async () => {
  const program = startGatewayProcess({
    env: {
      NODE_ENV: 'production',
      PORT: 'http',
      SERVICE_CONNECTIONS: '-1',
      SHIPMENT_PARAMETERS: '{"Key":"5ecret"',
    },
  });
  expect(await program.exited).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: `Invalid configuration (5 problems):
  PORT: expected an integer from 0 to 65535, got "http"
  SHIPMENT_PARAMETERS: expected a JSON object, in single quotes where a shell reads it, and only there
  SERVICE_CONNECTIONS: expected an integer from 1 to 10000, got "-1"
  SERVICE_URL: required when NODE_ENV is production
  IDEMPOTENCY_STORE: required when NODE_ENV is production and REDIS_URL is unset: memory (for a single process) or off (rejects idempotency keys)
`,
  });
});

describe('A port in use ends the process with code 1 and one line on stderr', () => {
  test.each([
    ['for requests', 'PORT', {}],
    ['for the metrics', 'METRICS_PORT', { PORT: '0' }],
  ])('%s', async (_mode, variable, env) => {
    const holder = createServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = holder.address() as AddressInfo;
      const program = startGatewayProcess({ env: { ...env, [variable]: String(port) } });
      expect(await program.exited).toEqual({
        code: 1,
        signal: null,
        stdout: '',
        stderr: `Cannot listen: listen EADDRINUSE: address already in use 127.0.0.1:${port} (HOST, ${variable})\n`,
      });
    } finally {
      holder.close();
    }
  });
});

test('A HOST that does not resolve ends the process with code 1 and one line on stderr', async () => {
  const { code, stdout, stderr } = await startGatewayProcess({ env: { HOST: 'nowhere.invalid' } }).exited;
  expect([code, stdout]).toEqual([1, '']);
  // A machine without a name server cannot know that there is no such name (RFC 6761 §6.4).
  expect(stderr).toMatch(
    /^Cannot listen: getaddrinfo (?:ENOTFOUND|EAI_AGAIN) nowhere\.invalid \(HOST, PORT\)\n$/,
  );
});

async function startService(): Promise<MockService> {
  const service = await startMockService();
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
