/** TLS in front of a service or a proxy, which may demand certificates of its clients. */
import { connect } from 'node:net';
import { createServer, type SecureContextOptions } from 'node:tls';
import { serve } from '../http/serve.js';

export type TlsTerminator = Awaited<ReturnType<typeof startTlsTerminator>>;

/** The common name of the client's certificate, if there was one, and the server name it asked for. */
interface Connection {
  client: string | undefined;
  servername: string | false | null;
}

export async function startTlsTerminator(
  target: string,
  options: SecureContextOptions & { requestCert?: boolean; maxVersion?: 'TLSv1.2' },
): Promise<{ port: number; connections: readonly Connection[]; stop(): Promise<void> }> {
  const { hostname, port } = new URL(target);
  const connections: Connection[] = [];
  const server = createServer({ ...options, rejectUnauthorized: true }, (client) => {
    const certificate = client.getPeerCertificate() as { subject?: { CN: string } };
    connections.push({ client: certificate.subject?.CN, servername: client.servername });
    const service = connect(Number(port), hostname);
    client.pipe(service).pipe(client);
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.once('close', () => other.destroy());
    }
  });
  const { url, stop } = await serve(server);
  return { port: Number(new URL(url).port), connections, stop };
}
