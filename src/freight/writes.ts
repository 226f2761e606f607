/** The five writes: the calls that each makes, and what is read if its outcome is unknown. */
import { truncate } from '../domain/json.js';
import type { QueryParameters } from '../domain/parameters.js';
import type {
  DeletedNotification,
  ExceptionParameters,
  NotificationEnvelope,
  NotificationRecord,
  NotificationRequest,
  TrackingParameters,
  WrittenNotification,
} from './contract.js';
import { isNotFound, type MakeCall, type RequestClient } from './endpoint.js';
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
import { isSameInstant, latestTimeOf } from './vocabulary.js';
import { ifServiceFailed, type Write } from './write.js';
import { dateOf } from '../transport/response.js';
import { ServiceError } from '../transport/serviceError.js';

/** Resolves with null if the service's response has no such notification; rejects if its status says so. */
export type ReadNotification<Record = NotificationRecord> = (
  notificationGuid: string,
  client: RequestClient,
  deadline?: number,
) => Promise<Record | null>;

/**
 * Whether the path of a notification is right, which is proven once the service has returned one to a read since the process
 * started. With a wrong path, 404 would be the response to every read, and would not mean that the notification is gone.
 */
export interface PathProof {
  isGiven: boolean;
}

export interface WritesOptions {
  call: MakeCall;
  readNotification: ReadNotification;
  /** Reads what an update keeps. */
  readCurrent: ReadNotification<CurrentNotification>;
  pathProof: Readonly<PathProof>;
  /** Timeout in milliseconds of a write together with the reads before and after it, the read-back excepted. */
  timeoutMs: number;
}

/** A condition on the current state of the notification to write. */
interface Target {
  notificationGuid: string;
  ifLastUpdateDate?: string | null | undefined;
}

export type Writes = ReturnType<typeof createWrites>;

export function createWrites({ call, readNotification, readCurrent, pathProof, timeoutMs }: WritesOptions) {
  /** Reads what a write depends on, which is not sent if this rejects. */
  const readBeforeWrite = async (
    { notificationGuid, ifLastUpdateDate }: Target,
    client: RequestClient,
    deadline: number,
  ): Promise<CurrentNotification> => {
    const current = await readCurrent(notificationGuid, client, deadline).catch(asPrecedingRead);
    if (current === null) throw new ServiceError('notFound');
    if (ifLastUpdateDate != null) requireLastUpdateDate(current, ifLastUpdateDate);
    return current;
  };

  /** The notification that a write has left, or null if it cannot be read. */
  const readAgain = async (
    notificationGuid: string,
    client: RequestClient,
    deadline?: number,
  ): Promise<WrittenNotification> => ({
    notificationGuid,
    notification: await readNotification(notificationGuid, client, deadline).catch(ifServiceFailed(null)),
    messages: [],
  });

  /** A write whose result is what was asked for, and whose effect cannot be read. */
  const shipmentWrite = <Parameters extends object>(
    operation: RestOperation<Parameters, unknown>,
    parameters: Parameters,
  ): Write<Parameters> => ({
    isIdempotent: isIdempotent(operation),
    send: (client) => call(operation, parameters, client).then(() => parameters),
    replay: () => Promise.resolve(parameters),
  });

  return {
    createNotification: (body: NotificationRequest): Write<WrittenNotification> => ({
      isIdempotent: isIdempotent(operations.createNotification),
      send: (client) => call(operations.createNotification, body, client),
      guidOf: ({ notificationGuid }) => notificationGuid,
      async replay(client, notificationGuid) {
        if (notificationGuid === undefined)
          throw new Error('Expected a record with the created notification');
        return readAgain(notificationGuid, client);
      },
      async findCandidates(client, deadline, sinceMs) {
        const startedAt = performance.now() - sinceMs;
        const list = await call(datedList, {}, client, { deadline });
        if (list.data.length !== list.totalPossibleCount) return undefined;
        const startedAtService = serviceTimeOf(list, performance.now() - startedAt);
        const matches = createMatcher(body);
        return list.data
          .filter((record) => isUpdatedSince(startedAtService, record) && matches(record))
          .slice(0, MAX_CANDIDATES)
          .map(({ notificationGuid }) => notificationGuid);
      },
    }),

    updateNotification: (target: Target, changes: NotificationChanges): Write<WrittenNotification> => {
      const { notificationGuid, ifLastUpdateDate } = target;
      /** Body of the PUT, once it is sent. */
      let body: NotificationRequest | undefined;
      return {
        isIdempotent: isIdempotent(operations.replaceNotification),
        async send(client) {
          const deadline = performance.now() + timeoutMs; // shared by the update and its reads
          // The service replaces whole definitions.
          body =
            isWholeDefinition(changes) && ifLastUpdateDate == null
              ? toRequest(changes)
              : mergeChanges(await readBeforeWrite(target, client, deadline), changes);
          const { notification, messages } = await call(
            operations.replaceNotification,
            { ...body, notificationGuid },
            client,
            { deadline },
          );
          if (notification !== undefined) return { notificationGuid, notification, messages };
          return { ...(await readAgain(notificationGuid, client, deadline)), messages };
        },
        replay: (client) => readAgain(notificationGuid, client),
        async readBack(client, deadline) {
          const matches = createMatcher(body ?? changedFields(changes));
          const notification = await readNotification(notificationGuid, client, deadline);
          if (notification === null) return 'unreadable';
          if (!matches(notification)) return 'different';
          return { result: { notificationGuid, notification, messages: [] } };
        },
      };
    },

    deleteNotification: (target: Target): Write<DeletedNotification> => {
      const { notificationGuid, ifLastUpdateDate } = target;
      return {
        isIdempotent: isIdempotent(operations.deleteNotification),
        async send(client) {
          const deadline = performance.now() + timeoutMs; // shared by the deletion and the read
          if (ifLastUpdateDate != null) await readBeforeWrite(target, client, deadline);
          const { messages } = await call(operations.deleteNotification, { notificationGuid }, client, {
            deadline,
          });
          return { notificationGuid, messages };
        },
        replay: () => Promise.resolve({ notificationGuid, messages: [] }),
        async readBack(client, deadline) {
          try {
            const notification = await readNotification(notificationGuid, client, deadline);
            return notification === null ? 'unreadable' : 'different';
          } catch (error) {
            if (!isNotFound(error) || error.hasForeignBody || !pathProof.isGiven) throw error;
            return { result: { notificationGuid, messages: [] } };
          }
        },
      };
    },

    trackShipment: (parameters: TrackingParameters) => shipmentWrite(operations.trackShipment, parameters),

    deleteException: (parameters: ExceptionParameters) =>
      shipmentWrite(operations.deleteException, parameters),
  };
}

/** Whether the same call has the same effect when it is sent twice (RFC 9110 section 9.2.2). */
function isIdempotent({ method }: RestOperation<never, unknown>): boolean {
  return method !== 'POST';
}

/** Whatever the effect of a write with that failure, this one was not sent. */
function asPrecedingRead(error: unknown): never {
  throw error instanceof ServiceError ? error.withEffect('none') : error;
}

function requireLastUpdateDate({ lastUpdateDate }: NotificationRecord, expectedDate: string): void {
  if (lastUpdateDate != null && isSameInstant(lastUpdateDate, expectedDate)) return;
  throw new ServiceError('conflict', {
    message: `Expected the last update of the notification at ${truncate(expectedDate)}, got ${truncate(lastUpdateDate ?? 'none')}`,
  });
}

interface DatedList extends NotificationEnvelope {
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
