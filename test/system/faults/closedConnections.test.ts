/** Services that close idle connections without notice, under load: how many writes meet a closing one, and what they report. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startFaultGateway, type FaultGateway } from '../../support/gateway/faultGateway.js';
import { about } from '../../support/graphql/faultOperations.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';
import { reasonToSkip, skipTestIf } from '../../support/process/requirements.js';
import { freePort } from '../../support/tools/freePort.js';
import { until } from '../../support/tools/waiting.js';

const CLIENTS = 8;
/** Within these, the gateway learns. */
const FIRST_CALLS = 100;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

describe('of writes to a service that', () => {
  test.each<[string, number, (socket: Socket) => void]>([
    ['closes connections 3 ms after a response', 220, (socket) => socket.destroy()],
    ['resets connections 3 ms after a response', 220, (socket) => socket.resetAndDestroy()],
    ['closes its direction 3 ms after a response, and goes on reading', 220, (socket) => socket.end()],
  ])('%s, hardly any is lost', async (_how, calls, close) => {
    const gateway = await start();
    gateway.service.onResponse = closeWhenIdle(3, close);
    await track(gateway, FIRST_CALLS);
    expect(await track(gateway, calls)).toBeLessThanOrEqual(calls * 0.05);
  });

  test('closes connections with each response, hardly any is lost', async () => {
    const gateway = await start();
    gateway.service.onResponse = (socket) => socket.end();
    await track(gateway, FIRST_CALLS);
    expect(await track(gateway, 60)).toBeLessThanOrEqual(3);
  });

  test('keeps connections, all succeed, one after the other over one connection', async () => {
    const gateway = await start();
    expect(await track(gateway, 50, { clients: 1 })).toBe(0);
    expect(gateway.service.connections.length).toBe(1);
  });

  test('runs behind nginx with a short keepalive_timeout, hardly any is lost', async (context) => {
    skipTestIf(reasonToSkip('nginx'), context);
    const port = await freePort();
    const gateway = await start({ serviceUrl: () => `http://127.0.0.1:${port}` });
    cleanups.push(await startNginx(port, gateway.service.url, 'keepalive_timeout 300ms;'));
    const pause = () => sleep(280 + Math.random() * 40);
    await track(gateway, FIRST_CALLS, { pause });
    expect(await track(gateway, 80, { pause })).toBeLessThanOrEqual(4);
  });
});

async function start(options?: Parameters<typeof startFaultGateway>[0]): Promise<FaultGateway> {
  const gateway = await startFaultGateway(options);
  cleanups.push(() => gateway.stop());
  return gateway;
}

/**
 * Sends tracking calls, compares what each client reads with what the service received, and returns how many have an unknown
 * outcome.
 */
async function track(
  gateway: FaultGateway,
  count: number,
  {
    clients = CLIENTS,
    pause = () => Promise.resolve(),
  }: { clients?: number; pause?: () => Promise<unknown> } = {},
): Promise<number> {
  const prefix = `subject-${gateway.service.requests.length}`;
  const outcomes: string[] = [];
  let sent = 0;
  const run = async () => {
    while (sent < count) {
      const subject = `${prefix}.${sent++}`;
      const { errors } = await gateway.execute(about('trackShipment', subject));
      const [error] = (errors ?? []) as { extensions: { outcome: string } }[];
      const outcome = error?.extensions.outcome ?? 'APPLIED';
      const received = gateway.service.requests.filter((request) => request.subject === subject).length;
      const possible = { APPLIED: [1], NOT_APPLIED: [0], UNKNOWN: [0, 1] }[outcome];
      expect({ subject, outcome, received: possible?.includes(received) }).toEqual({
        subject,
        outcome,
        received: true,
      });
      outcomes.push(outcome);
      await pause();
    }
  };
  await Promise.all(Array.from({ length: clients }, run));
  const unknown = outcomes.filter((outcome) => outcome === 'UNKNOWN').length;
  console.log(`${unknown} of ${outcomes.length} writes have an unknown outcome`);
  return unknown;
}

function closeWhenIdle(idleMs: number, close: (socket: Socket) => void) {
  const timers = new WeakMap<Socket, NodeJS.Timeout>();
  return (socket: Socket) => {
    clearTimeout(timers.get(socket));
    timers.set(
      socket,
      setTimeout(() => close(socket), idleMs),
    );
  };
}

/** Starts nginx as a proxy of the service, and returns a function that stops it. */
async function startNginx(
  port: number,
  serviceUrl: string,
  directives: string,
): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  chmodSync(folder, 0o755); // its workers run as another user
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; events {} http { access_log off; ${paths.join(' ')} ${directives}
      server { listen 127.0.0.1:${port}; location = /livez { return 200; } location / { proxy_pass ${serviceUrl}; } } }`,
  );
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'errors')], {
    stdio: 'ignore',
    env: minimalEnv,
  });
  const ended = once(nginx, 'exit');
  await until(() => fetch(`http://127.0.0.1:${port}/livez`).catch(() => undefined));
  return async () => {
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  };
}
