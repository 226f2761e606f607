/** The public form of one error, every part of which is short. */
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { truncate } from '../../domain/json.js';
import type { RequestIds } from '../../transport/clientIdentity.js';
import type { ServiceError } from '../../transport/errors.js';

/** The message that clients get for a bug in the gateway. */
export const INTERNAL_ERROR_MESSAGE = 'Internal server error';

/** What the public form of an error depends on. */
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

/** Whether a mutation took effect, and whether repeating the field is safe and may succeed. */
export function outcomeOf(
  effect: ServiceError['effect'],
  isTransient: boolean,
  { isMutation }: ErrorContext,
  isSafeToRepeat = false,
) {
  if (!isMutation) return { retryable: isTransient };
  return {
    outcome: effect === 'none' ? 'NOT_APPLIED' : 'UNKNOWN',
    retryable: isTransient && (effect === 'none' || isSafeToRepeat),
  };
}

/** A path within arguments, with the client's names truncated. */
export function shortenInputPath(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((part) => (typeof part === 'number' ? part : truncate(String(part))));
}

export function shortenKey(key: string | number): string | number {
  return typeof key === 'string' ? truncate(key, MAX_KEY_CHARACTERS) : key;
}
