/** Redis with replicas: a primary alone, and one that Sentinels watch, with short timeouts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../tools/freePort.js';
import { until } from '../tools/waiting.js';
import { startRedis } from './redis.js';
import { startProcess } from './startProcess.js';

export type RunningRedis = Awaited<ReturnType<typeof startRedis>>;

/** Time after which a server that does not respond counts as down. */
const DOWN_AFTER_MS = 1000;
/**
 * Periods of Sentinels in milliseconds, which the configuration file cannot set. By default they find each other after 2 s and replicas after
 * up to 10, and one that a busy machine held up for 2 s does nothing for the next 30.
 */
const PERIODS = 'ping-period 200 ask-period 200 publish-period 200 info-period 500 tilt-trigger 20000'.split(
  ' ',
);
/** A replica that starts again asks for its data at once. */
const REPLICATION = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];

export type SentinelTopology = Awaited<ReturnType<typeof startSentinels>>;

/** Sends one command over a connection of its own. */
export async function command(port: number, name: string, ...args: string[]): Promise<unknown> {
  const closed = /closed/; // by a server that has just become another's replica
  return send(port, name, args).catch((error: unknown) => {
    if (closed.test((error as Error).message)) return send(port, name, args);
    throw error;
  });
}

async function send(port: number, name: string, args: readonly string[]): Promise<unknown> {
  const redis = new Redis({ port, host: '127.0.0.1', retryStrategy: () => null, commandTimeout: 10_000 });
  redis.on('error', () => undefined);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

/** What INFO says, by name. */
export async function infoOf(port: number): Promise<Record<string, string>> {
  const lines = String(await command(port, 'INFO')).matchAll(/^(\w+):(.*?)\r?$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

export async function onlineReplicas(port: number): Promise<number> {
  const replicas = Object.entries(await infoOf(port)).filter(([name]) => /^slave\d/.test(name));
  return replicas.filter(([, value]) => value.includes('state=online')).length;
}

export function untilReplicas(port: number, count: number): Promise<boolean> {
  return until(async () => (await onlineReplicas(port)) === count);
}

/** A primary with replicas that are up to date. */
export async function startReplicated(replicas: number, options: readonly string[] = []) {
  const primary = await startRedis(undefined, [...REPLICATION, ...options]);
  const others = await Promise.all(
    Array.from({ length: replicas }, () => startReplica(primary.port, options)),
  );
  await untilReplicas(primary.port, replicas);
  return { primary, replicas: others };
}

export function startReplica(primaryPort: number, options: readonly string[] = [], port?: number) {
  return startRedis(port, [...REPLICATION, ...options, '--replicaof', `127.0.0.1 ${primaryPort}`]);
}

export async function startSentinels(replicas = 2, options: readonly string[] = []) {
  const name = 'keys';
  const started = await startReplicated(replicas, options);
  /** In no order: which one is the primary changes. */
  const servers = [started.primary, ...started.replicas];
  const folder = mkdtempSync(join(tmpdir(), 'sentinels-'));
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  for (const port of ports) {
    const file = join(folder, `${port}.conf`);
    writeFileSync(
      file,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${folder}`,
        `sentinel monitor ${name} 127.0.0.1 ${started.primary.port} 2`,
        `sentinel down-after-milliseconds ${name} ${DOWN_AFTER_MS}`,
        `sentinel failover-timeout ${name} 3000`,
      ].join('\n'),
    );
    startProcess('redis-server', [file, '--sentinel']);
  }
  /** The server that a Sentinel tells clients is the primary. */
  const namedBy = async (port: number) => {
    const reply = command(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name);
    const address = (await reply.catch(() => null)) as string[] | null;
    return servers.find((server) => server.port === Number(address?.[1]));
  };
  /** The server that is the primary, by the majority of the Sentinels: one that was stopped may not know of a failover. */
  const primary = async () => {
    const votes = await Promise.all(ports.map(namedBy));
    const winner = servers.find((server) => votes.filter((vote) => vote === server).length >= 2);
    if (!winner)
      throw new Error(`Expected two Sentinels to agree, got ${votes.map((vote) => vote?.port).join(', ')}`);
    return winner;
  };
  /** Waits until a server other than this one is the primary. */
  const failedOver = async (from: RunningRedis) => {
    await until(async () => {
      const current = await primary().catch(() => from);
      return current !== from && (await infoOf(current.port).catch(() => undefined))?.['role'] === 'master';
    });
    return primary();
  };
  for (const port of ports)
    await until(() =>
      command(port, 'SENTINEL', 'DEBUG', ...PERIODS).then(
        () => true,
        () => false, // until it listens
      ),
    );
  await until(async () => {
    const states = await Promise.all(
      ports.map(async (port) => {
        const usable = await command(port, 'SENTINEL', 'CKQUORUM', name).catch(() => '');
        const known = (await command(port, 'SENTINEL', 'REPLICAS', name).catch(() => [])) as unknown[];
        return String(usable).startsWith('OK 3') && known.length === replicas;
      }),
    );
    return states.every(Boolean);
  });
  return {
    url: `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${name}`,
    servers,
    /** Ports of the Sentinels. */
    sentinels: ports,
    primary,
    failedOver,
    /** Has a replica promoted while the primary is up. */
    async promote() {
      const from = await primary();
      const promoted = failedOver(from);
      const isOver = promoted.then(() => true);
      // Sentinel rejects the command for some time after a failover, and gives up some failovers that it has begun.
      do
        if ((await namedBy(ports[0])) === from)
          await command(ports[0], 'SENTINEL', 'FAILOVER', name).catch(() => undefined);
      while (!(await Promise.race([isOver, sleep(2000, false)])));
      return promoted;
    },
    /** Starts a server that was killed. */
    async restart(server: RunningRedis) {
      const started = await startReplica((await primary()).port, options, server.port);
      servers[servers.indexOf(server)] = started;
      return started;
    },
    stop: () => rmSync(folder, { recursive: true, force: true }),
  };
}
