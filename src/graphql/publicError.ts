/** The public form of one error, every part of which is short. */
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { truncate } from '../domain/json.js';
import { showUnseen } from '../domain/text.js';
import { ErrorCode, type GatewayErrorExtensions, type WriteOutcome } from '../errors.js';
import type { InputError } from '../fields/field.js';
import type { WriteErrorMapper } from '../freight/contract.mappers.js';
import type { RequestIds } from '../transport/calls.js';
import type { ArgumentPath, ServiceError, ServiceMessage } from '../transport/serviceError.js';

/** The message that clients get for a bug in the gateway. */
export const INTERNAL_ERROR_MESSAGE = 'Internal server error';

export interface ErrorContext {
  isMutation: boolean;
  ids: RequestIds;
}

/** A field can be selected, and a name repeated, in as many places as a document has room for. */
const MAX_LOCATIONS = 10;

/** Response keys are quoted in full unless they are absurdly long, because clients find the field by its path. */
const MAX_KEY_CHARACTERS = 1000;

/** The public form of an error at the place of another one, if any. */
export function toPublicError(
  at: GraphQLError | undefined,
  message: string,
  extensions: Record<string, unknown>,
  { ids: { requestId } }: ErrorContext,
): GraphQLFormattedError {
  const { locations, path } = at?.toJSON() ?? {};
  return {
    message,
    ...(locations && { locations: locations.slice(0, MAX_LOCATIONS) }),
    ...(path && { path: path.map(shortenKey) }),
    extensions: { ...extensions, requestId },
  };
}

/** What clients learn of a failure: as members of `WriteError`, or as an error and its `extensions`. */
export type PublicFailure = Omit<WriteErrorMapper, 'requestId'>;

/** One failure for each argument that the service has something to say about, and one for everything else that it says. */
export function serviceFailures(
  error: ServiceError,
  context: Pick<ErrorContext, 'isMutation'>,
): readonly [PublicFailure, ...PublicFailure[]] {
  const { outcome, isSafeToRepeat, retryAfterSeconds, status, candidates } = error;
  const { code, isTransient } = error.meaning;
  const failure: PublicFailure = {
    message: shortenMessage(error.message),
    code,
    ...outcomeOf(outcome, isTransient, context, isSafeToRepeat),
    retryAfterSeconds,
    status,
  };
  const { others, ofArguments } = messagesByArgument(error);
  const failures: PublicFailure[] = [...ofArguments.values()].map(({ inputPath, serviceMessages }) => ({
    ...failure,
    inputPath: shortenInputPath(inputPath),
    serviceMessages,
  }));
  if (others.length > 0) failures.push({ ...failure, serviceMessages: others });
  const [first = failure, ...rest] = failures;
  return [{ ...first, candidates }, ...rest];
}

function messagesByArgument({ serviceMessages = [], argumentOf }: ServiceError) {
  const ofArguments = new Map<string, { inputPath: ArgumentPath; serviceMessages: ServiceMessage[] }>();
  const others: ServiceMessage[] = [];
  for (const message of serviceMessages) {
    const inputPath = message.field === undefined ? undefined : argumentOf?.(message.field);
    const key = JSON.stringify(inputPath);
    if (inputPath === undefined) others.push(message);
    else if (ofArguments.has(key)) ofArguments.get(key)?.serviceMessages.push(message);
    else ofArguments.set(key, { inputPath, serviceMessages: [message] });
  }
  return { others, ofArguments };
}

export function inputFailure(
  { path, rule, limit, message, field }: InputError,
  context: Pick<ErrorContext, 'isMutation'>,
): PublicFailure {
  return {
    message,
    code: ErrorCode.BadUserInput,
    field: field === undefined ? undefined : String(shortenKey(field)),
    inputPath: shortenInputPath(path),
    rule,
    limit,
    ...outcomeOf('NOT_APPLIED', false, context),
  };
}

/** Whether a mutation took effect, and whether repeating the field is safe and may succeed. */
export function outcomeOf(
  outcome: WriteOutcome,
  isTransient: boolean,
  { isMutation }: Pick<ErrorContext, 'isMutation'>,
  isSafeToRepeat = false,
): Pick<GatewayErrorExtensions, 'outcome' | 'retryable'> {
  if (!isMutation) return { retryable: isTransient };
  return { outcome, retryable: isTransient && (outcome === 'NOT_APPLIED' || isSafeToRepeat) };
}

/** A path within arguments, with the client's names truncated. */
export function shortenInputPath(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((part) => (typeof part === 'number' ? part : truncate(String(part))));
}

export function shortenKey(key: string | number): string | number {
  return typeof key === 'string' ? truncate(key, MAX_KEY_CHARACTERS) : key;
}

/** Maximum characters of a message: some rules quote any number of names. */
const MAX_MESSAGE_CHARACTERS = 1000;

/** What precedes a printed value, which is not always in quotes and ends the message, except for suggestions. */
const BEFORE_VALUE = /, found | value: | has invalid value /;
const SUGGESTIONS = '. Did you mean ';

/** A text in quotes, in which quotes are escaped, or a long name without quotes. */
const QUOTATION = /"([^"\\]*(?:\\[^][^"\\]*)*)("?)|[\w$]{101,}/g;

/** Truncates every quoted value and name, and then the message itself: graphql-js quotes what the client sent as it is, at any length. */
export function shortenMessage(given: string): string {
  const message = showUnseen(given);
  if (message.length <= 100) return message;
  const shortened = shortenValue(message).replace(
    QUOTATION,
    (name: string, text: string | undefined, end: string | undefined) =>
      text === undefined ? truncate(name) : `"${truncate(text)}${end ?? ''}`,
  );
  return truncate(shortened, MAX_MESSAGE_CHARACTERS);
}

function shortenValue(message: string): string {
  const before = BEFORE_VALUE.exec(message);
  if (!before) return message;
  const start = before.index + before[0].length;
  const suggestions = message.lastIndexOf(SUGGESTIONS);
  const end = suggestions < start ? message.length : suggestions;
  return message.slice(0, start) + truncate(message.slice(start, end)) + message.slice(end);
}
