/** The five writes: the calls that each makes, and what is read if its outcome is unknown. */
import { truncate } from '../domain/json.js';
import type { QueryParameters } from '../domain/parameters.js';
import type {
  DeletedException,
  DeletedNotification,
  ExceptionParameters,
  NotificationRecord,
  NotificationRequest,
  TrackedShipment,
  TrackingParameters,
  WrittenNotification,
} from './contract.js';
import type { MakeCall, RequestClient } from './endpoint.js';
import type { NotificationList } from './notificationList.js';
import type { NotificationReader } from './notificationReader.js';
import {
  changedFields,
  createMatcher,
  isWholeDefinition,
  mergeChanges,
  toRequest,
  type CurrentNotification,
  type NotificationChanges,
} from './notificationChanges.js';
import { MAX_CANDIDATES, operations, type RestOperation } from './operations.js';
import { isBefore, isSameInstant, latestTimeOf } from './vocabulary.js';
import { ifServiceFailed, type Write } from './write.js';
import { dateOf } from '../transport/response.js';
import { ServiceError } from '../transport/serviceError.js';

/** A condition on the current state of the notification to write. */
export interface Target {
  notificationGuid: string;
  ifLastUpdateDate?: string | null | undefined;
}

export type Writes = ReturnType<typeof createWrites>;

/** `timeoutMs` is that of a write together with the reads before and after it, the read-back excepted. */
export function createWrites(call: MakeCall, notifications: NotificationReader, timeoutMs: number) {
  /** Reads what a write depends on, which is not sent if this rejects. */
  const readBeforeWrite = async (
    { notificationGuid, ifLastUpdateDate }: Target,
    client: RequestClient,
    deadline: number,
  ): Promise<CurrentNotification> => {
    const current = await notifications
      .readCurrent(notificationGuid, client, deadline)
      .catch(asPrecedingRead);
    if (current === null) throw new ServiceError('notFound');
    if (ifLastUpdateDate != null) requireLastUpdateDate(current, ifLastUpdateDate);
    return current;
  };

  /**
   * The notification that a write has left. Null if the response has none, or is older than what was read before the write: some
   * cache or replica has not seen the write, and may not have seen others either.
   */
  const readAfterWrite = async (
    notificationGuid: string,
    client: RequestClient,
    deadline: number,
    before?: NotificationRecord,
  ): Promise<NotificationRecord | null> => {
    const notification = await notifications.readBack(notificationGuid, client, deadline);
    return isOlder(notification, before) ? null : notification;
  };

  /** The result of an update that was applied: its notification is null if it cannot be read. */
  const readAgain = async (
    notificationGuid: string,
    client: RequestClient,
    deadline: number,
    before?: NotificationRecord,
  ): Promise<WrittenNotification> => ({
    notificationGuid,
    notification: await readAfterWrite(notificationGuid, client, deadline, before).catch(
      ifServiceFailed(null),
    ),
    messages: [],
  });

  return {
    createNotification: (body: NotificationRequest): Write<WrittenNotification> => ({
      operation: operations.createNotification,
      parameters: body,
      send: (client) => call(operations.createNotification, body, client),
      guidOf: ({ notificationGuid }) => notificationGuid,
      async replay(client, notificationGuid) {
        if (notificationGuid === undefined)
          throw new Error('Expected a record with the created notification');
        return readAgain(notificationGuid, client, performance.now() + timeoutMs);
      },
      async findCandidates(client, deadline, sinceMs) {
        const startedAt = performance.now() - sinceMs;
        const list = await call(datedList, {}, client, { deadline });
        const { data, unreadable = [] } = list;
        if (data.length + unreadable.length !== list.totalPossibleCount) return undefined;
        const startedAtService = serviceTimeOf(list, performance.now() - startedAt);
        const matches = createMatcher(body);
        const candidates = data
          .filter((record) => isUpdatedSince(startedAtService, record) && matches(record))
          .slice(0, MAX_CANDIDATES)
          .map(({ notificationGuid }) => notificationGuid);
        return candidates.length === 0 && unreadable.length > 0 ? undefined : candidates;
      },
    }),

    updateNotification: (target: Target, changes: NotificationChanges): Write<WrittenNotification> => {
      const { notificationGuid, ifLastUpdateDate } = target;
      /** Body of the PUT, once it is sent, and the notification as it was read before, if it was. */
      let body: NotificationRequest | undefined;
      let before: CurrentNotification | undefined;
      return {
        operation: operations.replaceNotification,
        parameters: { notificationGuid, ...changedFields(changes) },
        async send(client) {
          const deadline = performance.now() + timeoutMs; // shared by the update and its reads
          if (isWholeDefinition(changes) && ifLastUpdateDate == null) {
            body = toRequest(changes);
          } else {
            before = await readBeforeWrite(target, client, deadline);
            body = mergeChanges(before, changes); // the service replaces whole definitions
          }
          const { notification, messages } = await call(
            operations.replaceNotification,
            { ...body, notificationGuid },
            client,
            { deadline },
          );
          if (notification !== undefined) return { notificationGuid, notification, messages };
          return { ...(await readAgain(notificationGuid, client, deadline, before)), messages };
        },
        replay: (client) => readAgain(notificationGuid, client, performance.now() + timeoutMs),
        async readBack(client, deadline) {
          const matches = createMatcher(body ?? changedFields(changes));
          const notification = await readAfterWrite(notificationGuid, client, deadline, before);
          if (notification === null) return 'unreadable';
          if (!matches(notification)) return 'different';
          return { result: { notificationGuid, notification, messages: [] } };
        },
      };
    },

    deleteNotification: (target: Target): Write<DeletedNotification> => {
      const { notificationGuid, ifLastUpdateDate } = target;
      let before: NotificationRecord | undefined;
      return {
        operation: operations.deleteNotification,
        parameters: { notificationGuid },
        async send(client) {
          const deadline = performance.now() + timeoutMs; // shared by the deletion and the read
          if (ifLastUpdateDate != null) before = await readBeforeWrite(target, client, deadline);
          const { messages } = await call(operations.deleteNotification, { notificationGuid }, client, {
            deadline,
          });
          return { notificationGuid, messages };
        },
        replay: () => Promise.resolve({ notificationGuid, messages: [] }),
        async readBack(client, deadline) {
          try {
            const notification = await readAfterWrite(notificationGuid, client, deadline, before);
            return notification === null ? 'unreadable' : 'different';
          } catch (error) {
            if (!(await notifications.provesAbsence(error, client, deadline))) throw error;
            return { result: { notificationGuid, messages: [] } };
          }
        },
      };
    },

    // The effect of these two cannot be read.
    trackShipment: (parameters: TrackingParameters): Write<TrackedShipment> => ({
      operation: operations.trackShipment,
      parameters,
      send: (client) => call(operations.trackShipment, parameters, client).then(() => ({ parameters })),
      replay: () => Promise.resolve({ parameters }),
    }),

    deleteException: (parameters: ExceptionParameters): Write<DeletedException> => ({
      operation: operations.deleteException,
      parameters,
      send: async (client) => ({
        parameters,
        ...(await call(operations.deleteException, parameters, client)),
      }),
      replay: () => Promise.resolve({ parameters, messages: [] }),
    }),
  };
}

/** Whatever the effect of a write with that failure, this one was not sent. */
function asPrecedingRead(error: unknown): never {
  throw error instanceof ServiceError ? error.withEffect('none') : error;
}

function requireLastUpdateDate(current: NotificationRecord, expectedDate: string): void {
  const { lastUpdateDate } = current;
  if (lastUpdateDate != null && isSameInstant(lastUpdateDate, expectedDate)) return;
  throw new ServiceError('conflict', {
    message: `Expected the last update of the notification at ${truncate(expectedDate)}, got ${truncate(lastUpdateDate ?? 'none')}`,
    current,
  });
}

/** By the date of the last update, if both have one. */
function isOlder(notification: NotificationRecord | null, before: NotificationRecord | undefined): boolean {
  const date = notification?.lastUpdateDate;
  const dateBefore = before?.lastUpdateDate;
  return date != null && dateBefore != null && isBefore(date, dateBefore);
}

interface DatedList extends NotificationList {
  /** When the response was created by the clock of the service, in milliseconds since 1970, truncated to seconds, if it says so. */
  dateMs: number | undefined;
}

const datedList: RestOperation<QueryParameters, DatedList> = {
  ...operations.listNotifications,
  read: async (response, parameters) => ({
    ...(await operations.listNotifications.read(response, parameters)),
    dateMs: dateOf(response),
  }),
};

/**
 * When a call began by the clock of the service, or earlier: `elapsedMs` before the response is at most that, since Date is
 * truncated to seconds and was set before the response arrived. Without a Date, nothing is too old.
 */
function serviceTimeOf({ dateMs = -Infinity }: DatedList, elapsedMs: number): number {
  return dateMs - elapsedMs;
}

function isUpdatedSince(time: number, { lastUpdateDate }: NotificationRecord): boolean {
  return lastUpdateDate == null || latestTimeOf(lastUpdateDate) >= time;
}
