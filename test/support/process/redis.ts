/** The redis-server of this machine, on a port of its own, with nothing kept on disk. */
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freePort } from '../tools/freePort.js';
import { startProcess } from './startProcess.js';

export interface RedisServer {
  readonly url: string;
  /** All keys that it holds. */
  keys(): Promise<string[]>;
  /** Has it do nothing, its connections open, until it is to go on. */
  pause(): void;
  resume(): void;
  /** Ends it without a farewell. */
  kill(): Promise<void>;
}

/** Starts it; on the same port again when one is given. */
export async function startRedis(port?: number): Promise<RedisServer & { port: number }> {
  const chosen = port ?? (await freePort());
  const { kill, printed, exited } = startProcess('redis-server', [
    ...['--port', String(chosen), '--bind', '127.0.0.1'],
    ...['--save', '', '--appendonly', 'no'],
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
