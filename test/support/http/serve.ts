import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

/** Has a server, of HTTP or TCP, listen on a free port. `stop` closes its connections, too. */
export async function serve(server: Server): Promise<{ url: string; stop: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
