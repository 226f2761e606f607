/** A redis-server process, by default without persistence. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../tools/freePort.js';
import { startProcess } from './startProcess.js';

/** Of each port: a server that starts again finds its append-only file and the configuration of its Cluster. */
const folders = new Map<number, string>();
process.once('exit', () => {
  for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
});

/**
 * @param port restarts it on this port. @default a free one
 * @param options further options, such as `--appendonly`
 */
export async function startRedis(port?: number, options: readonly string[] = []) {
  const chosen = port ?? (await freePort());
  const known = port === undefined ? undefined : folders.get(port);
  const folder = known ?? mkdtempSync(join(tmpdir(), 'redis-'));
  folders.set(chosen, folder);
  const { kill, printed, exited } = startProcess('redis-server', [
    ...['--dir', folder, '--port', String(chosen), '--bind', '127.0.0.1'],
    ...['--save', '', '--appendonly', 'no'],
    ...['--rdb-del-sync-files', 'yes'], // or it would load the data of its last replication
    ...options,
  ]);
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
    /** Suspends the process: its connections stay open, but it does not respond. */
    pause() {
      kill('SIGSTOP');
    },
    resume() {
      kill('SIGCONT');
    },
    /** Kills the process, so connections end without QUIT. */
    async kill() {
      kill('SIGKILL');
      await exited;
    },
  };
}
