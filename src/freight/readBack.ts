/** Finds out by reading whether a write of unknown outcome took effect. The write is not sent again. */
import { latestTimeOf } from './vocabulary.js';
import type { DatedList, ServiceClient } from './client.js';
import type { NotificationRecord } from './contract.js';
import { isNotFound, type RequestClient } from './endpoint.js';
import { createMatcher, type SentFields } from './notificationMatch.js';
import type { RequestIds } from '../transport/clientIdentity.js';
import { ServiceError } from '../transport/serviceError.js';
import type { CallObserver } from '../transport/events.js';
import type { Write, WriteRequest } from './write.js';

/** Sends a write, and reads on behalf of `reader` if that ends with an unknown outcome. */
export async function sendWithReadBack<Result>(
  write: Write<Result>,
  request: WriteRequest,
  reader: RequestClient = request.client,
): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await write.send();
  } catch (error) {
    const isUnknown = error instanceof ServiceError && error.effect === 'unknown';
    if (!isUnknown || reader.cancellation.isCancelled) throw error;
    const result = await findEffect(write, request, reader);
    if (result !== undefined) return result;
    error.candidates = await write.findCandidates?.(reader, performance.now() - startedAt);
    throw error;
  }
}

/** The result of a write whose state is there, which is marked as found by reading; undefined if that cannot be told. */
export async function findEffect<Result>(
  write: Write<Result>,
  { client, responseKey }: WriteRequest,
  reader: RequestClient,
): Promise<Result | undefined> {
  const result = await write.readBack?.(reader);
  if (result !== undefined) client.marks.readBack.push(responseKey);
  return result;
}

/** The results of a read-back, by mutation. */
export const readBackResults = {
  updateNotification: ['confirmed', 'different', 'unreadable'],
  deleteNotification: ['confirmed', 'different', 'unreadable'],
  createNotification: ['candidates', 'none', 'unreadable'],
} as const;

type ReadBackField = keyof typeof readBackResults;

export interface ReadBackEvent extends RequestIds {
  field: ReadBackField;
  result: (typeof readBackResults)[ReadBackField][number];
}

export interface ReadBackObserver {
  /** A read after a write of unknown outcome ended. */
  onReadBack(event: ReadBackEvent): void;
}

export type ReadBack = ReturnType<typeof createReadBack>;

/** Maximum candidates in an error. */
const MAX_CANDIDATES = 100;

export interface ReadBackOptions {
  service: ServiceClient;
  /** Timeout of a read in milliseconds; 0 for no reads. */
  timeoutMs: number;
  observer: ReadBackObserver;
}

export function createReadBack({ service, timeoutMs, observer }: ReadBackOptions) {
  const isOff = timeoutMs === 0;
  const deadline = () => performance.now() + timeoutMs;
  const report = <Field extends ReadBackField>(
    { ids }: RequestClient,
    field: Field,
    result: (typeof readBackResults)[Field][number],
  ) => {
    observer.onReadBack({ ...ids, field, result });
  };
  const readNotification = (notificationGuid: string, client: RequestClient) =>
    settle(service.readNotification(notificationGuid, marked(client), deadline()));

  return {
    /** The notification, if it has the fields that a PUT sent. */
    async findUpdated(
      notificationGuid: string,
      sent: SentFields,
      client: RequestClient,
    ): Promise<NotificationRecord | undefined> {
      if (isOff) return undefined;
      const found = await readNotification(notificationGuid, client);
      const record = found instanceof ServiceError || found === null ? undefined : found;
      const isEqual = record !== undefined && createMatcher(sent)(record);
      const otherwise = record === undefined ? 'unreadable' : 'different';
      report(client, 'updateNotification', isEqual ? 'confirmed' : otherwise);
      return isEqual ? record : undefined;
    },

    /** Whether the notification is gone. With a wrong path template, 404 would be the response to every read. */
    async isDeleted(notificationGuid: string, client: RequestClient): Promise<boolean> {
      if (isOff) return false;
      const found = await readNotification(notificationGuid, client);
      const isGone = isNotFound(found) && !found.hasForeignBody && service.hasReadNotification;
      const otherwise = found instanceof ServiceError || found === null ? 'unreadable' : 'different';
      report(client, 'deleteNotification', isGone ? 'confirmed' : otherwise);
      return isGone;
    },

    /** Identifiers of the notifications that a POST of these fields may have created; undefined if that cannot be told. */
    async findCreated(
      sent: SentFields,
      client: RequestClient,
      sinceMs: number,
    ): Promise<string[] | undefined> {
      if (isOff) return undefined;
      const startedAt = performance.now() - sinceMs;
      const list = await settle(service.listAll(marked(client), deadline()));
      if (list instanceof ServiceError || list.data.length !== list.totalPossibleCount) {
        report(client, 'createNotification', 'unreadable');
        return undefined;
      }
      const startedAtService = serviceTimeOf(list, performance.now() - startedAt);
      const isNew = ({ lastUpdateDate }: NotificationRecord) =>
        lastUpdateDate == null || latestTimeOf(lastUpdateDate) >= startedAtService;
      const matches = createMatcher(sent);
      const candidates = list.data.filter((record) => isNew(record) && matches(record));
      report(client, 'createNotification', candidates.length > 0 ? 'candidates' : 'none');
      return candidates.slice(0, MAX_CANDIDATES).map(({ notificationGuid }) => notificationGuid);
    },
  };
}

/** The client, whose calls are marked in its trace as reads after a write. */
function marked(client: RequestClient): RequestClient {
  const { observer } = client;
  const start: CallObserver['start'] = (call) => observer.start({ ...call, isReadBack: true });
  return { ...client, observer: { ...observer, start } };
}

/**
 * When a call began by the clock of the service, or earlier: `elapsedMs` before the response is at most that, since Date is
 * truncated to seconds and was set before the response arrived. Without a Date, nothing is too old.
 */
function serviceTimeOf({ dateMs = -Infinity }: DatedList, elapsedMs: number): number {
  return dateMs - elapsedMs;
}

/** A failed read is no error of the write. */
async function settle<T>(read: Promise<T>): Promise<T | ServiceError> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
