/** The writes of notifications: what is read before and after the call of each. */
import { truncate } from '../domain/json.js';
import type { QueryParameters } from '../domain/parameters.js';
import type {
  CreatedNotification,
  DeletedNotification,
  NotificationRecord,
  NotificationRequest,
  WrittenNotification,
} from './contract.js';
import type { NotificationList } from './notificationBodies.js';
import {
  changedFields,
  createMatcher,
  isWholeDefinition,
  mergeChanges,
  toRequest,
  type CurrentNotification,
  type NotificationChanges,
} from './notificationChanges.js';
import { MAX_CANDIDATES } from './notificationResponses.js';
import { operations, type ReadOperation } from './operations.js';
import { isBefore, isSameInstant, latestTimeOf } from './vocabulary.js';
import { defineWrite, ifServiceFailed, type Reads } from './write.js';
import { dateOf } from '../transport/headers.js';
import { GatewayError } from '../gatewayError.js';

/** A condition on the current state of the notification to write. */
interface Target {
  notificationGuid: string;
  ifLastUpdateDate?: string | null | undefined;
}

interface PreparedUpdate {
  /** Body of the PUT. */
  body: NotificationRequest;
  /** The notification as it was read, if the update depends on it. */
  before?: CurrentNotification;
}

export const writes = {
  createNotification: defineWrite(
    operations.createNotification,
    ({ input: body }: { input: NotificationRequest }) => ({
      parameters: body,
      send: (call) => call(body),
      resultIdOf: ({ notificationGuid }: CreatedNotification) => notificationGuid ?? undefined,
      replay: (reads, notificationGuid): Promise<CreatedNotification> =>
        notificationGuid === undefined
          ? Promise.resolve({ notificationGuid: null, notification: null, messages: [] })
          : readAgain(notificationGuid, reads),
      async findCandidates({ read, client, deadline }, sinceMs) {
        const startedAt = performance.now() - sinceMs;
        const list = await read(datedList, {}, client, { deadline });
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
  ),

  updateNotification: defineWrite(
    operations.replaceNotification,
    ({ input: changes, ...target }: Target & { input: NotificationChanges }) => {
      const { notificationGuid, ifLastUpdateDate } = target;
      return {
        parameters: { notificationGuid, ...changedFields(changes) },
        async prepare(reads): Promise<PreparedUpdate> {
          if (isWholeDefinition(changes) && ifLastUpdateDate == null) return { body: toRequest(changes) };
          const before = await readBeforeWrite(target, reads);
          return { body: mergeChanges(before, changes), before }; // the service replaces whole definitions
        },
        async send(call, reads, { body, before }): Promise<WrittenNotification> {
          const { notification, messages } = await call({ ...body, notificationGuid, current: before });
          if (notification !== undefined) return { notificationGuid, notification, messages };
          return { ...(await readAgain(notificationGuid, reads, before)), messages };
        },
        replay: (reads) => readAgain(notificationGuid, reads),
        async readBack(reads, prepared) {
          const matches = createMatcher(prepared?.body ?? changedFields(changes));
          const notification = await readAfterWrite(notificationGuid, reads, prepared?.before);
          if (notification === null) return 'unreadable';
          if (!matches(notification)) return 'different';
          return { result: { notificationGuid, notification, messages: [] } };
        },
      };
    },
  ),

  deleteNotification: defineWrite(operations.deleteNotification, (target: Target) => {
    const { notificationGuid, ifLastUpdateDate } = target;
    return {
      parameters: { notificationGuid },
      async prepare(reads): Promise<NotificationRecord | undefined> {
        return ifLastUpdateDate == null ? undefined : await readBeforeWrite(target, reads);
      },
      send: async (call): Promise<DeletedNotification> => ({
        notificationGuid,
        ...(await call({ notificationGuid })),
      }),
      replay: () => Promise.resolve({ notificationGuid, messages: [] }),
      async readBack(reads, before) {
        try {
          const notification = await readAfterWrite(notificationGuid, reads, before);
          return notification === null ? 'unreadable' : 'different';
        } catch (error) {
          const { notifications, client, deadline } = reads;
          if (!(await notifications.provesAbsence(error, client, deadline))) throw error;
          return { result: { notificationGuid, messages: [] } };
        }
      },
    };
  }),
};

/** Reads what a write depends on, which is not sent if this rejects. */
async function readBeforeWrite(
  { notificationGuid, ifLastUpdateDate }: Target,
  { notifications, client, deadline }: Reads,
): Promise<CurrentNotification> {
  const current = await notifications.readCurrent(notificationGuid, client, deadline).catch(asPrecedingRead);
  if (current === null) throw new GatewayError('notFound');
  if (ifLastUpdateDate != null) requireLastUpdateDate(current, ifLastUpdateDate);
  return current;
}

/**
 * The notification that a write has left. Null if the response has none, or is older than what was read before the write: some
 * cache or replica has not seen the write, and may not have seen others either.
 */
async function readAfterWrite(
  notificationGuid: string,
  { notifications, client, deadline }: Reads,
  before?: NotificationRecord,
): Promise<NotificationRecord | null> {
  const notification = await notifications.readBack(notificationGuid, client, deadline);
  return isOlder(notification, before) ? null : notification;
}

/** The result of an update that was applied: its notification is null if it cannot be read. */
async function readAgain(
  notificationGuid: string,
  reads: Reads,
  before?: NotificationRecord,
): Promise<WrittenNotification> {
  const notification = await readAfterWrite(notificationGuid, reads, before).catch(ifServiceFailed(null));
  return { notificationGuid, notification, messages: [] };
}

/** Whatever the effect of a write with that failure, this one was not sent. */
function asPrecedingRead(error: unknown): never {
  throw error instanceof GatewayError ? error.withOutcome('NOT_APPLIED') : error;
}

function requireLastUpdateDate(current: NotificationRecord, expectedDate: string): void {
  const { lastUpdateDate } = current;
  if (lastUpdateDate instanceof GatewayError) throw lastUpdateDate.withOutcome('NOT_APPLIED');
  if (lastUpdateDate != null && isSameInstant(lastUpdateDate, expectedDate)) return;
  throw new GatewayError('conflict', {
    message: `The notification was last updated at ${truncate(lastUpdateDate ?? 'an unknown time')}, not ${truncate(expectedDate)}`,
    current,
  });
}

/** By the date of the last update, if both have one that can be read. */
function isOlder(notification: NotificationRecord | null, before: NotificationRecord | undefined): boolean {
  const date = notification?.lastUpdateDate;
  const dateBefore = before?.lastUpdateDate;
  return typeof date === 'string' && typeof dateBefore === 'string' && isBefore(date, dateBefore);
}

interface DatedList extends NotificationList {
  /** When the response was created by the clock of the service, in milliseconds since 1970, truncated to seconds, if it says so. */
  dateMs: number | undefined;
}

const datedList: ReadOperation<QueryParameters, DatedList> = {
  ...operations.listNotifications,
  read: (response, parameters) => ({
    ...operations.listNotifications.read(response, parameters),
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
  return typeof lastUpdateDate !== 'string' || latestTimeOf(lastUpdateDate) >= time;
}
