import { createGateway, type GatewayOptions } from '../gateway.js';

/** A gateway that accepts requests, in this process or in its workers. */
export interface RunningGateway {
  /** URL of the GraphQL endpoint. */
  url: string;
  /** Shuts down; SIGINT skips the delay for load balancers. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

export async function startSingleProcess(options: GatewayOptions): Promise<RunningGateway> {
  const gateway = await createGateway(options);
  return {
    url: await gateway.listen(),
    stop: (signal) => gateway.stop(signal === 'SIGINT' ? { drainDelayMs: 0 } : {}),
  };
}
