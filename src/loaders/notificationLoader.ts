import DataLoader from 'dataloader';
import type { ServiceClient } from '../service/client.js';
import type { NotificationRecord } from '../service/contract.js';
import type { RequestClient } from '../service/endpoints.js';

export type NotificationLoader = DataLoader<string, NotificationRecord | null>;

/** Reads of one request that are under way at a time, so that one request does not take the place of all others. */
const MAX_CONCURRENT_READS = 32;

/** What waits for it goes on in a microtask, without the AsyncResource that queueMicrotask makes for each. */
const microtask = Promise.resolve();

/**
 * Reads each notification once for one request. The service reads a single one a call, so that a batch is as many
 * calls; one that fails leaves the others standing.
 */
export function createNotificationLoader(service: ServiceClient, client: RequestClient): NotificationLoader {
  const read = (guid: string) =>
    service.readNotification(guid, client).catch((error: unknown) => error as Error);
  const readMany = async (guids: readonly string[]) => {
    const results: (NotificationRecord | null | Error)[] = [];
    const remaining = guids.entries();
    const worker = async () => {
      for (const [index, guid] of remaining) results[index] = await read(guid);
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_READS }, worker));
    return results;
  };
  return new DataLoader(
    (guids) => (guids.length <= MAX_CONCURRENT_READS ? Promise.all(guids.map(read)) : readMany(guids)),
    // What is asked for at once is asked for by resolvers that run one after the other, with no wait between them.
    { batchScheduleFn: (dispatch) => void microtask.then(dispatch) },
  );
}
