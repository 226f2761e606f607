/** Reads a list of notifications, and what can be read of one in which some violate the contract. */
import { z } from 'zod';
import { NotificationEnvelope, NotificationRecord } from './contract.js';
import { successIn } from './reportedFailure.js';
import { describeIssues, parseBody, type JsonResponse } from '../transport/response.js';
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

/** Maximum unreadable notifications of a list: finding what is wrong with one takes as long as reading many. */
export const MAX_UNREADABLE = 100;

export async function readNotificationList(response: JsonResponse): Promise<NotificationList> {
  const body = await successIn(response);
  try {
    return parseBody(NotificationEnvelope, body, response.status);
  } catch (error) {
    const readable = readablePartOf(body);
    if (readable === undefined) throw error;
    response.violation = error as ServiceError;
    return { ...readable, violation: response.violation };
  }
}

const ReadableEnvelope = z.object({ ...NotificationEnvelope.shape, data: z.array(z.unknown()) });
const CompiledRecord = z.compile(NotificationRecord);
const IdentifiedRecord = z.object({ notificationGuid: NotificationRecord.shape.notificationGuid });

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
