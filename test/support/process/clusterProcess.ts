/** A cluster of two workers, in separate processes. */
import { freePort } from '../tools/freePort.js';
import { until } from '../tools/waiting.js';
import { startGatewayProcess, type GatewayProcess } from './gatewayProcess.js';

export interface Cluster extends GatewayProcess {
  url: string;
  origin: string;
}

/** @param probe JavaScript that runs in each process before the gateway. @default none */
export async function startCluster(env: Record<string, string> = {}, probe?: string): Promise<Cluster> {
  const port = await freePort();
  const program = startGatewayProcess({
    env: { WEB_CONCURRENCY: '2', PORT: String(port), ...env },
    ...(probe !== undefined && { probe }),
  });
  const origin = `http://127.0.0.1:${port}`;
  const exitedEarly = program.exited.then((exit) => {
    throw new Error(`Expected two workers that listen, got ${JSON.stringify(exit)}`);
  });
  await Promise.race([until(() => listening(program).length === 2), exitedEarly]);
  return { ...program, origin, url: `${origin}/graphql` };
}

/** The process IDs of the workers that have logged that they listen. */
export function listening({ output }: GatewayProcess): unknown[] {
  const matches = [...output().matchAll(/"pid":(\d+),[^\n]*"msg":"Server listening/g)];
  return [...new Set(matches.map(([, pid]) => Number(pid)))];
}

/** Sends an operation on a new connection, so that any worker may get it. */
export async function execute(url: string, query: string, token = 'any'): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, connection: 'close' },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

/** The number of requests that each worker has logged. */
export function requestsByWorker({ output }: GatewayProcess): Map<unknown, number> {
  const byWorker = new Map<unknown, number>();
  for (const [, pid] of output().matchAll(/"pid":(\d+),[^\n]*"msg":"Request"/g))
    byWorker.set(Number(pid), (byWorker.get(Number(pid)) ?? 0) + 1);
  return byWorker;
}
