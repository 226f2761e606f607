import { afterEach, expect, test } from 'vitest';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';

afterEach(killProcesses);

test.each(['SIGINT', 'SIGTERM'] as const)(
  'the mock service prints its URL and exits with code 0 on %s',
  async (signal) => {
    const service = startProcess(process.execPath, ['dist/reference-service/main.js', '0']);
    const [, url = ''] = await service.printed(/^Reference service ready at (http:\/\/127\.0\.0\.1:\d+)\n$/);
    expect((await fetch(`${url}/v1/customnotifications`)).status).toBe(401);
    service.kill(signal);
    expect(await service.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
  },
);
