import { afterEach, expect, test } from 'vitest';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';

afterEach(killProcesses);

test.each(['SIGINT', 'SIGTERM'] as const)(
  'the reference service prints its URL, and %s stops it with code 0',
  async (signal) => {
    const service = startProcess(process.execPath, ['dist/reference-service/main.js', '0']);
    const [, url = ''] = await service.printed(/^Reference service ready at (http:\/\/127\.0\.0\.1:\d+)\n$/);
    expect((await fetch(`${url}/v1/customnotifications`)).status).toBe(401);
    service.kill(signal);
    expect(await service.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
  },
);
