/** The errors of a GraphQL request in their public form: `message`, `locations`, `path` and our `extensions`. */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLFormattedError,
} from 'graphql';
import type { GatewayContext } from '../../context.js';
import { ErrorCode, INTERNAL_ERROR_MESSAGE } from '../../errorCodes.js';
import { InvalidInputError, type InputError } from '../../input/argumentParser.js';
import { MAX_INPUT_ERRORS } from '../../input/valueSchemas.js';
import { ServiceError } from '../../service/transport/errors.js';
import { asTokenLimitError } from '../checks/documentLimits.js';
import type { PreparedOperation } from '../checks/operationCheck.js';
import type { Variables } from '../checks/rootFields.js';
import { describeServiceError } from './errorTable.js';
import {
  createInputErrors,
  isArgumentCoercionError,
  isVariableCoercionError,
  type InputErrorsOptions,
} from './inputErrors.js';
import { reportMissingToken } from './missingToken.js';

export interface FormatErrorsOptions extends InputErrorsOptions {
  /** Receives every error that is a bug in the gateway. */
  reportInternalError: (error: unknown, requestId: string) => void;
}

/** What the public form of an error depends on. */
interface ErrorContext {
  isMutation: boolean;
  requestId: string;
  reportInternalError: FormatErrorsOptions['reportInternalError'];
}

/** Formats the errors of an operation: why it was rejected, or what went wrong while it was executed. */
export function formatOperationErrors(
  rawErrors: readonly GraphQLError[],
  {
    operation,
    variables,
    context,
  }: { operation: PreparedOperation; variables: Variables; context: GatewayContext },
  { reportInternalError, ...options }: FormatErrorsOptions,
): GraphQLFormattedError[] {
  const errorContext: ErrorContext = {
    isMutation: operation.definition.operation === OperationTypeNode.MUTATION,
    requestId: context.client.requestId,
    reportInternalError,
  };
  const errors = reportMissingToken(rawErrors, { operation, variables, context });
  const inputErrors = createInputErrors({ operation, variables, parser: context.input }, options);
  if (errors.some(isVariableCoercionError))
    return formatInputErrors(inputErrors.forOperation(), errorContext);
  return errors.flatMap((error) => {
    const fieldErrors = isArgumentCoercionError(error) ? inputErrors.forField(String(error.path?.[0])) : [];
    return fieldErrors.length > 0
      ? formatInputErrors(fieldErrors, errorContext, error)
      : formatError(error, errorContext);
  });
}

/** The parts of a request that are available when Apollo Server rejects it. */
export interface RejectedRequest {
  requestId: string;
  source: string | undefined;
  /** Undefined if the source could not be parsed. */
  document: DocumentNode | undefined;
  operationName: string | undefined;
}

/** Formats the errors of a request that Apollo Server rejects before there is an operation to run. */
export function formatRequestErrors(
  errors: readonly GraphQLError[],
  { requestId, source, document, operationName }: RejectedRequest,
  { reportInternalError }: FormatErrorsOptions,
): GraphQLFormattedError[] {
  const definition = document && getOperationAST(document, operationName);
  const isMutation = definition
    ? definition.operation === OperationTypeNode.MUTATION
    : looksLikeMutation(source);
  const errorContext = { isMutation, requestId, reportInternalError };
  return errors.map(normalizeCode).flatMap((error) => formatError(error, errorContext));
}

/** The form of errors outside of a GraphQL request, for instance while Apollo Server reads the HTTP request. */
export function formatNonOperationError(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const { code } = formatted.extensions ?? {};
  return code === ErrorCode.InternalServerError
    ? { message: INTERNAL_ERROR_MESSAGE, extensions: { code, retryable: false } }
    : { ...formatted, extensions: { ...formatted.extensions, retryable: false } };
}

/** The public errors for one error: one per violated rule if the input is invalid. */
function formatError(error: GraphQLError, errorContext: ErrorContext): GraphQLFormattedError[] {
  const cause = error.originalError;
  if (cause instanceof InvalidInputError) return formatInputErrors(cause.errors, errorContext, error);
  if (cause instanceof ServiceError) return [formatServiceError(error, cause, errorContext)];
  const { code, inputPath } = error.extensions;
  if (code !== undefined && code !== ErrorCode.InternalServerError) {
    const location = inputPath === undefined ? {} : { inputPath };
    const extensions = { code, ...location, ...outcomeOf('none', false, errorContext) };
    return [toPublicError(error, error.message, extensions, errorContext)];
  }
  errorContext.reportInternalError(cause ?? error, errorContext.requestId);
  const extensions = { code: ErrorCode.InternalServerError, ...outcomeOf('unknown', false, errorContext) };
  return [toPublicError(error, INTERNAL_ERROR_MESSAGE, extensions, errorContext)];
}

function formatServiceError(error: GraphQLError, cause: ServiceError, errorContext: ErrorContext) {
  const { effect, isTransient, retryAfterSeconds, status, serviceMessages } = cause;
  const { code, message } = describeServiceError(cause);
  const details = Object.fromEntries(
    Object.entries({ retryAfterSeconds, status, serviceMessages }).filter(([, value]) => value !== undefined),
  );
  const extensions = { code, ...outcomeOf(effect, isTransient, errorContext), ...details };
  return toPublicError(error, message, extensions, errorContext);
}

/** One error per violated rule, at most MAX_INPUT_ERRORS; `at` is the error of the field if it was executed. */
function formatInputErrors(
  inputErrors: readonly InputError[],
  errorContext: ErrorContext,
  at?: GraphQLError,
): GraphQLFormattedError[] {
  return inputErrors.slice(0, MAX_INPUT_ERRORS).map(({ path, message }) => {
    const inputPath = path.reduce<string>(
      (text, part) =>
        typeof part === 'number' ? `${text}[${part}]` : `${text}${text && '.'}${String(part)}`,
      '',
    );
    const extensions = {
      code: ErrorCode.BadUserInput,
      inputPath,
      ...outcomeOf('none', false, errorContext),
    };
    return toPublicError(at, `${inputPath}: ${message}`, extensions, errorContext);
  });
}

/** Whether a mutation took effect, and whether repeating the field is safe and may succeed. */
function outcomeOf(effect: ServiceError['effect'], isTransient: boolean, { isMutation }: ErrorContext) {
  if (!isMutation) return { retryable: isTransient };
  return {
    outcome: effect === 'none' ? 'NOT_APPLIED' : 'UNKNOWN',
    retryable: isTransient && effect === 'none',
  };
}

function toPublicError(
  at: GraphQLError | undefined,
  message: string,
  extensions: Record<string, unknown>,
  { requestId }: ErrorContext,
): GraphQLFormattedError {
  const { locations, path } = at?.toJSON() ?? {};
  return {
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { ...extensions, requestId },
  };
}

/**
 * Apollo Server gives every parse and validation error its own code, limits included, and some errors about persisted
 * queries an HTTP status but no code.
 */
function normalizeCode(error: GraphQLError): GraphQLError {
  const { originalError: cause, extensions, message } = error;
  if (cause instanceof GraphQLError && cause.extensions['code'] === ErrorCode.QueryTooComplex) return cause;
  if (
    extensions['code'] === undefined &&
    (extensions['http'] as { status?: number } | undefined)?.status === 400
  )
    return new GraphQLError(message, { extensions: { code: ApolloServerErrorCode.BAD_REQUEST } });
  return asTokenLimitError(error) ?? error;
}

/** Any part of a document that could not be parsed, or has no such operation, may be the intended mutation. */
function looksLikeMutation(source: string | undefined): boolean {
  return source !== undefined && /\bmutation\b/.test(source);
}
