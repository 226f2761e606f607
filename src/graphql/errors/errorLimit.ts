/** The limit on the errors of one response. */
import type { GraphQLFormattedError } from 'graphql';

/** Maximum size of all errors of a response as JSON, in bytes; a router's may be larger. */
export const MAX_ERRORS_BYTES = 65_536;

export interface ErrorLimits {
  maxErrors: number;
  /** Maximum size of all errors as JSON, in bytes. */
  maxBytes: number;
  /** Whether a root field that has more errors gets one that says so: routers drop `extensions.errorsTruncated`. */
  marksOmissions: boolean;
}

export const defaultErrorLimits: ErrorLimits = {
  maxErrors: 100,
  maxBytes: MAX_ERRORS_BYTES,
  marksOmissions: false,
};

/** Errors of one origin, created one by one as far as the limit allows. */
export interface ErrorSource {
  /** Response key of the root field that failed; undefined if the operation did. */
  rootKey: string | number | undefined;
  /** Whether an item of a bulk field failed. Its first error is never left out, because its element would be null without an error. */
  isItem?: boolean;
  errors: Iterable<GraphQLFormattedError>;
}

/** Whether an error is the failure of an item of a bulk field, or stands within the item's payload. */
export function isOfItem(
  { path: [rootKey, , index] = [] }: { path?: readonly (string | number)[] | undefined },
  bulkFields: ReadonlySet<string | number> | undefined,
): boolean {
  return rootKey !== undefined && index !== undefined && (bulkFields?.has(rootKey) ?? false);
}

export interface LimitedErrors {
  errors: GraphQLFormattedError[];
  /** Size of the errors as JSON, in bytes. */
  bytes: number;
  /** Whether errors, messages of the service or candidates were left out. */
  isTruncated: boolean;
  /** Root fields of which errors were left out. */
  omittedOf: ReadonlySet<ErrorSource['rootKey']>;
}

/**
 * As many errors as the limit allows, in their original order. The first error of each root field has priority, because it
 * tells whether a mutation took effect; then come further errors, and then their longest details. Those of items come on top of the limit.
 */
export function limitErrors(
  sources: readonly ErrorSource[],
  { maxErrors, maxBytes }: ErrorLimits = defaultErrorLimits,
): LimitedErrors {
  const budget = { errors: maxErrors, bytes: maxBytes - 2 };
  const origins = sources.map(({ rootKey, isItem = false, errors }) => ({
    rootKey,
    isItem,
    remaining: errors[Symbol.iterator](),
    /** Those without their long details, and as they are. */
    accepted: [] as { error: GraphQLFormattedError; complete: GraphQLFormattedError }[],
  }));
  const rootKeys = new Set<ErrorSource['rootKey']>();
  const omittedOf = new Set<ErrorSource['rootKey']>();
  let isTruncated = false;

  /** Takes the next error of an origin; false if it has none or the limit is reached. */
  const takeNext = ({ rootKey, remaining, accepted }: (typeof origins)[number]): boolean => {
    if (isTruncated) {
      if (accepted.length === 0) omittedOf.add(rootKey);
      return false;
    }
    const next = remaining.next();
    if (next.done) return false;
    const error = withoutLongDetails(next.value);
    const bytes = bytesOf(error) + 1;
    isTruncated = budget.errors < 1 || budget.bytes < bytes;
    if (isTruncated) {
      omittedOf.add(rootKey);
      return false;
    }
    budget.errors -= 1;
    budget.bytes -= bytes;
    accepted.push({ error, complete: next.value });
    return true;
  };

  for (const { isItem, remaining, accepted } of origins) {
    const first = isItem ? remaining.next() : { done: true as const };
    if (!first.done) accepted.push({ error: withoutLongDetails(first.value), complete: first.value });
  }
  for (const origin of origins)
    if (!rootKeys.has(origin.rootKey) && takeNext(origin)) rootKeys.add(origin.rootKey);
  for (const origin of origins) while (takeNext(origin));

  /** Whether details did not fit. Then no others are written, which would cost the redaction of what is not sent. */
  let isFull = false;
  const errors = origins.flatMap(({ accepted }) =>
    accepted.map(({ error, complete }) => {
      if (complete === error) return error;
      const bytes = isFull ? Infinity : bytesOf(complete) - bytesOf(error);
      if (bytes > budget.bytes) {
        isFull = isTruncated = true;
        return error;
      }
      budget.bytes -= bytes;
      return complete;
    }),
  );
  return { errors, bytes: maxBytes - budget.bytes, isTruncated, omittedOf };
}

function withoutLongDetails(error: GraphQLFormattedError): GraphQLFormattedError {
  const { serviceMessages, candidates } = error.extensions ?? {};
  if (serviceMessages === undefined && candidates === undefined) return error;
  return { ...error, extensions: { ...error.extensions, serviceMessages: undefined, candidates: undefined } };
}

/** Size of a value as JSON in bytes. Members that are undefined count for nothing. */
export function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
