/** Proxies that others run between a company and the internet. Each wants a password and opens tunnels to one port alone. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../tools/freePort.js';
import { until } from '../tools/waiting.js';
import { minimalEnv } from './minimalEnv.js';
import { startProcess } from './startProcess.js';

export interface EgressProxy {
  /** Host and port. */
  readonly address: string;
  /** Kills it, with its tunnels. */
  stop(): Promise<void>;
}

interface Options {
  user: string;
  password: string;
  /** The only port to which it opens tunnels. */
  targetPort: number;
}

export const egressProxies = {
  async tinyproxy({ user, password, targetPort }: Options): Promise<EgressProxy> {
    const config = (port: number) => `Port ${port}
Listen 127.0.0.1
BasicAuth ${user} ${password}
ConnectPort ${targetPort}
`;
    return start(config, (file) => ['tinyproxy', '-d', '-c', file]);
  },

  async squid({ user, password, targetPort }: Options): Promise<EgressProxy> {
    const { stdout: hash } = spawnSync('openssl', ['passwd', '-apr1', password], {
      encoding: 'utf8',
      env: minimalEnv,
    });
    const config = (port: number, folder: string) => {
      writeFileSync(join(folder, 'users'), `${user}:${hash}`);
      return `http_port 127.0.0.1:${port}
auth_param basic program /usr/lib/squid/basic_ncsa_auth ${folder}/users
auth_param basic children 1 startup=1
acl known proxy_auth REQUIRED
acl target port ${targetPort}
http_access deny !target
http_access allow known
http_access deny all
cache deny all
access_log none
cache_log ${folder}/cache.log
pid_filename ${folder}/squid.pid
coredump_dir ${folder}
pinger_enable off
`;
    };
    return start(config, (file) => ['squid', '-N', '-f', file]);
  },
};

async function start(
  configOf: (port: number, folder: string) => string,
  commandOf: (file: string) => [string, ...string[]],
): Promise<EgressProxy> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  chmodSync(folder, 0o777); // they give up the rights of root
  const file = join(folder, 'config');
  writeFileSync(file, configOf(port, folder));
  const [command, ...args] = commandOf(file);
  const proxy = startProcess(command, args, { env: minimalEnv });
  await until(() => isListening(port));
  return {
    address: `127.0.0.1:${port}`,
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
