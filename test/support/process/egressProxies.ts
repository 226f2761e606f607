/** A proxy that others run between a company and the internet: it wants a password, and opens tunnels to one port alone. */
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../tools/freePort.js';
import { until } from '../tools/waiting.js';
import { minimalEnv } from './minimalEnv.js';
import { startProcess } from './startProcess.js';

export type EgressProxy = Awaited<ReturnType<typeof startTinyproxy>>;

/** @param options.targetPort the only port to which it opens tunnels */
export async function startTinyproxy({
  user,
  password,
  targetPort,
}: {
  user: string;
  password: string;
  targetPort: number;
}) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  chmodSync(folder, 0o777); // it gives up the rights of root
  const file = join(folder, 'config');
  const lines = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    `BasicAuth ${user} ${password}`,
    `ConnectPort ${targetPort}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const proxy = startProcess('tinyproxy', ['-d', '-c', file], { env: minimalEnv });
  await until(() => isListening(port));
  return {
    address: `127.0.0.1:${port}`,
    /** Kills it, with its tunnels. */
    async stop() {
      proxy.kill('SIGKILL');
      await proxy.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
