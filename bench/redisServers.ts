/** The Redis of the variants with idempotency keys: one alone, and one with a replica, each with an append-only file as in production. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, killOnExit, stop } from './gatewayProcess.js';

export interface RedisServers {
  readonly keyed: string;
  readonly replicated: string;
  stop(): Promise<unknown>;
}

/** They share the core of the load generator, which yields to them. */
export async function startRedisServers(folder: string): Promise<RedisServers> {
  const servers: ChildProcess[] = [];
  const start = async (isStarted: RegExp, ...more: string[]) => {
    const port = await freePort();
    const dir = mkdtempSync(join(folder, 'redis-'));
    const options = ['--port', String(port), '--dir', dir, '--save', '', '--appendonly', 'yes', ...more];
    const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    killOnExit(server);
    servers.push(server);
    for (let output = ''; !isStarted.test(output);) output += String(await once(server.stdout, 'data'));
    server.stdout.resume();
    return port;
  };
  const urlOf = (port: number) => `redis://127.0.0.1:${port}`;
  const keyed = urlOf(await start(/Ready to accept connections/));
  const primary = await start(/Ready to accept connections/, '--repl-diskless-sync-delay', '0');
  await start(/MASTER <-> REPLICA sync: Finished with success/, '--replicaof', `127.0.0.1 ${primary}`);
  return { keyed, replicated: urlOf(primary), stop: () => Promise.all(servers.map(stop)) };
}
