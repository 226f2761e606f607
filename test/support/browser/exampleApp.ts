/** The app of examples/notifications, built, in front of a gateway. */
import { existsSync } from 'node:fs';
import { preview } from 'vite';
import { startProcess } from '../process/startProcess.js';

const FOLDER = 'examples/notifications';

/** Undefined where its packages are installed. */
export const exampleMissing = existsSync(`${FOLDER}/node_modules/.package-lock.json`)
  ? undefined
  : `packages of ${FOLDER} not installed (npm ci in that folder)`;

/** Runs a script of its package.json; fails with its output if that fails. */
export async function runExampleScript(script: string, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await startProcess('npm', ['run', '-s', script, '--', ...args], {
    cwd: FOLDER,
  }).exited;
  if (code !== 0) throw new Error(`npm run ${script} failed:\n${stdout}${stderr}`);
}

/** Serves the build, and forwards `/graphql` to the gateway, as a load balancer in front of both would. */
export async function serveExample(gatewayUrl: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = await preview({
    root: FOLDER,
    logLevel: 'error',
    preview: { host: '127.0.0.1', port: 0, proxy: { '/graphql': new URL(gatewayUrl).origin } },
  });
  const [url = ''] = server.resolvedUrls?.local ?? [];
  return { url, stop: () => server.close() };
}
