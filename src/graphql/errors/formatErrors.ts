/** The errors of an operation in the form that callers are promised. */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { getOperationAST, Kind, OperationTypeNode, GraphQLError, type GraphQLFormattedError } from 'graphql';
import {
  ErrorCode,
  isArgumentCoercionError,
  formatError,
  formatInputErrors,
  type ErrorContext,
} from './errorTable.js';
import { asTokenLimitError } from '../checks/documentLimits.js';
import { inputErrors, type InputErrorsOptions } from './inputErrors.js';
import type { OperationRequest } from '../checks/operationCheck.js';

export interface FormatErrorsOptions extends InputErrorsOptions {
  report: ErrorContext['report'];
}

export function formatErrors(
  errors: readonly GraphQLError[],
  request: OperationRequest,
  { report, ...options }: FormatErrorsOptions,
): GraphQLFormattedError[] {
  const { document, source, contextValue } = request;
  const operation = document && getOperationAST(document, request.request.operationName);
  const errorContext: ErrorContext = {
    isMutation: operation ? operation.operation === OperationTypeNode.MUTATION : looksLikeMutation(source),
    requestId: contextValue.caller.requestId,
    report,
  };
  const { forOperation: ofOperation, forField: ofField } = inputErrors(request, options);
  if (errors.some(isVariableError)) return formatInputErrors(ofOperation(), errorContext);
  return errors.map(normalizeCode).flatMap((error) => {
    const problems = isArgumentCoercionError(error) ? ofField(String(error.path?.[0])) : [];
    return problems.length > 0
      ? formatInputErrors(problems, errorContext, error)
      : formatError(error, errorContext);
  });
}

/** Of what could not be parsed, or has no operation of that name, any part may be the mutation that was meant. */
function looksLikeMutation(text: string | undefined): boolean {
  return text !== undefined && /\bmutation\b/.test(text);
}

/**
 * Apollo Server gives all errors of parsing and validation its codes, those about limits, too; and some errors about
 * persisted queries no code, but a status of HTTP.
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

/** Validation, too, has errors about the definition of a variable, with another code. */
function isVariableError({ nodes, extensions }: GraphQLError): boolean {
  return extensions['code'] === ErrorCode.BadUserInput && nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION;
}
