/** GraphQL errors in their public form: with `message`, `locations`, `path` and our `extensions`. */
import { GraphQLError, OperationTypeNode, type GraphQLFormattedError } from 'graphql';
import { shortenMessage } from '../../domain/libraryMessages.js';
import { ErrorCode, type GatewayErrorExtensions, type WriteOutcome } from '../../errors.js';
import { InvalidInputError, type InputError } from '../../fields/field.js';
import { responseName } from '../../fields/selections.js';
import type { WriteErrorMapper } from '../../freight/contract.mappers.js';
import { tokenProblem } from '../../freight/restCall.js';
import type { RequestIds } from '../../telemetry/requestSummary.js';
import { ServiceError, type ArgumentPath, type ServiceMessage } from '../../transport/serviceError.js';
import type { OperationRequest } from '../checks.js';
import { entryOf } from '../rootFields.js';
import {
  defaultErrorLimits,
  isOfItem,
  limitErrors,
  type ErrorLimits,
  type LimitedErrors,
} from './errorLimit.js';
import {
  createInputErrors,
  isArgumentCoercionError,
  isVariableCoercionError,
  shortenInputPath,
  shortenKey,
  type DocumentPlace,
  type InputErrors,
} from './inputErrors.js';

export interface FormatErrorsOptions {
  /** Whether messages omit "Did you mean" suggestions, which name parts of the schema. */
  hideSuggestions: boolean;
  /** Receives every error that is a bug in the gateway. */
  reportInternalError: (error: unknown, ids: RequestIds) => void;
  /** @default `defaultErrorLimits`, for all clients except routers */
  errorLimits?: ErrorLimits | undefined;
}

export interface FormatContext extends ErrorContext {
  inputErrors?: InputErrors;
  /** Finds the place in the document of an error that has no path. */
  placeOf?: (error: GraphQLError) => DocumentPlace;
  reportInternalError: FormatErrorsOptions['reportInternalError'];
}

/** Formats the errors of an operation: why it was rejected, or what went wrong while it was executed. */
export function formatOperationErrors(
  rawErrors: readonly GraphQLError[],
  request: OperationRequest,
  { reportInternalError, errorLimits = defaultErrorLimits, hideSuggestions }: FormatErrorsOptions,
): LimitedErrors {
  const errors = reportTokenProblems(rawErrors, request);
  const inputErrors = createInputErrors(request, hideSuggestions);
  const formatContext: FormatContext = {
    isMutation: request.operation.definition.operation === OperationTypeNode.MUTATION,
    ids: request.context.client.ids,
    inputErrors,
    reportInternalError,
  };
  if (errors.some(isVariableCoercionError)) {
    const formatted = formatInputErrors(inputErrors.forOperation(), formatContext);
    return limitErrors([{ rootKey: undefined, errors: formatted }]);
  }
  const { bulkFields } = request.context;
  const limited = limitErrors(
    errors.map((error) => ({
      rootKey: error.path?.[0],
      isItem: isOfItem(error, bulkFields) && writeOutcomeOf(error) !== 'APPLIED',
      errors: formatError(error, formatContext),
    })),
    errorLimits,
  );
  return errorLimits.marksOmissions
    ? withOmissions(limited, errorLimits, formatContext, bulkFields)
    : limited;
}

/**
 * Replaces errors of input that graphql-js could not coerce if the client's token, or credential, does not suffice for its field. Resolvers
 * check the token before the arguments, but such input never reaches them.
 */
function reportTokenProblems(
  errors: readonly GraphQLError[],
  { operation, variables, context: { client } }: OperationRequest,
): readonly GraphQLError[] {
  if (client.authorization !== undefined && !client.accessProblem) return errors;
  const problems = new Map<unknown, ServiceError>();
  for (const field of operation.rootFields(variables)) {
    const problem = tokenProblem(client, entryOf(operation, field)?.operation?.token ?? 'none');
    if (problem) problems.set(responseName(field), problem);
  }
  const [firstProblem] = problems.values();
  if (firstProblem && errors.some(isVariableCoercionError)) return [tokenError(firstProblem)];
  return errors.map((error) => {
    const problem = isArgumentCoercionError(error) ? problems.get(error.path?.[0]) : undefined;
    return problem ? tokenError(problem, error) : error;
  });
}

/** The error that a resolver of the field would have thrown. */
function tokenError(originalError: ServiceError, at?: GraphQLError): GraphQLError {
  return new GraphQLError(originalError.message, {
    nodes: at?.nodes ?? null,
    path: at?.path ?? null,
    originalError,
  });
}

function writeOutcomeOf({ originalError }: GraphQLError): WriteOutcome | undefined {
  return originalError instanceof ServiceError ? originalError.outcome : undefined;
}

/** A null element without an error does not exist, so the response must tell a router that errors were left out. */
function withOmissions(
  limited: LimitedErrors,
  { maxErrors, maxBytes }: ErrorLimits,
  context: FormatContext,
  bulkFields: ReadonlySet<string | number> | undefined,
) {
  const message = `Expected at most ${maxErrors} errors of ${maxBytes} bytes, got more: elements that are null without an error may have failed`;
  /** The outcome of the errors that are left, if they agree. That an item of a bulk field was applied says nothing of the others. */
  const commonOutcome = (rootKey: string | number): WriteOutcome => {
    const own = limited.errors.filter(({ path }) => path?.[0] === rootKey);
    const [outcome, ...others] = new Set(
      own.map(({ extensions }) => extensions?.['outcome'] as WriteOutcome),
    );
    const isOfOneItem = outcome === 'APPLIED' && bulkFields?.has(rootKey);
    return outcome === undefined || others.length > 0 || isOfOneItem ? 'UNKNOWN' : outcome;
  };
  const omissions = [...limited.omittedOf]
    .filter((rootKey) => rootKey !== undefined)
    .map((rootKey) => {
      const outcome = outcomeOf(commonOutcome(rootKey), false, context);
      const error = new GraphQLError(message, { path: [rootKey] });
      return toPublicError(error, message, { code: ErrorCode.QueryTooComplex, ...outcome }, context);
    });
  return { ...limited, errors: [...limited.errors, ...omissions] };
}

/** The public errors for one error: one per violated rule if the input is invalid. */
export function* formatError(error: GraphQLError, context: FormatContext): Generator<GraphQLFormattedError> {
  const cause = error.originalError;
  if (isArgumentCoercionError(error) && context.inputErrors) {
    const rootKey = String(error.path?.[0]);
    let isExplained = false;
    for (const each of formatInputErrors(context.inputErrors.forField(rootKey), context, error)) {
      isExplained = true;
      yield each;
    }
    if (isExplained) return;
  }
  if (cause instanceof InvalidInputError) yield* formatInputErrors(cause.errors, context, error);
  else if (cause instanceof ServiceError)
    for (const each of serviceFailures(cause, context)) yield formatFailure(each, context, error);
  else yield formatOtherError(error, context);
}

/** An error with a code, or a bug in the gateway. */
function formatOtherError(error: GraphQLError, context: FormatContext): GraphQLFormattedError {
  const { code } = error.extensions;
  if (code === undefined || code === ErrorCode.InternalServerError) {
    context.reportInternalError(error.originalError ?? error, context.ids);
    const extensions = { code: ErrorCode.InternalServerError, ...outcomeOf('UNKNOWN', false, context) };
    return toPublicError(error, INTERNAL_ERROR_MESSAGE, extensions, context);
  }
  const extensions = { code, ...context.placeOf?.(error), ...outcomeOf('NOT_APPLIED', false, context) };
  return toPublicError(error, shortenMessage(error.message), extensions, context);
}

/** One error per violated rule; `at` is the error of the field if it was executed. */
function* formatInputErrors(inputErrors: Iterable<InputError>, context: FormatContext, at?: GraphQLError) {
  for (const each of inputErrors) yield formatFailure(inputFailure(each, context), context, at);
}

function formatFailure({ message, ...extensions }: PublicFailure, context: FormatContext, at?: GraphQLError) {
  return toPublicError(at, message, extensions, context);
}

/** The message that clients get for a bug in the gateway. */
export const INTERNAL_ERROR_MESSAGE = 'Internal server error';

export interface ErrorContext {
  isMutation: boolean;
  ids: RequestIds;
}

/** A field can be selected, and a name repeated, in as many places as a document has room for. */
const MAX_LOCATIONS = 10;

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
