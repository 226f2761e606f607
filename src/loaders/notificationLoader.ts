import DataLoader from 'dataloader';
import type { ServiceClient } from '../service/client.js';
import type { NotificationRecord } from '../service/contract.js';
import type { Caller } from '../service/endpoint.js';

export type NotificationLoader = DataLoader<string, NotificationRecord | null>;

/**
 * Reads each notification once for one request. The service reads a single one a call, so that a batch is as many
 * calls at a time; one that fails leaves the others standing.
 */
export function createNotificationLoader(service: ServiceClient, caller: Caller): NotificationLoader {
  return new DataLoader((notificationGuids) =>
    Promise.all(
      notificationGuids.map((guid) =>
        service.readNotification(guid, caller).catch((error: unknown) => error as Error),
      ),
    ),
  );
}
