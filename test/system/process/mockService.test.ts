import { afterEach, expect, test } from 'vitest';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';

const MAIN = 'dist/mock/main.js';
const READY = /^Mock service ready at (http:\/\/127\.0\.0\.1:\d+)\n/;

afterEach(killProcesses);

test('the mock service prints its URL and a line for each call, and exits with code 0 on a signal', async () => {
  const service = startProcess(process.execPath, [MAIN, '0', '--latency', '5']);
  const [, url = ''] = await service.printed(READY);
  await fetch(`${url}/v1/customnotifications`, { headers: { authorization: 'Bearer demo-403' } });
  await service.printed(/^GET \/v1\/customnotifications 403 \d+ ms\n/m);
  service.kill('SIGTERM');
  expect(await service.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
});

test.each([
  [['port'], 'Expected a port from 0 to 65535, got "port"'],
  [['--latency', 'slow'], 'Expected --latency from 0 to 2147483647, got "slow"'],
  [['--delay', '1'], "Unknown option '--delay'"],
])('the mock service exits with code 1 and a line on stderr for the arguments %j', async (args, message) => {
  expect(await startProcess(process.execPath, [MAIN, ...args]).exited).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^${message}.*\\n$`)) as string,
  });
});

test('the mock service prints its usage, with the default port, and exits with code 0', async () => {
  expect(await startProcess(process.execPath, [MAIN, '--help']).exited).toEqual({
    code: 0,
    signal: null,
    stdout: expect.stringMatching(/^Usage: npm run service -- \[port\].*\(default: 4001\)/s) as string,
    stderr: '',
  });
});
