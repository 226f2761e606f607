/** A TCP proxy in front of Redis that lets a test act at each step of a command. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type RedisStep = 'command' | 'reply';

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
  const sockets = new Set<Socket>();
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
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    forward(client, redis, 'command');
    forward(redis, client, 'reply');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: RedisProxy = {
    url: `redis://127.0.0.1:${port}`,
    onStep: () => true,
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
  return proxy;
}
