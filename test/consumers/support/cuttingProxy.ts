/** TCP proxies in front of a gateway that lose connections to clients. */
import { connect, createServer, type Socket } from 'node:net';
import { serve } from '../../support/http/serve.js';
import { forTest } from '../../support/tools/useStarted.js';

/** Where the connection is lost: instead of the response, after half of it, or once this resolves, without a response. */
export type Cut = 'beforeResponse' | 'midResponse' | (() => Promise<unknown>);

/** Takes one cut for each of the next requests. */
export async function startCuttingProxy(gatewayUrl: string, cuts: Cut[]) {
  const { hostname, port, pathname } = new URL(gatewayUrl);
  /** The header Idempotency-Key of each request. */
  const keys: (string | undefined)[] = [];
  /** What the gateway sent for each request, whether the client got it or not. */
  const responses: string[] = [];
  const server = createServer((client) => {
    const gateway = connect(Number(port), hostname);
    for (const socket of [client, gateway]) socket.on('error', () => undefined);
    client.once('close', () => gateway.destroy());
    gateway.once('close', () => client.destroy());

    let cut: Cut | undefined;
    client.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (text.startsWith('POST ')) {
        responses.push('');
        keys.push(/^idempotency-key: (.*?)\r$/im.exec(text)?.[1]);
        cut = cuts.shift();
        if (typeof cut === 'function') void cut().then(() => client.destroy());
      }
      gateway.write(chunk);
    });
    gateway.on('data', (chunk) => {
      responses.push(`${responses.pop() ?? ''}${chunk.toString('utf8')}`);
      if (typeof cut === 'function') return;
      if (cut === undefined) client.write(chunk);
      else client.end(cut === 'midResponse' ? chunk.subarray(0, chunk.length - 10) : '');
    });
  });
  const { url, stop } = await serve(server);
  return { url: `${url}${pathname}`, keys, responses, stop };
}

/** A TCP proxy that cuts all connections at once. */
export async function startCutProxy(gatewayUrl: string) {
  const { hostname, port, pathname } = new URL(gatewayUrl);
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const gateway = connect(Number(port), hostname);
    sockets.add(client);
    for (const socket of [client, gateway]) socket.on('error', () => undefined);
    client.once('close', () => {
      sockets.delete(client);
      gateway.destroy();
    });
    gateway.once('close', () => client.destroy());
    client.pipe(gateway).pipe(client);
  });
  const { url } = await forTest(serve(server));
  return {
    url: `${url}${pathname}`,
    cuts: () => cuts,
    cut() {
      cuts += 1;
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}
