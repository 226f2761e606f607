import type { Config } from '../config/config.js';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use',
  EACCES: 'the process may not use this port',
  EADDRNOTAVAIL: 'this machine does not have the address',
};

/** One line about an address to listen on that is not available; undefined for any other error. */
export function portProblem(error: unknown, { process, telemetry }: Config): string | undefined {
  const { code = '', port = process.port, syscall } = error as NodeJS.ErrnoException & { port?: number };
  const reason = reasons[code];
  if (reason === undefined || syscall !== 'listen') return undefined;
  const variable = port === telemetry.metricsPort && port !== process.port ? 'METRICS_PORT' : 'PORT';
  return `Cannot listen on ${process.host}:${port}: ${reason} (HOST, ${variable})`;
}
