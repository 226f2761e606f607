/** TLS in front of a service or a proxy, which may demand certificates of its clients. */
import { connect } from 'node:net';
import { createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { serve } from '../http/serve.js';

export interface TlsTerminator {
  readonly port: number;
  /** Of each connection, in order: the common name of the client's certificate, if there was one, and the server name it asked for. */
  readonly connections: readonly {
    client: string | undefined;
    servername: string | false | null;
    isResumed: boolean;
  }[];
  /** Presents other certificates, or trusts others, from now on. */
  setSecureContext(options: SecureContextOptions): void;
  /** Closes all open connections. */
  disconnect(): void;
  stop(): Promise<void>;
}

export async function startTlsTerminator(
  target: string,
  options: SecureContextOptions & { requestCert?: boolean; maxVersion?: 'TLSv1.2' },
): Promise<TlsTerminator> {
  const { hostname, port } = new URL(target);
  const connections: TlsTerminator['connections'][number][] = [];
  const sockets = new Set<TLSSocket>();
  const server = createServer({ ...options, rejectUnauthorized: true }, (client) => {
    const certificate = client.getPeerCertificate() as { subject?: { CN: string } };
    connections.push({
      client: certificate.subject?.CN,
      servername: client.servername,
      isResumed: client.isSessionReused(),
    });
    const service = connect(Number(port), hostname);
    sockets.add(client);
    client.pipe(service).pipe(client);
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.once('close', () => {
        sockets.delete(client);
        other.destroy();
      });
    }
  });
  const { url, stop } = await serve(server);
  return {
    port: Number(new URL(url).port),
    connections,
    setSecureContext: (changed) => server.setSecureContext({ ...options, ...changed }),
    disconnect() {
      for (const socket of sockets) socket.destroy();
    },
    stop,
  };
}
