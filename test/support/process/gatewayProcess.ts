/** The gateway as a process of its own, in front of a service, and with a probe inside that can be asked. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface GatewayProcess {
  readonly url: string;
  /** Sends the probe a message; gives its answer. */
  ask(message: string): Promise<unknown>;
  stop(): Promise<void>;
}

export interface GatewayProcessOptions {
  serviceUrl: string;
  /** Environment variables besides. */
  env?: Record<string, string>;
  /** Module that is run in the process before the gateway: it answers messages. */
  probe?: string;
  /** Options of Node. */
  nodeOptions?: readonly string[];
}

/** The process does not outlive the one that started it. */
const END = `process.on('disconnect', () => process.exit());\n`;

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { serviceUrl, env = {}, probe = '', nodeOptions = [] } = options;
  const child = fork(new URL('../../../src/main.ts', import.meta.url), {
    execArgv: [
      ...nodeOptions,
      ...['--import', 'tsx', '--import', `data:text/javascript,${encodeURIComponent(END + probe)}`],
    ],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      SERVICE_URL: serviceUrl,
      PORT: '0',
      DRAIN_DELAY_MS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    ended.then(() => {
      reject(new Error('The gateway ended before it listened'));
    }, reject);
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (address !== undefined) resolve(`${address}/graphql`);
    });
  });
  return {
    url,
    async ask(message) {
      const responded = once(child, 'message');
      child.send(message);
      const [response] = (await responded) as [unknown];
      return response;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
