/** Reads the notifications of a response, and what can be read of a list in which some violate the contract. */
import { z } from 'zod';
import { NotificationEnvelope, NotificationGuid, NotificationRecord } from './contract.js';
import { DATE_PROBLEM, furtherUnreadableDates, toDocumented, unreadableDate } from './deviations.js';
import { successIn } from './reportedFailure.js';
import { contractViolation, describeIssues, parseBody, type JsonResponse } from '../transport/response.js';
import type { ServiceError } from '../transport/serviceError.js';

export interface NotificationList extends NotificationEnvelope {
  /** @default none */
  readonly unreadable?: readonly UnreadableNotification[];
  /** Of the contract, by those that are unreadable. */
  readonly violation?: ServiceError;
}

export interface UnreadableNotification {
  /** Position in the response. */
  readonly index: number;
  readonly notificationGuid: string | undefined;
  /** Names places and expectations, but no values of the service. */
  readonly problem: string;
}

/** Maximum unreadable notifications, or dates, of a list: finding and saying what is wrong with one takes as long as reading many. */
export const MAX_UNREADABLE = 100;

/** Parses a body with notifications. Dates that cannot be read are a violation that costs only their fields. */
export function parseNotifications<Body extends { data: NotificationRecord[] }>(
  schema: z.ZodType<Body>,
  body: unknown,
  response: JsonResponse,
): Body {
  const parsed = parseBody(schema, body, response.status);
  const index = parsed.data.findIndex(({ lastUpdateDate }) => lastUpdateDate === unreadableDate);
  if (index >= 0) response.violation = contractViolation(`/data/${index}${DATE_PROBLEM}`, response.status);
  return parsed;
}

export function readNotificationList(response: JsonResponse): NotificationList {
  const body = successIn(response);
  try {
    const list = parseNotifications(NotificationEnvelope, body, response);
    if (response.violation !== undefined) limitDateErrors(list.data);
    return list;
  } catch (error) {
    const readable = readablePartOf(body);
    if (readable === undefined) throw error;
    limitDateErrors(readable.data);
    response.violation = error as ServiceError;
    return { ...readable, violation: response.violation };
  }
}

/**
 * Keeps the number of errors of a list near the maximum of a response, since each takes 15 µs and 1 kB wherever its field is selected. The
 * first error beyond says that the dates after it are null; it is either in the response, or left out like others, which the response
 * says, too.
 */
function limitDateErrors(data: readonly NotificationRecord[]): void {
  const unreadable = data.filter(({ lastUpdateDate }) => lastUpdateDate === unreadableDate);
  for (const [index, record] of unreadable.slice(MAX_UNREADABLE).entries())
    record.lastUpdateDate = index === 0 ? furtherUnreadableDates : null;
}

const ReadableEnvelope = z.object({ ...NotificationEnvelope.shape, data: z.array(z.unknown()) });
const CompiledRecord = z.compile(NotificationRecord);
const IdentifiedRecord = z.preprocess(toDocumented, z.object({ notificationGuid: NotificationGuid }));

/** Undefined if more violates the contract than the elements of the list, or too many of these do. */
function readablePartOf(body: unknown): NotificationList | undefined {
  const { data: envelope } = ReadableEnvelope.safeParse(body);
  if (envelope === undefined) return undefined;
  const data: NotificationRecord[] = [];
  const unreadable: UnreadableNotification[] = [];
  for (const [index, value] of envelope.data.entries()) {
    const record = CompiledRecord.safeParse(value);
    if (record.success) {
      data.push(record.data);
      continue;
    }
    if (unreadable.length === MAX_UNREADABLE) return undefined;
    const { notificationGuid } = IdentifiedRecord.safeParse(value).data ?? {};
    const problem = describeIssues(record.error.issues, ['data', index]);
    unreadable.push({ index, notificationGuid, problem });
  }
  return { ...envelope, data, unreadable };
}
