/** The app of examples/notifications, built, in front of a gateway. */
import { existsSync } from 'node:fs';
import { preview } from 'vite';
import { startProcess } from '../process/startProcess.js';

const FOLDER = 'examples/notifications';

/** Undefined where its packages are installed. */
export const exampleMissing = existsSync(`${FOLDER}/node_modules/.package-lock.json`)
  ? undefined
  : `packages of ${FOLDER} not installed (npm ci in that folder)`;

/** `npm run typecheck` has checked the types. */
export const buildExample = () => run('node_modules/.bin/vite', 'build', '--logLevel', 'warn');

/** Like `npm run codegen`, which would also install the tools if they are old. */
export const checkGeneratedTypes = () => run('../../node_modules/.bin/graphql-codegen', '--check');

/** Runs a program in its folder; fails with its output if that fails. */
async function run(command: string, ...args: string[]): Promise<void> {
  const env = { NODE_PATH: '../../test/node_modules' };
  const { code, stdout, stderr } = await startProcess(command, args, { cwd: FOLDER, env }).exited;
  if (code !== 0) throw new Error(`${command} failed:\n${stdout}${stderr}`);
}

/** Serves the build, and forwards `/graphql` to the gateway, as a load balancer in front of both would, and the count of the mock service. */
export async function serveExample(
  gatewayUrl: string,
  mockUrl: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const proxy = {
    '/graphql': new URL(gatewayUrl).origin,
    '/mock/writes': { target: mockUrl, rewrite: () => '/writes' },
  };
  const server = await preview({
    root: FOLDER,
    logLevel: 'error',
    preview: { host: '127.0.0.1', port: 0, proxy },
  });
  const [url = ''] = server.resolvedUrls?.local ?? [];
  return { url, stop: () => server.close() };
}
