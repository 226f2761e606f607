import type { Config } from '../config/config.js';

type Ports = Pick<Config, 'HOST' | 'METRICS_PORT' | 'PORT'>;

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use',
  EACCES: 'the process may not use this port',
  EADDRNOTAVAIL: 'this machine does not have the address',
};

/** One line about an address to listen on that is not available; undefined for any other error. */
export function portProblem(error: unknown, { HOST, METRICS_PORT, PORT }: Ports): string | undefined {
  const { code = '', port = PORT, syscall } = error as NodeJS.ErrnoException & { port?: number };
  const reason = reasons[code];
  if (reason === undefined || syscall !== 'listen') return undefined;
  const variable = port === METRICS_PORT && port !== PORT ? 'METRICS_PORT' : 'PORT';
  return `Cannot listen on ${HOST}:${port}: ${reason} (HOST, ${variable})`;
}
