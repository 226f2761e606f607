import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startReferenceService,
  type ReferenceService,
} from '../../../src/reference-service/referenceService.js';
import { buildImage, type Image } from '../../support/deploy/image.js';
import { skipIf } from '../../support/process/requirements.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';
import { freePort } from '../../support/tools/freePort.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';

const BUILD_TIMEOUT_MS = 300_000;
const skipReason = process.getuid?.() === 0 ? undefined : 'only root can run the server as another user';

let workspace: string;
let image: Image;
let service: ReferenceService;

describe('the image', () => {
  skipIf(skipReason);
  beforeAll(async () => {
    if (skipReason !== undefined) return;
    service = await startReferenceService({});
    workspace = mkdtempSync(join(tmpdir(), 'image-'));
    chmodSync(workspace, 0o755); // readable by the image's user
    image = buildImage(workspace);
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    if (skipReason !== undefined) return;
    killProcesses();
    await service.stop();
    rmSync(workspace, { recursive: true });
  }, BUILD_TIMEOUT_MS);

  test('contains what runs, but nothing to build or test it', () => {
    expect(readdirSync(image.folder).sort()).toEqual(['dist', 'node_modules', 'package.json', 'schema']);
    expect(existsSync(join(image.folder, 'node_modules/fastify'))).toBe(true);
    for (const tool of ['typescript', 'vitest', 'eslint', 'tsx'])
      expect(existsSync(join(image.folder, 'node_modules', tool))).toBe(false);
  });

  test(
    'serves as a user without write access, passes its health check and exits with code 0',
    { timeout: 60_000 },
    async () => {
      const [port, metricsPort] = [await freePort(), await freePort()];
      const env = {
        ...image.environment,
        ...minimalEnv,
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        SERVICE_URL: service.url,
        DRAIN_DELAY_MS: '0',
        HOME: '/nonexistent',
        TMPDIR: '/nonexistent',
      };
      const asImageUser = { cwd: image.folder, env, uid: image.user, gid: image.user };
      expect(spawnSync('find', ['.', '-writable'], { ...asImageUser, encoding: 'utf8' })).toMatchObject({
        stdout: '',
        stderr: '',
      });

      const [command = '', ...args] = image.command;
      const server = startProcess(command, args, { cwd: image.folder, env, user: image.user });
      await server.printed(/Server listening/);

      const [healthcheck = '', ...healthcheckArgs] = image.healthcheck;
      expect(spawnSync(healthcheck, healthcheckArgs, { ...asImageUser, encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
      const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer a' },
        body: JSON.stringify({ query: '{ notifications { totalPossibleCount } }' }),
      });
      expect(await response.json()).toEqual({ data: { notifications: { totalPossibleCount: 36 } } });
      expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200);

      server.kill('SIGTERM');
      expect(await server.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
      expect(spawnSync(healthcheck, healthcheckArgs, asImageUser).status).toBe(1);
    },
  );
});
