/** The public forms of a failure: as errors of a GraphQL response, of which there is a limit, and as the response to a whole request. */
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import type { WriteOutcome } from '../errors.js';
import type { GatewayContext } from '../fields/context.js';
import { failures } from '../failures.js';
import { GatewayError } from '../gatewayError.js';
import { publicFailures, shortenKey } from '../fields/writeFailures.js';
import type { RequestIds } from '../telemetry/requestSummary.js';
import type { OperationRequest } from './checks.js';
import { createFailureFinder, failureIn, isVariableCoercionError } from './inputErrors.js';

/** Maximum errors of a response, not counting errors of items and the one that reports omissions. Routers have a higher limit. */
export const MAX_ERRORS = 100;

export interface FormatErrorsOptions {
  /** Whether messages omit "Did you mean" suggestions, which name parts of the schema. */
  hideSuggestions: boolean;
  /** Receives every error that is a bug in the gateway. */
  reportInternalError: (error: unknown, ids: RequestIds) => void;
  /** @default 100, for all clients except routers */
  maxErrors?: number | undefined;
}

/**
 * Formats the errors of an operation: the reason for its rejection, or the failures of its fields, in their order. Beyond the maximum, one
 * more says how many were left out. Always includes the first error of each root field, because it tells whether a mutation took
 * effect, and the first error of each failed item, once even if several aliases select the item.
 */
export function formatOperationErrors(
  errors: readonly GraphQLError[],
  request: OperationRequest,
  { reportInternalError, maxErrors = MAX_ERRORS, hideSuggestions }: FormatErrorsOptions,
): GraphQLFormattedError[] {
  const { operation, context } = request;
  const { ids } = context.client;
  const format = (failure: GatewayError, at?: GraphQLError) =>
    formatError(at, failure, { isMutation: operation.isMutation, ids });
  const failureOf = createFailureFinder(request, hideSuggestions);
  /** Whether an item failed: its elements are null. */
  const isItemFailure = (error: GraphQLError) =>
    isOfItem(error, context.lists) && failureIn(error).outcome !== 'APPLIED';
  const invalidVariable = errors.find(isVariableCoercionError);
  const all = invalidVariable ? [invalidVariable] : errors;

  const listed: GraphQLFormattedError[] = [];
  const failedItems = new Set<string>();
  const firsts = new Set(all.filter((error) => !isItemFailure(error)).map(({ path }) => path?.[0]));
  let room = maxErrors - firsts.size;
  let omitted = 0;
  const omittedOutcomes = new Set<WriteOutcome>();
  for (const error of all) {
    const { path: [rootKey, , index] = [] } = error;
    const isOfFailedItem = isItemFailure(error);
    if (isOfFailedItem && failedItems.has(`${index} ${rootKey}`)) continue;
    const failure = failureOf(error);
    if (failure.failure === 'internalError') reportInternalError(error.originalError ?? error, ids);
    if (isOfFailedItem) {
      failedItems.add(`${index} ${rootKey}`);
      listed.push(...format(failure, error).slice(0, 1));
      continue;
    }
    const isFirst = firsts.delete(rootKey);
    const formatted = isFirst || room > 0 ? format(failure, invalidVariable ? undefined : error) : [];
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
  return [...listed, ...format(omission)];
}

/** Whether an error is the failure of an item of a bulk field, or stands within the item's payload. */
export function isOfItem(
  { path: [rootKey, , index] = [] }: { path?: GraphQLFormattedError['path'] | undefined },
  lists: GatewayContext['lists'],
): boolean {
  return rootKey !== undefined && index !== undefined && (lists?.has(rootKey) ?? false);
}

/** The root field and argument in which validation rejects a document, as the `extensions` of other errors name them. */
export interface DocumentPlace {
  /** Response key of the root field. */
  field?: string | number;
  /** The name of its argument. Forms send variables: only these have paths. */
  inputPath?: [argument: string];
}

/** A field can be selected, and a name repeated, in as many places as a document has room for. */
const MAX_LOCATIONS = 10;

/** The errors of a GraphQL response for one failure: one for each violation, or for each argument that the service objects to. */
export function formatError(
  at: Pick<GraphQLError, 'locations' | 'path'> | undefined,
  failure: GatewayError,
  { ids: { requestId }, isMutation }: { ids: RequestIds; isMutation: boolean },
  place?: DocumentPlace,
): GraphQLFormattedError[] {
  const { locations, path } = at ?? {};
  return publicFailures(failure, isMutation).map(({ message, ...extensions }) => ({
    message,
    ...(locations && { locations: locations.slice(0, MAX_LOCATIONS) }),
    ...(path && { path: path.map(shortenKey) }),
    extensions: { ...extensions, ...place, requestId },
  }));
}

/** The response to a request that fails as a whole, before there is an operation. */
export function errorResponse(
  { message, meaning, retryAfterSeconds }: GatewayError,
  requestId: string,
): { status: number; body: string } {
  const { code, outcome, isTransient: retryable, httpStatus, tellsOutcome } = meaning;
  const extensions = {
    code,
    outcome: tellsOutcome ? outcome : undefined,
    retryable,
    retryAfterSeconds,
    requestId,
  };
  return {
    status: httpStatus ?? failures.internalError.httpStatus,
    body: JSON.stringify({ errors: [{ message, extensions }] }),
  };
}
