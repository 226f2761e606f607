import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FaultServer } from '../service/faultServer.js';

const CHANNEL = 'undici:client:connectError';

/** Counts the connections from this process that a closed port refuses; `stop` returns the count. */
export function countConnectionRefusals({ url }: FaultServer): { stop(): number } {
  let count = 0;
  const onError = (message: unknown) => {
    const { error, connectParams } = message as {
      error: { code?: string };
      connectParams: { host: string };
    };
    if (error.code === 'ECONNREFUSED' && connectParams.host === new URL(url).host) count += 1;
  };
  subscribe(CHANNEL, onError);
  return {
    stop() {
      unsubscribe(CHANNEL, onError);
      return count;
    },
  };
}
