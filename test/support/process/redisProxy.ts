/** A TCP proxy in front of Redis that lets a test act at each step of a command. */
import { connect, createServer, type Socket } from 'node:net';
import { serve } from '../http/serve.js';

export type RedisStep = 'command' | 'reply';

/** Whether commands claim a key: a record that is STARTED in place of none. */
export const isClaim = (commands: string) => /\$0\r\n\r\n\$\d+\r\n\S+ STARTED /.test(commands);
/** Whether commands record an outcome. */
export const isFinish = (commands: string) => / (?:APPLIED|UNKNOWN) /.test(commands);
/** How many replicas have acknowledged, as a chunk says that ends with the reply to WAIT, which may follow that to a script. */
export const acknowledgementsIn = (replies: string) => Number(/(?:^|:1\r\n):(\d)\r\n$/.exec(replies)?.[1]);

export interface RedisProxy {
  readonly url: string;
  /**
   * Called with the text of each chunk before it is forwarded; false drops it and what follows on the connection, `lost` drops it
   * alone.
   */
  onStep: (step: RedisStep, text: string) => boolean | 'lost';
  stop(): Promise<void>;
}

export async function startRedisProxy(redisUrl: string): Promise<RedisProxy> {
  const { port: redisPort } = new URL(redisUrl);
  const forward = (from: Socket, to: Socket, step: RedisStep) => {
    let isCut = false;
    from.on('data', (chunk) => {
      const fate = !isCut && proxy.onStep(step, chunk.toString('latin1'));
      isCut = fate === false;
      if (fate === true && !to.destroyed) to.write(chunk);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  };
  const server = createServer((client) => {
    const redis = connect(Number(redisPort), '127.0.0.1');
    forward(client, redis, 'command');
    forward(redis, client, 'reply');
  });
  const { url, stop } = await serve(server); // the connections to Redis close with those to the proxy
  const proxy: RedisProxy = { url: url.replace('http', 'redis'), onStep: () => true, stop };
  return proxy;
}
