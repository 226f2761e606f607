/** The writes of notifications: what is read before and after the call of each. */
import { truncate } from '../domain/text.js';
import type {
  CreatedNotification,
  NotificationRecord,
  NotificationRequest,
  WrittenNotification,
} from './contract.js';
import {
  createComparison,
  mergeChanges,
  wholeDefinition,
  type CurrentNotification,
  type SentFields,
} from './notificationChanges.js';
import {
  isFresh,
  MAX_CANDIDATES,
  type NotificationKey,
  type NotificationTarget,
  type Replacement,
} from './notificationResponses.js';
import type { Confirmation } from './operations.js';
import { isBefore, isSameInstant, latestTimeOf } from './vocabulary.js';
import { ifServiceFailed, UNREADABLE, type Reads, type Write } from './write.js';
import { GatewayError } from '../gatewayError.js';

/** A notification to write, and a condition on its current state. */
interface Target extends NotificationKey {
  ifLastUpdateDate?: string | null | undefined;
}

export function createNotification(
  body: NotificationRequest,
): Write<CreatedNotification, NotificationRequest, CreatedNotification> {
  return {
    parameters: body,
    toResult: (created) => created,
    resultIdOf: ({ notificationGuid }) => notificationGuid ?? undefined,
    async replay(reads, notificationGuid) {
      if (notificationGuid !== undefined) return readAgain(notificationGuid, reads);
      return { notificationGuid: null, notification: null, messages: [] };
    },
    async readBack({ notifications, client, deadline }, sinceMs, _sent, named) {
      const compare = createComparison(body);
      if (named !== undefined) {
        const { notificationGuid, sentAtMs } = named;
        const notification = await notifications.readBack(notificationGuid, client, deadline);
        if (notification === null) return UNREADABLE;
        const isCreated = isFresh(notification, sentAtMs) && compare(notification) === 'equal';
        if (!isCreated) return { found: 'different' };
        return { found: 'confirmed', result: { notificationGuid, notification, messages: [] } };
      }
      const startedAt = performance.now() - sinceMs;
      const list = await notifications.list({}, client, deadline);
      const { data, unreadable = [] } = list;
      if (data.length + unreadable.length !== list.totalPossibleCount) return UNREADABLE;
      // By the clock of the service, or earlier: its Date is truncated to seconds, and was set before the response arrived. Without one,
      // nothing is too old.
      const startedAtService = (list.dateMs ?? -Infinity) - (performance.now() - startedAt);
      const isOld = ({ lastUpdateDate: date }: NotificationRecord) =>
        typeof date === 'string' && latestTimeOf(date) < startedAtService;
      const candidates = data
        .filter((record) => !isOld(record) && compare(record) === 'equal')
        .slice(0, MAX_CANDIDATES)
        .map(({ notificationGuid }) => notificationGuid);
      if (candidates.length > 0) return { found: 'candidates', candidates };
      return unreadable.length > 0 ? UNREADABLE : { found: 'none', candidates };
    },
  };
}

export function updateNotification(
  target: Target,
  changes: SentFields,
): Write<WrittenNotification, Replacement, WrittenNotification> {
  const { notificationGuid, ifLastUpdateDate } = target;
  const parameters = { ...changes, notificationGuid };
  return {
    parameters,
    async prepare(reads) {
      const body = ifLastUpdateDate == null ? wholeDefinition(changes) : undefined;
      if (body !== undefined) return { ...body, notificationGuid };
      const current = await readBeforeWrite(target, reads);
      return { ...mergeChanges(current, changes), notificationGuid, current }; // the service replaces whole definitions
    },
    async toResult(written, reads, sent) {
      if (written.notification !== null) return written;
      return { ...(await readAgain(notificationGuid, reads, sent)), messages: written.messages };
    },
    replay: (reads) => readAgain(notificationGuid, reads),
    async readBack(reads, _sinceMs, sent: Partial<Replacement> = parameters) {
      const { notificationGuid: _, current, ...definition } = sent;
      const notification = await readAfterWrite(notificationGuid, reads, current);
      if (notification === null) return UNREADABLE;
      if (createComparison(definition)(notification) !== 'equal') return { found: 'different' };
      return { found: 'confirmed', result: { notificationGuid, notification, messages: [] } };
    },
  };
}

export function deleteNotification(
  target: Target,
): Write<Confirmation & NotificationKey, NotificationTarget, Confirmation> {
  const { notificationGuid, ifLastUpdateDate } = target;
  return {
    parameters: { notificationGuid },
    async prepare(reads) {
      if (ifLastUpdateDate == null) return { notificationGuid };
      return { notificationGuid, current: await readBeforeWrite(target, reads) };
    },
    toResult: (confirmation) => ({ notificationGuid, ...confirmation }),
    replay: () => Promise.resolve({ notificationGuid, messages: [] }),
    async readBack(reads, _sinceMs, sent) {
      try {
        const notification = await readAfterWrite(notificationGuid, reads, sent?.current);
        return notification === null ? UNREADABLE : { found: 'different' };
      } catch (error) {
        const { notifications, client, deadline } = reads;
        if (!(await notifications.provesAbsence(error, client, deadline))) throw error;
        return { found: 'confirmed', result: { notificationGuid, messages: [] } };
      }
    },
  };
}

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

/** Null if there is none, or if it is older than before the write: a stale cache or replica, which may not have seen other writes either. */
async function readAfterWrite(
  notificationGuid: string,
  { notifications, client, deadline }: Reads,
  before?: NotificationRecord,
): Promise<NotificationRecord | null> {
  const notification = await notifications.readBack(notificationGuid, client, deadline);
  return isBefore(notification?.lastUpdateDate, before?.lastUpdateDate) ? null : notification;
}

/** The result of an update that was applied: its notification is null if it cannot be read, or if the read has not seen the update. */
async function readAgain(
  notificationGuid: string,
  reads: Reads,
  { current, ...sent }: Partial<Replacement> = {},
): Promise<WrittenNotification> {
  const read = await readAfterWrite(notificationGuid, reads, current).catch(ifServiceFailed(null));
  const isAsBefore =
    current !== undefined &&
    createComparison(current)(read) !== 'different' &&
    createComparison(sent)(read) === 'different';
  return { notificationGuid, notification: isAsBefore ? null : read, messages: [] };
}

/** Whatever outcome the failure would mean for a write, this one was not sent. */
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
