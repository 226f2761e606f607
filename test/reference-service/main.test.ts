import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../../src/reference-service/main.ts', import.meta.url));

test.each(['SIGINT', 'SIGTERM'] as const)(
  'the mock service prints its URL and exits with code 0 on %s',
  async (signal) => {
    const child = spawn(process.execPath, ['--import', 'tsx', main, '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const [, url = ''] =
        /^Reference service ready at (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(line.toString()) ?? [];
      expect((await fetch(`${url}/v1/customnotifications`)).status).toBe(401);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
