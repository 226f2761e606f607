import { execFileSync, spawn } from 'node:child_process';
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { expect, onTestFinished, test } from 'vitest';
import { MAIN } from '../../support/process/gatewayProcess.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';
import { freePort } from '../../support/tools/freePort.js';
import { untilHolds } from '../../support/tools/waiting.js';

const REQUESTS = 6000;

test('no lines of workers mix in their pipe while it is full', { timeout: 60_000 }, async () => {
  const { stdout, read } = createPipe();
  const port = await freePort();
  const gateway = spawn(process.execPath, [MAIN], {
    env: {
      ...minimalEnv,
      SERVICE_URL: 'http://127.0.0.1:1',
      NODE_ENV: 'production',
      WEB_CONCURRENCY: '4',
      PORT: String(port),
    },
    stdio: ['ignore', stdout, 'inherit'],
  });
  onTestFinished(() => void gateway.kill('SIGKILL'));
  const send = (id: string) =>
    fetch(`http://127.0.0.1:${port}/graphql?query={__typename}`, {
      headers: { 'apollo-require-preflight': 'yes', 'x-request-id': id },
    }).then((response) => response.json());
  await untilHolds(async () => {
    await send('first');
  });

  const ids = Array.from({ length: REQUESTS }, (_, index) => `${'x'.repeat(index % 100)}-${index}`);
  await pMap(ids, send, { concurrency: 32 });

  const output = read();
  await untilHolds(() => {
    expect(output().match(/"Request"}\n/g)?.length).toBe(REQUESTS + 1);
  });
  const lines = output().trimEnd().split('\n');
  expect(lines.filter((line) => !isJson(line))).toEqual([]);
});

/** A named pipe: the pipes between processes of Node.js are sockets, which keep any write whole. */
function createPipe(): { stdout: number; read: () => () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const path = join(folder, 'stdout');
  execFileSync('mkfifo', [path]);
  const stdout = openSync(path, 'r+'); // there has to be a reader before there is a writer
  onTestFinished(() => {
    closeSync(stdout);
    rmSync(folder, { recursive: true });
  });
  return {
    stdout,
    read: () => {
      let output = '';
      // Small reads, after each of which there is room for a part of a write.
      createReadStream(path, { highWaterMark: 1000 }).on('data', (chunk) => {
        output += String(chunk);
      });
      return () => output;
    },
  };
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
