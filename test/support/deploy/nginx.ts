/** nginx with deploy/nginx.conf, in front of servers on this machine. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readText } from './deployment.js';
import { freePort } from '../tools/freePort.js';
import { until } from '../tools/waiting.js';
import { minimalEnv } from '../process/minimalEnv.js';

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

/** The address of the load balancer in front of nginx. */
export const BALANCER_ADDRESS = '127.0.0.9';

/** Starts nginx with two local ports in place of the two replicas, and with directives of an operator's own. */
export async function startNginx(
  [first, second]: readonly [number, number],
  directives = '',
): Promise<Nginx> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  chmodSync(folder, 0o755); // its workers run as another user
  const file = (name: string) => join(folder, name);
  // nginx rejects a second one of the same name.
  const ownDirective = directives === '' ? '' : new RegExp(`^ *${directives.split(' ', 1).join()} .*;$`, 'm');
  const config = readText('deploy/nginx.conf')
    .replaceAll(' /tmp/', ` ${folder}/`)
    .replace(ownDirective, '')
    .replace('http {', `http { ${directives}`)
    .replaceAll('gateway-1:4000', `127.0.0.1:${first}`)
    .replaceAll('gateway-2:4000', `127.0.0.1:${second}`)
    .replace(/set_real_ip_from [^;]+/, `set_real_ip_from ${BALANCER_ADDRESS}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('/dev/stderr', file('errors'))
    .replace('/dev/stdout', file('requests'));
  writeFileSync(file('nginx.conf'), config);
  const flags = ['-c', file('nginx.conf'), '-e', file('errors'), '-p', folder];
  const { status, stderr } = spawnSync('nginx', ['-t', ...flags], { encoding: 'utf8', env: minimalEnv });
  if (status !== 0) throw new Error(`nginx rejects deploy/nginx.conf: ${stderr}`);

  const nginx = spawn('nginx', [...flags, '-g', 'daemon off;'], { stdio: 'ignore', env: minimalEnv });
  const ended = once(nginx, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await until(() => fetch(`${url}/livez`).catch(() => undefined));
  return {
    url,
    async stop() {
      nginx.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
