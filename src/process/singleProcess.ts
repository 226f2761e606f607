import type { Logger } from 'pino';
import { createGateway, type GatewayOptions } from '../gateway.js';

/** A gateway that accepts requests, in this process or in its workers. */
export interface RunningGateway {
  /** URL of the GraphQL endpoint. */
  url: string;
  /** Shuts down as the signal asks. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

export async function startSingleProcess(
  config: GatewayOptions['config'],
  log: Logger,
): Promise<RunningGateway> {
  const gateway = await createGateway({ config, log });
  return {
    url: await gateway.listen(),
    // Ctrl-C does not wait for a load balancer to notice.
    stop: (signal) => gateway.stop(signal === 'SIGINT' ? { drainDelayMs: 0 } : {}),
  };
}
