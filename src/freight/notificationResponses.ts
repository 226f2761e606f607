/** Reads the responses to calls about one notification, and what they prove. */
import { isRecord, memberTexts, RawJson } from '../domain/json.js';
import { dateOf, headerOf, type JsonResponse } from '../transport/response.js';
import { GatewayError } from '../gatewayError.js';
import {
  contractViolation,
  type CreatedNotification,
  describeIssues,
  isUnchangedNotification,
  NotificationRecord,
  type NotificationRequest,
  toJsonPointer,
  type WrittenNotification,
} from './contract.js';
import { isNotification, spellingsIn, toDocumented, toList } from './deviations.js';
import { membersOf } from './fieldNames.js';
import {
  guidOf,
  messagesOf,
  pathIn,
  placeOf,
  reportUnreadableValue,
  requirePlace,
  type Place,
} from './notificationBodies.js';
import { createComparison, type Comparison, type CurrentNotification } from './notificationChanges.js';
import { isDocumentedEnvelope, unproven, verdictOf, type Verdict } from './proof.js';
import { collectScalars } from './redact.js';
import { signOfText } from './signs.js';
import { isBefore, latestTimeOf } from './vocabulary.js';

export interface NotificationKey {
  notificationGuid: string;
}

/** The notification that was asked for; null if the response has none. */
export function readRequested(response: JsonResponse, key: NotificationKey): NotificationRecord | null {
  const found = findIn(requirePlace(response), key, response);
  return found === undefined ? null : parseRecord(found, response);
}

/** The same before an update, with spellings and texts for the parts that the update sends back unchanged. */
export function readCurrent(response: JsonResponse, key: NotificationKey): CurrentNotification | null {
  const found = findIn(requirePlace(response), key, response);
  if (found === undefined) return null;
  const received = found.value as Readonly<Record<string, unknown>>;
  const spellings = spellingsIn(received);
  const spelling = spellings.get('filters') ?? 'filters';
  const filters = toList(received[spelling]); // of any value: the contract does not matter to those that are kept
  const record = parseRecord({ ...found, value: { ...received, [spelling]: [] } }, response);
  const unread = [...spellings].filter(([name, each]) => received[each] != null && !(name in record));
  return {
    ...record,
    filters,
    spellings,
    unreadFields: unread.map(([name]) => name),
    filtersJson: filters.length === 0 ? undefined : textAt([...found.path, spelling], response),
  };
}

/** The text of a list in a response, which is kept byte for byte. */
function textAt(path: readonly PropertyKey[], response: JsonResponse): RawJson {
  const text = path.reduce<string>(
    (json, part) => memberTexts(json).get(String(part)) ?? '',
    response.content()?.text ?? '',
  );
  return new RawJson(text.startsWith('[') ? text : `[${text}]`); // a filter alone stands for a list of one
}

interface Found {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

function findIn(place: Place, { notificationGuid }: NotificationKey, response: JsonResponse) {
  const requestedGuid = notificationGuid.toLowerCase();
  const index = place.values.findIndex((value) => guidOf(value)?.toLowerCase() === requestedGuid);
  if (index >= 0) return { value: place.values[index], path: pathIn(place, index) };
  if (place.values.length === 0) return undefined;
  throw violation([...pathIn(place, 0), 'notificationGuid'], 'the requested identifier', response);
}

function parseRecord({ value, path }: Found, response: JsonResponse): NotificationRecord {
  if (isUnchangedNotification(value)) return value;
  const { data, error } = NotificationRecord.safeParse(value);
  if (data === undefined) throw contractViolation(describeIssues(error.issues, path), response.status);
  reportUnreadableValue(data, path, response);
  return data;
}

/** The notification to write; `current` is its state as it was read, if the write depends on it. */
export interface NotificationTarget extends NotificationKey {
  current?: CurrentNotification;
}

export type Replacement = NotificationRequest & NotificationTarget;

/** The notifications in the response to a write, and what else the body proves: without one, it has to prove the write. */
function readWritten(response: JsonResponse, { hasCandidates }: { hasCandidates: boolean }) {
  const content = contentOf(response);
  const body = isGuid(content) ? { notificationGuid: content } : content;
  const messages = messagesOf(body);
  const place = placeOf(body);
  const candidates = hasCandidates ? guidsIn(place?.values ?? []) : undefined;
  const [first] = place?.values ?? [];
  const failure = (verdict: Verdict, comparison: Comparison = 'incomplete') => {
    const [notificationGuid, ...others] = candidates ?? [];
    const sentAtMs = sentAtService(response);
    const isNamed = verdict !== 'refuted' && comparison === 'incomplete' && others.length === 0;
    const named =
      isNamed && isGuid(notificationGuid) && sentAtMs !== undefined
        ? { notificationGuid, sentAtMs }
        : undefined;
    return unproven(verdict, content, response, { candidates, named });
  };
  if (place === undefined || first === undefined || (!place.isList && !isNotification(membersOf(first)))) {
    const verdict = verdictOf(body, 'write', response.status);
    if (verdict !== 'success') throw failure(verdict);
    return { messages, named: place };
  }
  const verdict = isDocumentedEnvelope(body) ? 'nothing' : verdictOf(body);
  if (verdict === 'refuted') throw failure(verdict);
  const isDenied = collectScalars(messages).some((text) => signOfText(text) === 'negation');
  // Next to a message that denies success, a notification may be an echo of the request, or what was there before.
  const isProof = (comparison: Comparison, isNew: boolean) =>
    isDenied ? isNew && comparison !== 'different' : isNew || comparison === 'equal';
  return { messages, place, verdict, isDenied, isProof, failure };
}

/**
 * A notification proves an update if it has what was sent, or a later date of update than before; both next to a message that denies it.
 * The result has none if the response has none, or the one from before.
 */
export function readReplaced(response: JsonResponse, replacement: Replacement): WrittenNotification {
  const { notificationGuid, current, ...sent } = replacement;
  const written = readWritten(response, { hasCandidates: false });
  const { messages, named, place, verdict, isDenied, isProof, failure } = written;
  if (place === undefined) {
    if (named !== undefined) findIn(named, replacement, response); // throws if it names another one
    return { notificationGuid, notification: null, messages };
  }
  const found = findIn(place, replacement, response);
  const documented = toDocumented(found?.value);
  const comparison = createComparison(sent)(documented);
  const isLater = isRecord(documented) && isBefore(current?.lastUpdateDate, documented['lastUpdateDate']);
  const isNew = isLater || (isDenied && isFresh(documented, sentAtService(response)));
  if (found === undefined || !(verdict === 'success' || isProof(comparison, isNew))) throw failure(verdict);
  const isOld = comparison === 'different' && !isNew; // what was there before
  return { notificationGuid, notification: isOld ? null : recordOrProblem(found, response), messages };
}

/**
 * A notification proves a creation if it has what was sent, or is not older than the call: a service may return one that it had before.
 * One that cannot be compared proves it with a 201 (RFC 9110 §15.3.2), or with a body that reports success. Among several notifications,
 * the created one is the only one with what was sent.
 */
export function readCreated(response: JsonResponse, sent: NotificationRequest): CreatedNotification {
  const { messages, named, place, verdict, isProof, failure } = readWritten(response, {
    hasCandidates: true,
  });
  if (place === undefined) {
    const notificationGuid = guidOf(named?.values[0]) ?? guidInLocation(response);
    return { notificationGuid, notification: null, messages };
  }
  const compare = createComparison(sent);
  const documented = place.values.map(toDocumented);
  const equal = documented.filter((each) => compare(each) === 'equal');
  if (documented.length > 1 && equal.length !== 1) {
    const candidates = guidsIn(equal.length === 0 ? place.values : equal);
    const expectation = `one notification equal to the request, got ${equal.length}`;
    throw violation(place.path, expectation, response).with({ candidates });
  }
  const index = documented.length > 1 ? documented.indexOf(equal[0]) : 0;
  const comparison = compare(documented[index]);
  const isProven =
    isProof(comparison, isFresh(documented[index], sentAtService(response))) ||
    (comparison === 'incomplete' && (verdict === 'success' || response.status === 201));
  if (!isProven) throw failure(verdict, comparison);
  const found = { value: place.values[index], path: pathIn(place, index) };
  return {
    notificationGuid: guidOf(found.value) ?? guidInLocation(response),
    notification: recordOrProblem(found, response),
    messages,
  };
}

export const MAX_CANDIDATES = 100;

function guidsIn(values: readonly unknown[]): string[] | undefined {
  const guids = values.flatMap((value) => guidOf(value) ?? []).slice(0, MAX_CANDIDATES);
  return guids.length === 0 ? undefined : guids;
}

/** Whether a notification was updated since the call was sent, by the clock of the service. */
export function isFresh(notification: unknown, sentAtMs = Infinity): boolean {
  const lastUpdateDate = isRecord(notification) ? notification['lastUpdateDate'] : undefined;
  return typeof lastUpdateDate === 'string' && latestTimeOf(lastUpdateDate) >= sentAtMs;
}

/** When the call was sent, or earlier: the Date of the response is truncated to seconds. Undefined without a Date. */
function sentAtService(response: JsonResponse): number | undefined {
  const dateMs = dateOf(response);
  return dateMs === undefined ? undefined : dateMs - (performance.now() - response.sentAt);
}

const GUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?=\/?$)/i;

function isGuid(value: unknown): value is string {
  return typeof value === 'string' && GUID.exec(value)?.[0] === value;
}

/** The last segment of the URL of what was created, if it is a GUID (RFC 9110 §10.2.2). */
function guidInLocation(response: JsonResponse): string | null {
  const [guid] = GUID.exec(headerOf(response, 'location') ?? '') ?? [];
  return response.status === 201 && guid !== undefined ? guid : null;
}

/** A notification that cannot be read does not put an applied write in doubt: an Error becomes the error of the field. */
function recordOrProblem(found: Found, response: JsonResponse): NotificationRecord | GatewayError {
  try {
    return parseRecord(found, response);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    response.reportViolation(error);
    return new GatewayError('valueUnreadable', { message: error.message, status: response.status });
  }
}

/** The JSON value of a body, or its text. */
export function contentOf(response: JsonResponse): unknown {
  const content = response.content();
  return content !== undefined && 'json' in content ? content.json : content?.text;
}

function violation(path: readonly PropertyKey[], expectation: string, { status }: JsonResponse) {
  return contractViolation(`${toJsonPointer(path) || 'the whole body'}: expected ${expectation}`, status);
}
