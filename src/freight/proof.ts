/**
 * Decides whether the body of a 2xx response proves that a write was applied. A flag, a word, a code or a count for success does, and so
 * does an empty body: the interface document shows `true` and its envelope, and services have other ways. Anything else proves nothing.
 */
import { isRecord, parseLeniently } from '../domain/json.js';
import { canonicalName, membersOf, type Member } from './fieldNames.js';
import { boundedMessages } from './messages.js';
import type { JsonResponse } from '../transport/response.js';
import { GatewayError } from '../gatewayError.js';
import {
  isCode,
  isDeferral,
  isEmpty,
  isError,
  isIdentifier,
  isNegative,
  isNo,
  isSomething,
  isSuccessCode,
  isYes,
  kindOf,
  meansFailure,
  meansSuccess,
  ofWritesAlone,
  RESULT,
} from './signs.js';

/** `refuted`: the body says that the call has failed. `nothing`: it says neither that nor success. */
export type Verdict = 'nothing' | 'refuted' | 'success';

/** Throws unless a body proves success, for writes whose response has no record. */
export function requireProof(
  body: unknown,
  response: Pick<JsonResponse, 'status'>,
  of: CallKind = 'write',
): void {
  const verdict = verdictOf(body, of);
  if (verdict !== 'success') throw unproven(verdict, body, response);
}

/** Throws if the body of a read reports a failure: it is believed rather than the status. */
export function rejectFailure(body: unknown, response: Pick<JsonResponse, 'status'>): void {
  if (!isDocumentedEnvelope(body) && verdictOf(body, 'read') === 'refuted')
    throw unproven('refuted', body, response);
}

/** The error of a call whose response does not prove success. The log gets the names of what the body has. */
export function unproven(
  verdict: Verdict,
  body: unknown,
  { status }: Pick<JsonResponse, 'status'>,
  candidates: readonly string[] = [],
): GatewayError {
  const message =
    verdict === 'refuted'
      ? `The response reports a failure, with the status ${status}`
      : 'The response does not prove that the write was applied';
  return new GatewayError('responseInvalid', {
    message,
    problem: `${message}: ${describeShape(body)}`,
    status,
    candidates: candidates.length === 0 ? undefined : [...candidates],
  });
}

const documentedMembers: ReadonlySet<string> = new Set(['data', 'messages', 'totalPossibleCount']);

/** Whether a body has what the interface document shows, and nothing else that could say something of the call. */
export function isDocumentedEnvelope(body: unknown): boolean {
  return (
    isRecord(body) &&
    Array.isArray(body['data']) &&
    Object.keys(body).every((key) => documentedMembers.has(key))
  );
}

/** Levels below the body at which a failure counts, and at which success does. */
const MAX_LEVELS = 3;
const MAX_SUCCESS_LEVELS = 1;
/** Elements of a list that are looked at. */
const MAX_ELEMENTS = 100;
/** Longer texts never mean success, and count as negated without a search. */
const MAX_TEXT_LENGTH = 16_000;

export type CallKind = 'deletion' | 'read' | 'write';

/** The signs of success and failure in a body. */
interface Signs {
  /** In a deletion, a flag of a notification such as `deleted: true` is about the call. In a read, only signs of failure count. */
  readonly of: CallKind;
  /** A flag for success. It outweighs `failure`, but neither `error` nor `denial`. */
  flag: boolean;
  /** Such a flag that names the change, such as `deleted`: an error next to it is about something else, such as an email. */
  change: boolean;
  /** A word, a code, a count or a message for success. */
  success: boolean;
  /** The same in a record, which may have a status of its own: it counts only where no text says something else. */
  recordSuccess: boolean;
  /** A flag that is false, a word for failure, or a count of zero. */
  denial: boolean;
  /** A word that is not known to mean success, or a flag for what has not happened yet. Nothing outweighs it. */
  doubt: boolean;
  /** A code that does not mean success. */
  failure: boolean;
  /** An error. */
  error: boolean;
  /** A text that is not known to mean success. */
  text: boolean;
  /** Such a text with a negation, which no word or code outweighs. */
  negation: boolean;
  /** Anything else. */
  other: boolean;
}

/**
 * What a body proves. Signs of failure come first, then doubt, success, a text that is not understood, and last the success of a record.
 * Names are compared without regard to case and separators.
 */
export function verdictOf(body: unknown, of: CallKind = 'write'): Verdict {
  const signs = signsIn(body, of, 0);
  if (signs.denial || (signs.error && !signs.change) || (signs.failure && !signs.flag)) return 'refuted';
  if (signs.doubt) return 'nothing';
  if (signs.flag || (signs.success && !signs.negation)) return 'success';
  if (signs.text) return 'nothing';
  return signs.recordSuccess || !signs.other ? 'success' : 'nothing';
}

function signsIn(value: unknown, of: CallKind, level: number): Signs {
  const signs: Signs = {
    of,
    flag: false,
    change: false,
    success: false,
    recordSuccess: false,
    denial: false,
    doubt: false,
    failure: false,
    error: false,
    text: false,
    negation: false,
    other: false,
  };
  readValue(value, signs, level);
  return signs;
}

/** Whether messages, which are texts or objects, say that something is not so. Their codes may be those of mere notes. */
function deniesSuccess(messages: unknown, of: CallKind): boolean {
  const said = [messages].flat().filter((message) => typeof message === 'string' || isRecord(message));
  const { denial, error, negation } = signsIn(boundedMessages(said), of, 1);
  return denial || error || negation;
}

/** `isSaid` is whether a text or a boolean here is about the call: not under a name such as `tags`. */
function readValue(value: unknown, signs: Signs, level: number, isSaid = true): void {
  if (isEmpty(value)) return;
  if (level > MAX_LEVELS) signs.other = true;
  else if (Array.isArray(value))
    for (const element of value.slice(0, MAX_ELEMENTS)) {
      // An empty list says nothing; one with null in place of a record has something that cannot be read.
      if (isEmpty(element)) signs.other = true;
      else readValue(element, signs, Array.isArray(element) ? level + 1 : Math.max(level, 1), isSaid);
    }
  else if (isRecord(value)) readMembers(value, signs, level);
  else if (isSaid && typeof value === 'boolean') readFlag(value, signs, level);
  else if (isSaid && typeof value === 'string') readText(value, signs, level);
  else signs.other = true;
}

function readText(text: string, signs: Signs, level: number): void {
  if (text.length > MAX_TEXT_LENGTH) {
    signs.text = signs.negation = true;
    return;
  }
  const said = text.trim().toLowerCase();
  if (said === 'true') signs.flag ||= level <= MAX_SUCCESS_LEVELS;
  else if (said === 'false') signs.denial = true;
  else if (meansSuccess(text)) signs.success ||= level <= MAX_SUCCESS_LEVELS;
  else {
    const json = parseLeniently(text); // a body that was serialized twice
    if (json === undefined) {
      signs.text = true;
      signs.negation ||= isNegative(text) || isDeferral(text);
    } else readValue(json, signs, level);
  }
}

function readMembers(object: Readonly<Record<string, unknown>>, signs: Signs, level: number): void {
  const members = membersOf(object);
  if (members.some(({ name }) => name === 'notificationguid')) {
    readNotification(members, signs, level);
    return;
  }
  const isRecordItself =
    level > 1 || (level === 1 && members.some(({ name, value }) => kindOf(name, value) === 'other'));
  // Next to the documented list, messages are what the document says they are: they prove nothing, but may say why nothing was done.
  const isDocumented =
    level === 0 && members.some(({ name, value }) => name === 'data' && Array.isArray(value));
  for (const { name, value } of members) {
    if (isDocumented && name === 'totalpossiblecount') continue;
    if (isDocumented && name === 'messages') {
      if (deniesSuccess(value, signs.of)) signs.text = signs.negation = true;
      continue;
    }
    const kind = kindOf(name, value);
    if (signs.of === 'read' && ofWritesAlone.has(kind)) continue;
    switch (kind) {
      case 'nothing':
        break;
      case 'change':
        readChange(name, value, signs, level);
        break;
      case 'flag':
        readFlag(value, signs, level);
        break;
      case 'count':
        readCount(value, signs, level);
        break;
      case 'miss':
        if (isSomething(value)) signs.denial = true;
        break;
      case 'condition':
        if (isNo(value) && !isRecordItself) signs.denial = true;
        else signs.other = true;
        break;
      case 'deferred':
        if (isYes(value)) signs.doubt = true;
        else signs.other = true;
        break;
      case 'word':
        readWord(value, signs, level, isRecordItself);
        break;
      case 'state':
        if (level === 0 && meansFailure(String(value))) signs.denial = true;
        else signs.other = true;
        break;
      case 'code':
        readCode(value, signs, level, isRecordItself);
        break;
      case 'severity':
        readSeverity(value, signs, level);
        break;
      case 'error':
        // Only one result was asked for, so one that has failed is it.
        if (isError(value)) signs[level > 0 ? 'denial' : 'error'] = true;
        break;
      case 'message':
        if (typeof value === 'boolean') signs.other = true;
        else readValue(value, signs, level + 1);
        break;
      default:
        if (isEmpty(value)) signs.other = true;
        else readValue(value, signs, level + 1, RESULT.test(name));
    }
  }
}

/** A notification proves nothing by its own states, such as `confirmed: false`. */
function readNotification(members: readonly Member[], signs: Signs, level: number): void {
  signs.other = true;
  for (const { name, value } of members) {
    const isOfCall = level === 0 && /(?:ok|success\w*|succeeded)$/.test(name);
    if (isOfCall || (signs.of === 'deletion' && /^(?:is|was)?(?:deleted|removed)$/.test(name))) {
      if (isYes(value)) signs.flag ||= level <= MAX_SUCCESS_LEVELS;
      else if (isOfCall && isNo(value)) signs.denial = true;
    } else if (level === 0 && kindOf(name, value) === 'error') signs.error ||= isError(value);
  }
}

function readFlag(value: unknown, signs: Signs, level: number): void {
  if (isYes(value)) signs.flag ||= level <= MAX_SUCCESS_LEVELS;
  else if (isNo(value)) signs.denial = true;
  else if (typeof value === 'string') readText(value, signs, level);
  else signs.other = true;
}

/** One of several flags, such as `created` and `updated`, suffices. */
function readChange(name: string, value: unknown, signs: Signs, level: number): void {
  if (isYes(value) && level <= MAX_SUCCESS_LEVELS) signs.flag = signs.change = true;
  else if (isYes(value)) signs.other = true;
  else if (isNo(value) || (Array.isArray(value) && value.length === 0)) {
    if (/(?:deleted|erased|removed|tracked)$/.test(name)) signs.denial = true;
    else signs.failure = true;
  } else if (Number(value) > 0 || Array.isArray(value) || isIdentifier(value))
    signs.success ||= level <= MAX_SUCCESS_LEVELS;
  else if (isRecord(value) && !isEmpty(value)) readValue(value, signs, level + 1);
  else signs.other = true;
}

function readCount(value: unknown, signs: Signs, level: number): void {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (count === 0) signs.denial = true;
  else if (typeof count === 'number' && count > 0) signs.success ||= level <= MAX_SUCCESS_LEVELS;
  else signs.other = true;
}

function readWord(value: unknown, signs: Signs, level: number, isRecordItself: boolean): void {
  if (/^\s*(?:true|false)\s*$/i.test(String(value))) readFlag(value, signs, level);
  else if (isCode(value)) readCode(value, signs, level, isRecordItself);
  else if (meansSuccess(String(value))) succeed(signs, level, isRecordItself);
  else if (meansFailure(String(value))) signs.denial = true;
  else if (!isRecordItself && signs.of !== 'read') signs.doubt = true;
  else signs.other = true;
}

function readCode(value: unknown, signs: Signs, level: number, isRecordItself: boolean): void {
  if (typeof value === 'boolean') readFlag(value, signs, level);
  else if (isSuccessCode(value)) succeed(signs, level, isRecordItself);
  else if ((isRecordItself || signs.of === 'read') && !/^\s*[45]\d\d\b/.test(String(value)))
    signs.other = true;
  else signs.failure = true;
}

function succeed(signs: Signs, level: number, isRecordItself: boolean): void {
  if (level > MAX_SUCCESS_LEVELS) return;
  if (isRecordItself) signs.recordSuccess = true;
  else signs.success = true;
}

/** SAP has `S` for success; a message of severity `E`, `A` or the like never means success. The type of what was deleted is `exception`. */
function readSeverity(value: unknown, signs: Signs, level: number): void {
  const word = canonicalName(String(value));
  if (/^(?:a|abort|critical|e|err|error|f|fail|failed|failure|fatal|fault|x)$/.test(word))
    signs.denial = true;
  else if (/^(?:s|success)$/.test(word)) signs.success ||= level <= MAX_SUCCESS_LEVELS;
  else signs.other = true;
}

/** Maximum names that the log shows of a body that proves nothing, and their maximum length. */
const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;

/** Describes a body without its values, and without names that are no identifiers or have digits: they may be data, or a token. */
function describeShape(body: unknown): string {
  if (Array.isArray(body)) return `a list of ${body.length}`;
  if (!isRecord(body)) return body === null || body === undefined ? 'no body' : `a ${typeof body}`;
  const names = Object.keys(body).filter(
    (name) => /^[a-z_][a-z_.-]*$/i.test(name) && name.length <= MAX_NAME_LENGTH,
  );
  return `an object with ${names.slice(0, MAX_NAMES).join(', ') || 'no name that can be shown'}`;
}
