import DataLoader from 'dataloader';
import pMap from 'p-map';
import type { ServiceClient } from '../service/client.js';
import type { NotificationRecord } from '../service/contract.js';
import type { RequestClient } from '../service/endpoints.js';

export type NotificationLoader = DataLoader<string, NotificationRecord | null>;

/** Concurrent reads per request, so that one request with many identifiers does not occupy every connection. */
const MAX_CONCURRENT_READS = 32;

/**
 * Deduplicates the reads of one request. The service has no bulk read, so a batch makes one REST call per
 * notification; a failed call fails its own notification only.
 */
export function createNotificationLoader(service: ServiceClient, client: RequestClient): NotificationLoader {
  const read = (guid: string) =>
    service.readNotification(guid, client).catch((error: unknown) => error as Error);
  return new DataLoader((guids) => pMap(guids, read, { concurrency: MAX_CONCURRENT_READS }));
}
