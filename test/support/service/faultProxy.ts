/** An HTTP proxy that opens tunnels, and misbehaves on demand. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { serve } from '../http/serve.js';

export interface TunnelRequest {
  /** Host and port, as the client named them. */
  target: string;
  headers: IncomingMessage['headers'];
}

export interface FaultProxy {
  readonly url: string;
  /** All requests for a tunnel, in order. */
  readonly requests: readonly TunnelRequest[];
  /** Number of connections from the gateway, tunnels included. */
  readonly openConnections: number;
  /** What happens instead of a tunnel. @default none: the tunnel opens */
  plan: (request: TunnelRequest) => ProxyFault | undefined;
  /** Written before the response to each request for a tunnel. @default '' */
  interim: string;
  /** Resets every tunnel that is open. */
  breakTunnels(): void;
  stop(): Promise<void>;
}

/** Takes over the connection to the gateway instead of opening a tunnel. */
export type ProxyFault = (client: Duplex) => void;

/** Responds with a status and a page, as proxies do. */
export function rejection(status: number, headers = ''): ProxyFault {
  const page = '<html>Refused by the proxy</html>';
  return (client) =>
    client.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: ${page.length}\r\n${headers}\r\n${page}`);
}

/** Writes bytes and keeps the connection open. */
export function bytes(text: string): ProxyFault {
  return (client) => void client.write(text);
}

/** `hosts` are names that the proxy alone resolves. */
export async function startFaultProxy(hosts: Readonly<Record<string, string>> = {}): Promise<FaultProxy> {
  const requests: TunnelRequest[] = [];
  const tunnels = new Set<Socket>();
  const clients = new Set<Duplex>();
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connection', (socket) => {
    clients.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => clients.delete(socket));
  });
  server.on('connect', ({ url: target = '', headers }, client: Socket) => {
    const request = { target, headers };
    requests.push(request);
    const fault = proxy.plan(request);
    if (fault) {
      // Or it would not notice that the gateway closes the connection.
      client.resume().once('end', () => client.end());
      fault(client);
      return;
    }
    client.write(proxy.interim);
    const { hostname, port } = new URL(`http://${target}`);
    const service = connect(Number(port) || 80, hosts[hostname] ?? hostname.replaceAll(/[[\]]/g, ''));
    service.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      tunnels.add(client);
      service.pipe(client);
      client.pipe(service);
    });
    service.on('error', () => client.destroy());
    service.once('close', () => client.destroy());
    client.once('close', () => {
      tunnels.delete(client);
      service.destroy();
    });
  });
  const { url, stop } = await serve(server);
  const proxy: FaultProxy = {
    url,
    requests,
    get openConnections() {
      return clients.size;
    },
    plan: () => undefined,
    interim: '',
    breakTunnels() {
      for (const client of tunnels) client.resetAndDestroy();
    },
    stop,
  };
  return proxy;
}
