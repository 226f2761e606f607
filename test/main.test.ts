import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  startReferenceService,
  type Interference,
  type ReferenceService,
} from '../src/reference-service/referenceService.js';

const TIMEOUT_MS = 30_000;
const folder = fileURLToPath(new URL('..', import.meta.url));
const { PATH = '', REQUIRE_ALL } = process.env;

/** What a test started, and what is ended whatever becomes of it. */
const children: ChildProcess[] = [];
const services: ReferenceService[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
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
    const missing = ['bash', 'curl', 'sed'].filter(
      (tool) => spawnSync(tool, ['--version']).error !== undefined,
    );
    if (missing.length > 0 && REQUIRE_ALL !== '1') {
      context.skip(`The printed command needs ${missing.join(' and ')}, not found here.`);
    }
    const program = start({});
    const { service = '', command = '' } = (await program.printed(greeting)).groups ?? {};

    const shell = run('bash', ['-c', command]);
    const { code, stdout, stderr } = await shell.ended;
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
      const program = start({});
      const { graphql = '', service = '' } = (await program.printed(greeting)).groups ?? {};
      // Both keep a connection of this client open.
      expect((await send(graphql)).status).toBe(200);
      expect((await fetch(service)).status).toBe(404);
      program.child.kill(signal);
      expect(await program.ended).toEqual({
        code: 0,
        signal: null,
        stdout: expect.stringMatching(greeting) as string,
        stderr: '',
      });
    },
  );

  test('the program does not start in production', async () => {
    expect(await start({ NODE_ENV: 'production' }).ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr:
        'The configuration has a problem:\n' +
        '  SERVICE_URL: expected the address of the service, as NODE_ENV is production, got nothing\n',
    });
  });
});

describe('with SERVICE_URL', { timeout: TIMEOUT_MS }, () => {
  const listening = /"msg":"Server listening at (?<origin>http:\/\/127\.0\.0\.1:\d+)"/;

  test('the program runs in front of that service, and says nothing but log lines', async () => {
    const service = await startService();
    const program = start({ SERVICE_URL: service.url, NODE_ENV: 'production' });
    const { origin = '' } = (await program.printed(listening)).groups ?? {};
    expect(await (await send(`${origin}/graphql`)).json()).toEqual({
      data: { notifications: { totalPossibleCount: 36 } },
    });
    expect(service.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/customnotifications',
    ]);

    program.child.kill('SIGTERM');
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(logLines(stdout).map(({ msg }) => msg)).toEqual([`Server listening at ${origin}`, 'Request']);
  });

  test(
    'SIGTERM ends the program as soon as the requests in flight are answered',
    { timeout: 20_000 },
    async () => {
      const service = await startService({ delayMs: 500 });
      const program = start({ SERVICE_URL: service.url });
      const { origin = '' } = (await program.printed(listening)).groups ?? {};
      const response = send(`${origin}/graphql`);
      await vi.waitFor(() => {
        expect(service.calls.length).toBe(1);
      });
      program.child.kill('SIGTERM');
      expect(await (await response).json()).toEqual({ data: { notifications: { totalPossibleCount: 36 } } });
      expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    },
  );
});

test(
  'a bad configuration ends the program with code 1 and every problem, before anything else',
  { timeout: TIMEOUT_MS },
  async () => {
    const program = start({
      NODE_ENV: 'production',
      PORT: 'http',
      SERVICE_RETRIES: '-1',
      SHIPMENT_PARAMETERS: '{"Key":"5ecret"',
    });
    expect(await program.ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `The configuration has 4 problems:
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
  ])('%s', async (_name, environment) => {
    const holder = createServer();
    await once(holder.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = holder.address() as AddressInfo;
      const { code, stdout, stderr } = await start({ ...environment, PORT: String(port) }).ended;
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(logLines(stdout)).toMatchObject([
        { level: 60, msg: 'The gateway cannot start', err: { code: 'EADDRINUSE', port } },
      ]);
    } finally {
      holder.close();
    }
  });
});

interface Program {
  child: ChildProcess;
  /** Waits until all that it printed matches; fails when it ends before. */
  printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
}

/** Starts the gateway, on any free port unless told otherwise, with nothing else in its environment. */
function start(environment: Record<string, string>): Program {
  return run(process.execPath, ['--import', 'tsx', 'src/main.ts'], { PORT: '0', ...environment });
}

function run(command: string, args: string[], environment: Record<string, string> = {}): Program {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const ended = new Promise<Awaited<Program['ended']>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
  return {
    child,
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(stdout);
          if (match) resolve(match);
        };
        child.stdout.on('data', look);
        ended.then((end) => {
          reject(
            new Error(
              `Expected the program to print ${String(pattern)}, got its end: ${JSON.stringify(end)}`,
            ),
          );
        }, reject);
        look();
      }),
  };
}

async function startService(interference?: Interference): Promise<ReferenceService> {
  const service = await startReferenceService({ interfere: () => interference });
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

function logLines(stdout: string): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
