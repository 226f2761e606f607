/** Whether a service that responds with 2xx says in the body that it has failed all the same. */
import { STATUS_CODES } from 'node:http';
import { isRecord } from '../domain/json.js';
import { canonicalName } from './fieldNames.js';
import type { JsonResponse } from '../transport/response.js';
import { ServiceError } from '../transport/serviceError.js';

/** The JSON value of a 2xx response, which must not report a failure: the body is believed rather than the status. */
export function successIn(response: JsonResponse, options?: Parameters<JsonResponse['json']>[0]): unknown {
  const body = response.json(options);
  if (reportsFailure(body)) throw reportedFailure(response);
  return body;
}

export function reportedFailure({ status }: JsonResponse, candidates?: string[]): ServiceError {
  const message = `The response reports a failure, with the status ${status}`;
  return new ServiceError('responseInvalid', { message, status, candidates });
}

/** Levels below the body that are looked at, such as `result` in `{"result":{"success":false}}`. */
const MAX_LEVELS = 2;
/** Elements of a body that is a list, such as a result for each deletion. */
const MAX_ELEMENTS = 100;

/**
 * Whether a body says that the call has failed, whatever else it has. It goes by what can mean nothing else: a flag, an error that is not
 * empty, a failure as status. A flag for success outweighs the other two. Records are not looked at, as they may have a status of their own.
 */
export function reportsFailure(body: unknown): boolean {
  if (Array.isArray(body)) return body.slice(0, MAX_ELEMENTS).some((element) => saysFailure(element));
  return saysFailure(body);
}

function saysFailure(value: unknown, { level = 0, isData = false } = {}): boolean {
  if (!isRecord(value)) return false;
  let hasFailed = false;
  for (const key in value) {
    const name = canonicalName(key);
    const member = value[key];
    if (SUCCESS.test(name)) {
      if (isYes(member)) return false;
      hasFailed ||= isNo(member);
    } else if (VALUE.test(name)) hasFailed ||= String(member).toLowerCase() === 'false';
    if (FAILURE.test(name)) hasFailed ||= isError(member);
    if (STATUS.test(name) && !isData) hasFailed ||= isFailureStatus(member);
    if (ENVELOPE.test(name) && level < MAX_LEVELS)
      hasFailed ||= saysFailure(member, { level: level + 1, isData: name === 'data' });
  }
  return hasFailed;
}

/** Names of flags for success. */
const SUCCESS = /^(?:is)?ok$|(?<!un)success(?:ful|fully|statuscode)?$|succeeded$/;
/** Names of what a call returns, which may be a flag. */
const VALUE = /^(?:data|result)$/;
/** Names of flags, counts, codes, texts and lists of errors. Exceptions are also what shipments have. */
const FAILURE =
  /^(?:has|is|was)?(?:err|error|errored|fail|failed|failures?|faults?|rejected|unsuccessful)$|^err(?:or)?(?:code|count|desc|description|details?|info|list|messages?|msg|no|number|occurred|text)$|errors$|^(?:exceptionmessage|exceptiontype|faultcode|faultstring|modelstate|stacktrace|violations)$/;
const STATUS =
  /^(?:code|http(?:status)?(?:code)?|outcome|response(?:code|status)?|result(?:code|status)?|status(?:code|text)?|type)$/;
const ENVELOPE = /^(?:body|d|data|envelope|header|meta|outcome|response(?:status)?|result|return|status)$/;

function isYes(value: unknown): boolean {
  return (
    value === true || value === 1 || (typeof value === 'string' && /^\s*(?:true|y(?:es)?|1)\s*$/i.test(value))
  );
}

function isNo(value: unknown): boolean {
  return (
    value === false || value === 0 || (typeof value === 'string' && /^\s*(?:false|no?|0)\s*$/i.test(value))
  );
}

/** What stands where an error would, if there is none; a code for success may be 0 or 200. */
const NO_ERROR =
  /^(?:0*|2\d\d|false|n\/?a|nil|none|no|no (?:error|failure|fault).*|null|ok|undefined)$|(?<!un|not )success/i;

/** Levels of an error that are searched for something that is not empty. */
const MAX_ERROR_LEVELS = 10;

function isError(value: unknown, levels = MAX_ERROR_LEVELS): boolean {
  if (typeof value === 'string' || typeof value === 'number') return !NO_ERROR.test(String(value).trim());
  if (typeof value !== 'object' || value === null) return value === true;
  return levels === 0 || Object.values(value).some((member) => isError(member, levels - 1));
}

/** Words for a failed call, and the reason phrases of error statuses, apart from those that may be the state of a record. */
const failureWords = new Set([
  ...['denied', 'err', 'error', 'errors', 'fail', 'failed', 'failure', 'fault', 'invalid', 'nok', 'rejected'],
  ...Object.entries(STATUS_CODES).flatMap(([status, phrase = '']) =>
    Number(status) >= 400 && !['Gone', 'Locked'].includes(phrase) ? canonicalName(phrase) : [],
  ),
]);

/** An error status, alone or before its reason phrase, or a word for one. */
function isFailureStatus(value: unknown): boolean {
  if (typeof value !== 'number' && typeof value !== 'string') return false;
  return /^\s*[45]\d\d(?:\D|$)/.test(String(value)) || failureWords.has(canonicalName(String(value)));
}
