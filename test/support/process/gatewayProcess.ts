/** The built gateway in a separate process, started like `npm start`. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startProcess, type ProcessOptions } from './startProcess.js';

const root = new URL('../../../', import.meta.url);
const packageJson = readFileSync(new URL('package.json', root), 'utf8');
const { start } = (JSON.parse(packageJson) as { scripts: { start: string } }).scripts;

/** The options that `npm start` gives Node.js, which tune V8. */
const START_OPTIONS = start.split(' ').filter((word) => word.startsWith('-'));

export const MAIN = fileURLToPath(new URL('dist/main.js', root));

export type GatewayProcess = ReturnType<typeof startGatewayProcess>;

export interface GatewayProcessOptions extends Pick<ProcessOptions, 'stdout'> {
  /** All environment variables except PATH. @default a free port */
  env?: Readonly<Record<string, string>>;
  /** JavaScript that runs in the process before the gateway and replies to messages. @default none */
  probe?: string;
  /** Additional options of Node.js, such as `--expose-gc`. */
  nodeOptions?: readonly string[];
  /** The script to start. @default dist/main.js of this project */
  main?: string;
}

const LISTENING = /"msg":"Server listening at (http:\/\/127\.0\.0\.1:\d+)"/;

export function startGatewayProcess({
  env = {},
  probe,
  nodeOptions = [],
  main = MAIN,
  ...others
}: GatewayProcessOptions = {}) {
  const probeOptions =
    probe === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(probe)}`];
  const gateway = startProcess(process.execPath, [...START_OPTIONS, ...nodeOptions, ...probeOptions, main], {
    env: { PORT: '0', ...env },
    ipc: probe !== undefined,
    ...others,
  });
  return {
    ...gateway,
    /** Resolves with the gateway's origin, such as `http://127.0.0.1:4000`, once it accepts requests. */
    async listening() {
      const [, origin = ''] = await gateway.printed(LISTENING);
      return origin;
    },
    /** Sends a message to the probe; resolves with its reply. */
    async ask(message: string) {
      const reply = once(gateway.child, 'message');
      gateway.child.send(message);
      const [value] = (await reply) as [unknown];
      return value;
    },
    /** Kills the process; resolves once it has exited. */
    async stop() {
      gateway.kill('SIGKILL');
      await gateway.exited;
    },
  };
}

/** Parses the lines that a gateway logs, and skips the message with its addresses. */
export function parseLogLines(stdout: string): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
