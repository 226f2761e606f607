/** Notifications in the body of a response: where they are, in the documented envelope or another, and what can be read of them. */
import { isRecord, toText } from '../domain/json.js';
import { dateOf, type JsonResponse } from '../transport/response.js';
import type { GatewayError } from '../gatewayError.js';
import {
  contractViolation,
  describeIssues,
  isUnchangedNotification,
  NotificationGuid,
  NotificationRecord,
  toJsonPointer,
} from './contract.js';
import { unreadableValueOf } from './deviations.js';
import { canonicalName, membersOf, type Member } from './fieldNames.js';
import { boundedMessages, messagesIn, reportsFailedRead } from './messages.js';
import { isDocumentedEnvelope, unproven, verdictOf } from './proof.js';
import { collectScalars } from './redact.js';

export interface NotificationList {
  readonly data: NotificationRecord[];
  readonly messages: unknown[];
  readonly totalPossibleCount: number | null;
  /** When the response was created by the clock of the service, in milliseconds since 1970, truncated to seconds, if it says so. */
  readonly dateMs?: number | undefined;
  /** @default none */
  readonly unreadable?: UnreadableNotification[];
  /** The violation of the contract behind `unreadable`. */
  readonly violation?: GatewayError;
}

export interface UnreadableNotification {
  /** Position in the response. */
  readonly index: number;
  readonly notificationGuid: string | undefined;
  /** Names places and expectations, but no values of the service. */
  readonly problem: string;
}

/** Maximum unreadable notifications of a list: finding and saying what is wrong with one takes as long as reading many. */
export const MAX_UNREADABLE = 100;

export interface Place {
  /** Values that may be notifications. */
  readonly values: readonly unknown[];
  /** The path of the list, or of the only notification. */
  readonly path: readonly PropertyKey[];
  readonly isList: boolean;
}

const MAX_LEVELS = 3;

/**
 * Finds the notifications of a body: in the documented list, or as the only list of objects with a `notificationGuid`, or as the only such
 * object. If there are two, neither is taken. Undefined if there are none, and no list that could have them.
 */
export function placeOf(body: unknown): Place | undefined {
  if (Array.isArray(body) && body.every((element) => element === null || isRecord(element)))
    return { values: body, path: [], isList: true };
  const documented = memberOf(body, 'data');
  if (documented !== undefined && Array.isArray(documented.value))
    return { values: documented.value, path: [documented.key], isList: true };
  const found: Place[] = [];
  const empty: Place[] = [];
  const search = (value: unknown, path: readonly PropertyKey[]) => {
    if (Array.isArray(value)) {
      const place = { values: value, path, isList: true };
      if (value.some(isNotification)) found.push(place);
      else if (value.length === 0) empty.push(place);
    } else if (isNotification(value)) found.push({ values: [value], path, isList: false });
    else if (isRecord(value) && path.length < MAX_LEVELS)
      for (const { key, name, value: member } of membersOf(value))
        if (!COMPANIONS.test(name)) search(member, [...path, key]);
  };
  search(body, []);
  const [only, ...others] = found.length > 0 ? found : empty;
  if (only !== undefined) return others.length === 0 ? only : undefined;
  return documented?.value === null ? { values: [], path: [documented.key], isList: true } : undefined;
}

/** Lists that stand next to one of notifications. */
const COMPANIONS = /^(?:errors?|facets|links|messages?|notes|odata.*|sort|tags|warnings?)$/;

function isNotification(value: unknown): boolean {
  return memberOf(value, 'notificationGuid') !== undefined;
}

/** A member by its documented name, in any spelling. */
function memberOf(value: unknown, name: string): Pick<Member, 'key' | 'value'> | undefined {
  if (!isRecord(value)) return undefined;
  if (Object.hasOwn(value, name)) return { key: name, value: value[name] };
  const canonical = canonicalName(name);
  return membersOf(value).find((member) => member.name === canonical);
}

export function pathIn({ path, isList }: Place, index: number): PropertyKey[] {
  return isList ? [...path, index] : [...path];
}

/** Reports the first optional value that cannot be read as a violation, if there is one: only its own field fails. */
export function reportUnreadableValue(record: object, path: readonly PropertyKey[], response: JsonResponse) {
  const problem = unreadableValueOf(record);
  if (problem === undefined) return false;
  response.reportViolation(contractViolation(`${toJsonPointer(path)}${problem}`, response.status));
  return true;
}

/** The identifier of what may be a notification, if it can be read. */
export function guidOf(value: unknown): string | undefined {
  const guid = memberOf(value, 'notificationGuid')?.value;
  return NotificationGuid.safeParse(toText(guid)).data;
}

/**
 * The place of the notifications in the response to a read, which must have one, or say that there is nothing: with 204 or null. A body that
 * reports a failure is believed rather than the status, and so are messages next to an empty list: nobody should take what could not be
 * read for what is not there.
 */
export function requirePlace(response: JsonResponse): Place {
  const body = response.json();
  if (body === null || (body === undefined && response.status === 204))
    return { values: [], path: [], isList: true };
  const place = placeOf(body);
  const isRefuted =
    (!isDocumentedEnvelope(body) && verdictOf(body, 'read') === 'refuted') ||
    (place?.values.length === 0 && collectScalars(messagesIn(body)).some(reportsFailedRead));
  if (isRefuted) throw unproven('refuted', body, response);
  if (place === undefined)
    throw contractViolation('/data: expected a list of notifications', response.status);
  return place;
}

/** Reads a list: what can be read of it, and what is wrong with the rest. */
export function readNotificationList(response: JsonResponse): NotificationList {
  const place = requirePlace(response);
  const body = response.json();
  const side = { messages: messagesOf(body), totalPossibleCount: totalOf(body), dateMs: dateOf(response) };
  if (place.values.every(isUnchangedNotification))
    return { data: place.values as NotificationRecord[], ...side };
  const data: NotificationRecord[] = [];
  const unreadable: UnreadableNotification[] = [];
  let hasUnreadableValue = false;
  for (const [index, value] of place.values.entries()) {
    const path = pathIn(place, index);
    const { success, data: record, error } = NotificationRecord.safeParse(value);
    if (success) {
      hasUnreadableValue ||= reportUnreadableValue(record, path, response);
      data.push(record);
    } else
      unreadable.push({
        index,
        notificationGuid: guidOf(value),
        problem: describeIssues(error.issues, path),
      });
    if (unreadable.length > MAX_UNREADABLE) break;
  }
  const [first] = unreadable;
  if (first === undefined) return { data, ...side };
  const violation = contractViolation(first.problem, response.status);
  if (unreadable.length > MAX_UNREADABLE) throw violation;
  return { data, ...side, unreadable, violation: response.reportViolation(violation) };
}

/** The messages of a body, without values that are not JSON of at most 100 levels; a message alone stands for a list of one. */
export function messagesOf(body: unknown): unknown[] {
  const messages = memberOf(body, 'messages')?.value ?? [];
  return boundedMessages(Array.isArray(messages) ? messages : [messages]);
}

/** Names of the count of all notifications, of which a list may be a page, and of the members that have it. */
const TOTAL = /^(?:odatacount|total(?:count|elements|hits|items|records|results)?)$/;
const PAGE = /^(?:meta|metadata|page|paging|pagination)$/;

function otherTotalIn(body: unknown): Member | undefined {
  const members = membersOf(body);
  const ofPage = members.flatMap(({ name, value }) => (PAGE.test(name) ? membersOf(value) : []));
  return [...members, ...ofPage].find(({ name }) => TOTAL.test(name));
}

/** The count of the service, or null if it cannot be read as an Int of GraphQL, which has 32 bits. */
function totalOf(body: unknown): number | null {
  const { value } = memberOf(body, 'totalPossibleCount') ?? otherTotalIn(body) ?? {};
  const count = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isInteger(count) && Math.abs(count) < 2 ** 31 ? count : null;
}
