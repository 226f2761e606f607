/**
 * Workers get their variables from the primary, over the channel between them. So a worker that is replaced has the values of
 * the others even if a file with a secret has changed, and no secret from a file enters the environment of a process.
 */
import cluster from 'node:cluster';
import type { Environment } from '../config/config.js';
import type { GivenVariables } from './variableFiles.js';

const REQUEST = 'gateway:request-variables';
const RESPONSE = 'gateway:variables';

/** In the primary: sends the variables to each worker that requests them. */
export function provideVariables(environment: Environment): void {
  cluster.on('message', (worker, message: unknown) => {
    if (typeOf(message) !== REQUEST) return;
    // A worker that has exited meanwhile needs none; without this callback its closed channel would throw.
    worker.send({ type: RESPONSE, environment }, () => undefined);
  });
}

/** In a worker. */
export async function receiveVariables(): Promise<GivenVariables> {
  return new Promise((resolve) => {
    const listener = (message: unknown) => {
      if (typeOf(message) !== RESPONSE) return;
      process.off('message', listener);
      const { environment } = message as { environment: Environment };
      resolve({ environment, files: new Map(), problems: [] });
    };
    process.on('message', listener);
    process.send?.({ type: REQUEST });
  });
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}
