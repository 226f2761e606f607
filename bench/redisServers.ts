/** The Redis of the variants with idempotency keys: one alone, and one with a replica, each with an append-only file as in production. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, killOnExit } from './gatewayProcess.js';

/** They share the core of the load generator. */
export async function startRedisServers(folder: string): Promise<{ keyed: string; replicated: string }> {
  const start = async (isStarted: RegExp, ...more: string[]) => {
    const port = await freePort();
    const dir = mkdtempSync(join(folder, 'redis-'));
    const options = ['--port', String(port), '--dir', dir, '--save', '', '--appendonly', 'yes', ...more];
    const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    killOnExit(server);
    for (let output = ''; !isStarted.test(output);) output += String(await once(server.stdout, 'data'));
    server.stdout.resume();
    return port;
  };
  const urlOf = (port: number) => `redis://127.0.0.1:${port}`;
  const keyed = urlOf(await start(/Ready to accept connections/));
  const primary = await start(/Ready to accept connections/, '--repl-diskless-sync-delay', '0');
  await start(/MASTER <-> REPLICA sync: Finished with success/, '--replicaof', `127.0.0.1 ${primary}`);
  return { keyed, replicated: urlOf(primary) };
}
