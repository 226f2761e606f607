import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MAIN } from '../../support/process/gatewayProcess.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';

vi.setConfig({ testTimeout: 30_000 });
afterEach(killProcesses);

const root = new URL('../../../', import.meta.url);
const SECRET = '5ecret-of-16-characters';

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  startProcess(process.execPath, [MAIN, ...args], { env }).exited;

/** A port that is in use, and the number of connections to it. */
async function holdPort(): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const holder = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(holder, 'listening');
  onTestFinished(() => void holder.close());
  return { port: (holder.address() as AddressInfo).port, connections: () => connections };
}

function writeSecret(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'secret'), content);
  return join(folder, 'secret');
}

describe('--check-config', () => {
  test('prints the effective configuration without its secrets, listens on no port and connects to nothing', async () => {
    const { port, connections } = await holdPort();
    const file = writeSecret(`${SECRET}\n`);
    const { stdout, ...exit } = await run(['--check-config'], {
      NODE_ENV: 'production',
      PORT: String(port),
      METRICS_PORT: String((await holdPort()).port),
      SERVICE_URL: `http://127.0.0.1:${port}`,
      REDIS_URL: `redis://:5ecret@127.0.0.1:${port}`,
      SUBGRAPH_TOKEN_FILE: file,
    });
    expect(exit).toEqual({ code: 0, signal: null, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      PORT: { value: port, source: 'environment' },
      SHIPMENT_SERVICE_URL: { value: `http://127.0.0.1:${port}/`, source: 'default' },
      REDIS_URL: { value: `redis://[hidden]@127.0.0.1:${port}`, source: 'environment' },
      SUBGRAPH_TOKEN: { value: '[hidden]', source: 'file', file },
      IDEMPOTENCY_STORE: { value: 'redis', source: 'default' },
    });
    expect(stdout).not.toContain('5ecret');
    expect(connections()).toBe(0);
  });

  test('lists all problems and exits with code 1 if the configuration is invalid', async () => {
    const env = {
      NODE_ENV: 'production',
      PORT: 'http',
      SUBGRAPH_TOKEN: SECRET,
      SUBGRAPH_TOKEN_FILE: '/none',
    };
    expect(await run(['--check-config'], env)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `Invalid configuration (2 problems):
  SUBGRAPH_TOKEN_FILE: expected either SUBGRAPH_TOKEN or SUBGRAPH_TOKEN_FILE, got both
  PORT: expected an integer from 0 to 65535, got "http"
`,
    });
  });
});

test('--help prints the options, also with an invalid configuration', async () => {
  expect(await run(['--help'], { PORT: 'http' })).toEqual({
    code: 0,
    signal: null,
    stdout: expect.stringMatching(/^Usage: .*\n(?:.*\n)* {2}--check-config /) as string,
    stderr: '',
  });
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  expect(await run(['--version'])).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
});

test.each([
  ['--check', "Unknown option '--check'"],
  ['check-config', "Unexpected argument 'check-config'. This command does not take positional arguments"],
])('%s ends the process with code 2, and the options on stderr', async (argument, message) => {
  expect(await run([argument])).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^${message.replaceAll(/[.?]/g, String.raw`\$&`)}\n\nUsage: .*\n(?:.*\n)* {2}--help `),
    ) as string,
  });
});
