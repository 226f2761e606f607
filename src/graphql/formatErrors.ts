/**
 * Failures in their public form: as errors with `message`, `locations`, `path` and our `extensions`, or as the data of a mutation that selects
 * the errors of its payload.
 */
import {
  GraphQLError,
  OperationTypeNode,
  type GraphQLFormattedError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import { ErrorCode } from '../errors.js';
import type { FailureAsData, GatewayContext } from '../fields/context.js';
import { InvalidInputError, type FieldEntry, type InputError } from '../fields/field.js';
import { isSelected, responseName } from '../fields/selections.js';
import { tokenProblem } from '../freight/endpoint.js';
import type { RequestIds } from '../transport/calls.js';
import { ServiceError } from '../transport/serviceError.js';
import type { OperationRequest } from './checks.js';
import { defaultErrorLimits, limitErrors, type ErrorLimits, type LimitedErrors } from './errorLimit.js';
import {
  createInputErrors,
  isArgumentCoercionError,
  isVariableCoercionError,
  type DocumentPlace,
  type InputErrors,
} from './inputErrors.js';
import {
  INTERNAL_ERROR_MESSAGE,
  inputFailure,
  outcomeOf,
  serviceFailure,
  shortenMessage,
  toPublicError,
  type ErrorContext,
  type PublicFailure,
} from './publicError.js';
import { admitMeasured, type ResultLimitOptions } from './resultLimit.js';
import { entryOf } from './rootFields.js';

export interface FormatErrorsOptions {
  /** Whether messages omit "Did you mean" suggestions, which name parts of the schema. */
  hideSuggestions: boolean;
  /** Receives every error that is a bug in the gateway. */
  reportInternalError: (error: unknown, ids: RequestIds) => void;
  /** @default those of all clients but routers */
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
  const limited = limitErrors(
    errors.map((error) => ({ rootKey: error.path?.[0], errors: formatError(error, formatContext) })),
    errorLimits,
  );
  return errorLimits.marksOmissions ? withOmissions(limited, errorLimits, formatContext) : limited;
}

/**
 * Replaces errors of input that graphql-js could not coerce if the client's token does not suffice for its field. Resolvers
 * check the token before the arguments, but such input never reaches them.
 */
function reportTokenProblems(
  errors: readonly GraphQLError[],
  { operation, variables, context: { client } }: OperationRequest,
): readonly GraphQLError[] {
  if (client.authorization !== undefined) return errors;
  const problems = new Map<unknown, ServiceError>();
  for (const field of operation.rootFields(variables)) {
    const problem = tokenProblem(client, entryOf(operation, field)?.token ?? 'none');
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

/** A null element without an error does not exist, so the response must tell a router that errors were left out. */
function withOmissions(limited: LimitedErrors, { maxErrors, maxBytes }: ErrorLimits, context: FormatContext) {
  const message = `Expected at most ${maxErrors} errors of ${maxBytes} bytes, got more: elements that are null without an error may have failed`;
  const isNotApplied = (rootKey: string | number) =>
    limited.errors.some(
      ({ path, extensions }) => path?.[0] === rootKey && extensions?.['outcome'] === 'NOT_APPLIED',
    );
  const omissions = [...limited.omittedOf]
    .filter((rootKey) => rootKey !== undefined)
    .map((rootKey) => {
      const outcome = outcomeOf(isNotApplied(rootKey) ? 'none' : 'unknown', false, context);
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
  else if (cause instanceof ServiceError) yield formatFailure(serviceFailure(cause, context), context, error);
  else yield formatOtherError(error, context);
}

/** An error with a code, or a bug in the gateway. */
function formatOtherError(error: GraphQLError, context: FormatContext): GraphQLFormattedError {
  const { code } = error.extensions;
  if (code === undefined || code === ErrorCode.InternalServerError) {
    context.reportInternalError(error.originalError ?? error, context.ids);
    const extensions = { code: ErrorCode.InternalServerError, ...outcomeOf('unknown', false, context) };
    return toPublicError(error, INTERNAL_ERROR_MESSAGE, extensions, context);
  }
  const extensions = { code, ...context.placeOf?.(error), ...outcomeOf('none', false, context) };
  return toPublicError(error, shortenMessage(error.message), extensions, context);
}

/** One error per violated rule; `at` is the error of the field if it was executed. */
function* formatInputErrors(inputErrors: Iterable<InputError>, context: FormatContext, at?: GraphQLError) {
  for (const each of inputErrors) yield formatFailure(inputFailure(each, context), context, at);
}

function formatFailure({ message, ...extensions }: PublicFailure, context: FormatContext, at?: GraphQLError) {
  return toPublicError(at, message, extensions, context);
}

/** Maximum errors of a payload. */
const MAX_WRITE_ERRORS = 100;

/**
 * Has every mutation field return a payload with its failure if the operation selects `errors` of it. Applied after limitResults: a result
 * that is too large is such a failure, too. A payload that does not fit itself leaves the failure a GraphQL error, as bugs are.
 */
export function reportFailuresAsData(schema: GraphQLSchema, limits: ResultLimitOptions): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve, extensions } = field;
    const entry = extensions['entry'] as FieldEntry;
    field.resolve = async (source, args: object, context: GatewayContext, info: GraphQLResolveInfo) => {
      const { telemetry } = context;
      try {
        const payload: unknown = await resolve?.(source, args, context, info);
        telemetry.writeEnded(field.name, 'APPLIED');
        return payload;
      } catch (error) {
        if (!isOfEarlierAttempt(error)) telemetry.writeEnded(field.name, failedOutcome(error));
        if (!isFailure(error) || !isSelected(info, 'errors')) throw error;
        const report = reportOf(error, context.client.ids);
        const payload = { ...entry.subject?.(args, context.settings), ...report };
        try {
          admitMeasured(payload, { ...limits, context, info });
        } catch (reason) {
          throw reason instanceof ServiceError ? error : reason;
        }
        const { outcome, errors } = report;
        context.failuresAsData.push({ outcome, errors });
        return payload;
      }
    };
  }
}

type WriteFailure = InvalidInputError | ServiceError;

function isFailure(error: unknown): error is WriteFailure {
  return error instanceof InvalidInputError || error instanceof ServiceError;
}

function isOfEarlierAttempt(error: unknown): boolean {
  return error instanceof ServiceError && (error.meaning.isOfEarlierAttempt ?? false);
}

/** That of a bug is unknown. */
function failedOutcome(error: unknown): FailureAsData['outcome'] {
  const isNotApplied =
    error instanceof InvalidInputError || (error instanceof ServiceError && error.effect === 'none');
  return isNotApplied ? 'NOT_APPLIED' : 'UNKNOWN';
}

function reportOf(error: WriteFailure, { requestId }: RequestIds) {
  const isMutation = true;
  const outcome = failedOutcome(error);
  if (error instanceof InvalidInputError) {
    const failures = error.errors
      .slice(0, MAX_WRITE_ERRORS)
      .map((each) => inputFailure(each, { isMutation }));
    const errors = failures.map((failure) => toWriteError(failure, requestId));
    return { outcome, evidence: 'NOT_SENT', errors };
  }
  const { evidence, current } = error;
  const isDryRun = error.failure === 'dryRun'; // its write is valid, and nothing went wrong
  const errors = isDryRun ? [] : [toWriteError(serviceFailure(error, { isMutation }), requestId)];
  return { outcome, evidence, errors, current };
}

/** The value of the schema's WriteError. */
function toWriteError({ inputPath, serviceMessages, ...failure }: PublicFailure, requestId: string) {
  return {
    ...failure,
    requestId,
    inputPath: inputPath?.map(String),
    get serviceMessages() {
      return serviceMessages?.toJSON() ?? [];
    },
  };
}
