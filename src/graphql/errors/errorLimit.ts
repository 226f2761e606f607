/** The limit on the errors of one response. */
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { WriteOutcome } from '../../errors.js';
import { GatewayError } from '../../gatewayError.js';

/** Maximum errors of a response, apart from those of items, and one that says how many more there are. A router's may have more. */
export const MAX_ERRORS = 100;

type Place = Pick<GraphQLError, 'path'>;

/** Whether an error is the failure of an item of a bulk field, or stands within the item's payload. */
export function isOfItem(
  { path: [rootKey, , index] = [] }: { path?: readonly (string | number)[] | undefined },
  bulkFields: ReadonlySet<string | number> | undefined,
): boolean {
  return rootKey !== undefined && index !== undefined && (bulkFields?.has(rootKey) ?? false);
}

export interface LimitOptions<Failed extends Place> {
  maxErrors: number;
  failureOf: (error: Failed) => GatewayError;
  /** The public errors for one error; undefined for a failure without a place. */
  format: (error: Failed | undefined, failure: GatewayError) => GraphQLFormattedError[];
  /** Whether an item failed: its elements are null. */
  isItemFailure: (error: Failed) => boolean;
}

/**
 * The errors of a response, in their order. The first error of each root field is always there, because it tells whether a mutation took
 * effect, and so is that of each item, under the first of the names by which the item is selected.
 */
export function limitErrors<Failed extends Place>(
  errors: readonly Failed[],
  { maxErrors, failureOf, format, isItemFailure }: LimitOptions<Failed>,
): GraphQLFormattedError[] {
  const listed: GraphQLFormattedError[] = [];
  const failedItems = new Set<string>();
  const firsts = new Set(errors.filter((error) => !isItemFailure(error)).map(({ path }) => path?.[0]));
  let room = maxErrors - firsts.size;
  let omitted = 0;
  const omittedOutcomes = new Set<WriteOutcome>();
  for (const error of errors) {
    const { path: [rootKey, , index] = [] } = error;
    if (isItemFailure(error)) {
      const item = `${index} ${rootKey}`;
      if (!failedItems.has(item)) listed.push(...format(error, failureOf(error)).slice(0, 1));
      failedItems.add(item);
      continue;
    }
    const isFirst = firsts.delete(rootKey);
    const failure = failureOf(error);
    const formatted = isFirst || room > 0 ? format(error, failure) : [];
    const fitting = formatted.slice(0, Math.max(0, room) + Number(isFirst));
    room -= fitting.length - Number(isFirst);
    listed.push(...fitting);
    const left = Math.max(1, formatted.length, failure.violations.length) - fitting.length;
    if (left > 0) omittedOutcomes.add(failure.outcome);
    omitted += left;
  }
  if (omitted === 0) return listed;
  const [outcome, ...differing] = omittedOutcomes;
  const omission = new GatewayError('errorsOmitted', {
    message: `Expected at most ${maxErrors} errors, got ${omitted} more`,
    outcome: differing.length > 0 ? 'UNKNOWN' : outcome,
  });
  return [...listed, ...format(undefined, omission)];
}
