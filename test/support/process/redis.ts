/** A redis-server process, by default without persistence. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../tools/freePort.js';
import { startProcess } from './startProcess.js';

export interface RedisServer {
  readonly url: string;
  keys(): Promise<string[]>;
  /** Suspends the process: its connections stay open, but it does not respond. */
  pause(): void;
  resume(): void;
  /** Kills the process, so connections end without QUIT. */
  kill(): Promise<void>;
}

/**
 * @param port restarts it on this port. @default a free one
 * @param options further options, such as `--appendonly`
 */
export async function startRedis(
  port?: number,
  options: readonly string[] = [],
): Promise<RedisServer & { port: number }> {
  const chosen = port ?? (await freePort());
  // A primary writes a dump for its replicas even without persistence, and the next server in the same folder would load it.
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const { kill, printed, exited } = startProcess('redis-server', [
    ...['--dir', folder, '--port', String(chosen), '--bind', '127.0.0.1'],
    ...['--save', '', '--appendonly', 'no', ...options],
  ]);
  void exited.then(() => rmSync(folder, { recursive: true, force: true }));
  await printed(/Ready to accept connections/);
  const url = `redis://127.0.0.1:${chosen}`;
  return {
    url,
    port: chosen,
    async keys() {
      const redis = new Redis(url);
      const keys = await redis.keys('*');
      const isClosed = once(redis, 'end');
      redis.disconnect();
      await isClosed;
      return keys;
    },
    pause() {
      kill('SIGSTOP');
    },
    resume() {
      kill('SIGCONT');
    },
    async kill() {
      kill('SIGKILL');
      await exited;
    },
  };
}
