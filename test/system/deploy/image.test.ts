import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startMockService, type MockService } from '../../../src/mock/mockService.js';
import { buildImage, type Image } from '../../support/deploy/image.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf, skipTestIf } from '../../support/process/requirements.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';
import { AUDIENCE, ISSUER, startIssuer } from '../../support/http/clientCredentials.js';
import { startCollector } from '../../support/telemetry/collector.js';
import { freePort } from '../../support/tools/freePort.js';
import { until, untilHolds } from '../../support/tools/waiting.js';
import { post } from '../../support/http/post.js';

const TIMEOUT_MS = 60_000;
const CREATE = `mutation {
  createNotification(
    input: {
      notificationName: "From the image"
      recipient: { shipmentLevel: { emailList: ["dispatch@example.com"], smsList: [] } }
      trigger: { shipmentStatusChange: [DELIVERED] }
    }
    idempotencyKey: "5f0e7b52-5d7c-4b7c-9a55-0c3f7a3b1c11"
  ) { notification { notificationName } }
}`;
const skipReason = process.getuid?.() === 0 ? undefined : 'only root can run the server as another user';

let workspace: string;
let image: Image;
let service: MockService;

describe('the image', () => {
  skipIf(skipReason);
  beforeAll(async () => {
    if (skipReason !== undefined) return;
    service = await startMockService({});
    workspace = mkdtempSync(join(tmpdir(), 'image-'));
    chmodSync(workspace, 0o755); // readable by the image's user
    image = buildImage(workspace);
  }, TIMEOUT_MS);
  afterEach(killProcesses);
  afterAll(async () => {
    if (skipReason !== undefined) return;
    await service.stop();
    rmSync(workspace, { recursive: true });
  });

  test('contains the bundle with its licenses, and no packages, compiled library, types or source maps', () => {
    const files = readdirSync(image.folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => !file.includes('/')).sort()).toEqual([
      'LICENSE',
      'dist',
      'package.json',
      'schema',
    ]);
    const inDist = files.filter((file) => /^dist\/[^/]+$/.test(file)).map((file) => file.slice(5));
    expect(inDist.filter((file) => !/^program-.*\.js$/.test(file)).sort()).toEqual([
      'THIRD_PARTY_LICENSES.md',
      'explorer-pages',
      'main.js',
    ]);
    expect(files.filter((file) => /node_modules|\.(?:map|ts|tsx)$/.test(file))).toEqual([]);
  });

  test(
    'serves as a user without write access, passes its health check and exits with code 0',
    { timeout: TIMEOUT_MS },
    async () => {
      const server = await startServer();
      expect(spawnSync('find', ['.', '-writable'], { ...server.options, encoding: 'utf8' })).toMatchObject({
        stdout: '',
        stderr: '',
      });
      expect(checkHealth(server)).toMatchObject({ status: 0, stdout: '', stderr: '' });
      expect(await server.post('{ notifications { totalPossibleCount } }')).toEqual({
        data: { notifications: { totalPossibleCount: 36 } },
      });
      expect((await fetch(server.metricsUrl)).status).toBe(200);

      server.process.kill('SIGSTOP');
      expect(checkHealth(server).status).not.toBe(0);
      server.process.kill('SIGCONT');
      server.process.kill('SIGTERM');
      expect(await server.process.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
      expect(checkHealth(server).status).toBe(1);
    },
  );

  test(
    'has everything that Redis, traces, JWTs and the explorer load',
    { timeout: TIMEOUT_MS },
    async (context) => {
      skipTestIf(reasonToSkip('redis-server'), context);
      const [redis, collector, issuer] = [await startRedis(), await startCollector(), await startIssuer()];
      const server = await startServer({
        REDIS_URL: redis.url,
        IDEMPOTENCY_STORE: 'redis',
        RATE_LIMIT: '100/60s',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        CLIENT_JWKS_URL: issuer.url,
        CLIENT_JWT_ISSUER: ISSUER,
        CLIENT_JWT_AUDIENCE: AUDIENCE,
        EXPLORER: 'true',
      });
      expect(checkHealth(server)).toMatchObject({ status: 0, stdout: '', stderr: '' });
      expect(await server.post(CREATE)).toEqual({
        data: { createNotification: { notification: { notificationName: 'From the image' } } },
      });
      const { status } = await post(
        `${server.origin}/graphql`,
        { query: '{ __typename }' },
        { token: await issuer.sign() },
      );
      expect([status, issuer.requests()]).toEqual([200, 1]);
      expect((await fetch(`${server.origin}/explorer/`)).status).toBe(200);
      await untilHolds(async () => {
        const metrics = await (await fetch(server.metricsUrl)).text();
        expect(metrics).toContain('graphql_operation_type="mutation"');
      });
      await until(() => collector.spans.length >= 2);
      expect((await redis.keys()).length).toBeGreaterThan(0);
      server.process.kill('SIGTERM');
      expect(await server.process.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
      await Promise.all([collector.stop(), issuer.stop(), redis.kill()]);
    },
  );
});

type Server = Awaited<ReturnType<typeof startServer>>;

/** Starts the image's command as its user. */
async function startServer(env: Record<string, string> = {}) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const environment = {
    ...image.environment,
    ...minimalEnv,
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    SERVICE_URL: service.url,
    IDEMPOTENCY_STORE: 'off',
    DRAIN_DELAY_MS: '0',
    HOME: '/nonexistent',
    TMPDIR: '/nonexistent',
    ...env,
  };
  const [command = '', ...args] = image.command;
  const server = startProcess(command, args, { cwd: image.folder, env: environment, user: image.user });
  await server.printed(/Server listening/);
  const origin = `http://127.0.0.1:${port}`;
  return {
    process: server,
    origin,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    options: { cwd: image.folder, env: environment, uid: image.user, gid: image.user },
    async post(query: string): Promise<unknown> {
      return JSON.parse((await post(`${origin}/graphql`, { query })).text);
    },
  };
}

/** Runs the image's health check as Docker does. */
function checkHealth({ options }: Server) {
  const [command = '', ...args] = image.healthcheck;
  return spawnSync(command, args, { ...options, encoding: 'utf8' });
}
