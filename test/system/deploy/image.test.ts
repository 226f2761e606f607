import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startReferenceService,
  type ReferenceService,
} from '../../../src/reference-service/referenceService.js';
import { buildImage, type Image } from '../../support/deploy/image.js';
import { skipIf, unlessRequired } from '../../support/process/requirements.js';
import { freePort } from '../../support/tools/freePort.js';

const BUILD_TIMEOUT_MS = 300_000;
const reason = unlessRequired(
  process.getuid?.() === 0 ? undefined : 'only root can run the image as its user',
);

let top: string;
let image: Image;
let service: ReferenceService;
const programs: ChildProcess[] = [];

describe('the image', () => {
  skipIf(reason);
  beforeAll(async () => {
    if (reason !== undefined) return;
    service = await startReferenceService({});
    top = mkdtempSync(join(tmpdir(), 'image-'));
    chmodSync(top, 0o755); // for the other user
    image = buildImage(top);
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    if (reason !== undefined) return;
    for (const program of programs) program.kill('SIGKILL');
    await service.stop();
    rmSync(top, { recursive: true });
  }, BUILD_TIMEOUT_MS);

  test('holds what runs, and nothing that builds or tests it', () => {
    expect(readdirSync(image.folder).sort()).toEqual(['dist', 'node_modules', 'package.json', 'schema']);
    expect(existsSync(join(image.folder, 'node_modules/fastify'))).toBe(true);
    for (const tool of ['typescript', 'vitest', 'eslint', 'tsx'])
      expect(existsSync(join(image.folder, 'node_modules', tool))).toBe(false);
  });

  test(
    'serves as a user who may write nowhere, is healthy, and ends with code 0',
    { timeout: 60_000 },
    async () => {
      const [port, metricsPort] = [await freePort(), await freePort()];
      const environment = {
        ...image.environment,
        PATH: process.env['PATH'],
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        SERVICE_URL: service.url,
        DRAIN_DELAY_MS: '0',
        HOME: '/nonexistent',
        TMPDIR: '/nonexistent',
      };
      const as = { cwd: image.folder, env: environment, uid: image.user, gid: image.user };
      expect(spawnSync('find', ['.', '-writable'], { ...as, encoding: 'utf8' })).toMatchObject({
        stdout: '',
        stderr: '',
      });

      const [command = '', ...rest] = image.command;
      const program = spawn(command, rest, as);
      programs.push(program);
      const ended = once(program, 'exit');
      await once(program.stdout, 'data');

      const [check = '', ...flags] = image.healthcheck;
      expect(spawnSync(check, flags, { ...as, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
      const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer a' },
        body: JSON.stringify({ query: '{ notifications { totalPossibleCount } }' }),
      });
      expect(await response.json()).toEqual({ data: { notifications: { totalPossibleCount: 36 } } });
      expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200);

      program.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(spawnSync(check, flags, as).status).toBe(1);
    },
  );
});
