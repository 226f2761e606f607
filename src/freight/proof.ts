/**
 * Decides whether the body of a 2xx response proves that a write was applied. A flag, a word, a code or a count for success does, and so
 * does an empty body: the interface document shows `true` and its envelope, and services have other ways. Anything else proves nothing.
 */
import { isRecord, parseLeniently } from '../domain/json.js';
import { isNotification } from './deviations.js';
import { membersOf, type Member } from './fieldNames.js';
import { boundedMessages } from './messages.js';
import type { JsonResponse } from '../transport/response.js';
import { GatewayError, type FailureDetails } from '../gatewayError.js';
import { isEmpty, isNo, isYes, kindOf, otherValue, signOfText, type Sign } from './signs.js';

/** `refuted`: the body says that the call has failed. `nothing`: it says neither that nor success. */
export type Verdict = 'nothing' | 'refuted' | 'success';

/** Throws unless a body proves success, for writes whose response has no record. */
export function requireProof(body: unknown, response: JsonResponse, of: CallKind = 'write'): void {
  const verdict = verdictOf(body, of, response.status);
  if (verdict !== 'success') throw unproven(verdict, body, response);
}

/** The error of a call whose response does not prove success. The log gets the names of what the body has. */
export function unproven(
  verdict: Verdict,
  body: unknown,
  { status }: JsonResponse,
  details?: Pick<FailureDetails, 'candidates' | 'named'>,
): GatewayError {
  const message =
    verdict === 'refuted'
      ? `The response reports a failure, with the status ${status}`
      : 'The response does not prove that the write was applied';
  const problem = `${message}: ${describeShape(body)}`;
  return new GatewayError('responseInvalid', { message, problem, status, ...details });
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

export type CallKind = 'deletion' | 'read' | 'write';

/** Levels below the body at which a failure counts, and at which success does. */
const MAX_LEVELS = 3;
const MAX_SUCCESS_LEVELS = 1;
const MAX_ELEMENTS = 100;

/**
 * What a body proves. Signs of failure come first, then doubt, success, a text that is not understood, and last the success of a record.
 * Names are compared without regard to case and separators. The status 201 is a word for success (RFC 9110 §15.3.2).
 */
export function verdictOf(body: unknown, of: CallKind = 'write', status?: number): Verdict {
  const found = new Set<Sign>();
  readValue(body, { of, found }, 0);
  if (status === 201) found.add('success');
  const hasFlag = found.has('flag') || found.has('change');
  if (found.has('denial') || (found.has('error') && !found.has('change'))) return 'refuted';
  if (found.has('failure') && !hasFlag) return 'refuted';
  if (found.has('doubt')) return 'nothing';
  if (hasFlag || (found.has('success') && !found.has('negation'))) return 'success';
  if (found.has('text') || found.has('negation')) return 'nothing';
  return found.has('recordSuccess') || !found.has('other') ? 'success' : 'nothing';
}

/** The signs in a body. In a read, only signs of failure count. */
interface Signs {
  readonly of: CallKind;
  readonly found: Set<Sign>;
}

const signsOfSuccess: ReadonlySet<Sign> = new Set(['flag', 'change', 'success', 'recordSuccess']);

function add(sign: Sign, { found }: Signs, level: number): void {
  if (level <= MAX_SUCCESS_LEVELS || !signsOfSuccess.has(sign)) found.add(sign);
}

/** `isSaid` is whether a text or a boolean here is about the call: not under a name such as `tags`. */
function readValue(value: unknown, signs: Signs, level: number, isSaid = true): void {
  if (isEmpty(value)) return;
  if (level > MAX_LEVELS) add('other', signs, level);
  else if (Array.isArray(value))
    for (const element of value.slice(0, MAX_ELEMENTS)) {
      // An empty list says nothing; one with null in place of a record has something that cannot be read.
      if (isEmpty(element)) add('other', signs, level);
      else readValue(element, signs, Array.isArray(element) ? level + 1 : Math.max(level, 1), isSaid);
    }
  else if (isRecord(value)) readMembers(membersOf(value), signs, level);
  else if (isSaid && typeof value === 'boolean') add(value ? 'flag' : 'denial', signs, level);
  else if (isSaid && typeof value === 'string') readText(value, signs, level);
  else add('other', signs, level);
}

function readText(text: string, signs: Signs, level: number): void {
  const json = parseLeniently(text); // a body that was serialized twice
  if (json === undefined) add(signOfText(text), signs, level);
  else readValue(json, signs, level);
}

function readMembers(members: readonly Member[], signs: Signs, level: number): void {
  if (isNotification(members)) {
    readNotification(members, signs, level);
    return;
  }
  const isRead = signs.of === 'read';
  const kinds = members.map(({ name, value }) => kindOf(name, value));
  const isInRecord = level > 1 || (level === 1 && kinds.includes(otherValue));
  const isDocumented =
    level === 0 && members.some(({ name, value }) => name === 'data' && Array.isArray(value));
  for (const [index, kind] of kinds.entries()) {
    const { name, value } = members[index] as Member;
    if (isDocumented && name === 'totalpossiblecount') continue;
    if (isDocumented && name === 'messages') {
      // Each says what a body that has nothing else would say.
      if (!isRead) for (const message of boundedMessages([value].flat())) readValue(message, signs, level);
    } else if (!isRead || !kind.isOfWrites) {
      const sign = kind.signOf(value, { level, isInRecord, isRead }, name);
      if (sign === 'ofText') readText(String(value), signs, level);
      else if (sign === 'ofContent' || sign === 'ofMembers')
        readValue(value, signs, level + 1, sign === 'ofContent');
      else if (sign !== undefined) add(sign, signs, level);
    }
  }
}

/** A notification proves nothing by its own states, such as `confirmed: false`. */
function readNotification(members: readonly Member[], signs: Signs, level: number): void {
  add('other', signs, level);
  for (const { name, value } of members) {
    const isOfCall = level === 0 && /(?:ok|success\w*|succeeded)$/.test(name);
    if (isOfCall || (signs.of === 'deletion' && /^(?:is|was)?(?:deleted|removed)$/.test(name))) {
      if (isYes(value)) add('flag', signs, level);
      else if (isOfCall && isNo(value)) add('denial', signs, level);
    } else if (level === 0) {
      const { signOf } = kindOf(name, value);
      if (signOf(value, { level, isInRecord: false, isRead: false }, name) === 'error')
        add('error', signs, level);
    }
  }
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
