import type { Logger } from 'pino';
import { createGateway, type GatewayOptions } from '../gateway.js';

/** A gateway that accepts requests, in this process or in its workers. */
export interface RunningGateway {
  /** URL of the GraphQL endpoint. */
  url: string;
  /** Shuts down; SIGINT skips the delay for load balancers. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

export async function startSingleProcess(
  config: GatewayOptions['config'],
  log: Logger,
): Promise<RunningGateway> {
  const gateway = await createGateway({ config, log });
  return {
    url: await gateway.listen(),
    stop: (signal) => gateway.stop(signal === 'SIGINT' ? { drainDelayMs: 0 } : {}),
  };
}
