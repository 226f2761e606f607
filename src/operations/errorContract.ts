/** The errors of an operation in the form that callers are promised. */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { getOperationAST, Kind, OperationTypeNode, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ErrorCode, isArgumentError, presentError, presentProblems, type ErrorSituation } from '../errors.js';
import { tooManyTokens } from './documentLimits.js';
import { inputProblems, type InputProblemsOptions } from './inputProblems.js';
import type { OperationRequest } from './request.js';

export interface ErrorContractOptions extends InputProblemsOptions {
  report: ErrorSituation['report'];
}

export function presentErrors(
  errors: readonly GraphQLError[],
  request: OperationRequest,
  { report, ...options }: ErrorContractOptions,
): GraphQLFormattedError[] {
  const { document, source, contextValue } = request;
  const operation = document && getOperationAST(document, request.request.operationName);
  const situation: ErrorSituation = {
    isMutation: operation ? operation.operation === OperationTypeNode.MUTATION : mayBeMutation(source),
    requestId: contextValue.caller.requestId,
    report,
  };
  const { ofOperation, ofField } = inputProblems(request, options);
  if (errors.some(isVariableError)) return presentProblems(ofOperation(), situation);
  return errors.map(withOwnCode).flatMap((error) => {
    const problems = isArgumentError(error) ? ofField(String(error.path?.[0])) : [];
    return problems.length > 0 ? presentProblems(problems, situation, error) : presentError(error, situation);
  });
}

/** Of what could not be parsed, or has no operation of that name, any part may be the mutation that was meant. */
function mayBeMutation(text: string | undefined): boolean {
  return text !== undefined && /\bmutation\b/.test(text);
}

/**
 * Apollo Server gives all errors of parsing and validation its codes, those about limits, too; and some errors about
 * persisted queries no code, but a status of HTTP.
 */
function withOwnCode(error: GraphQLError): GraphQLError {
  const { originalError: cause, extensions, message } = error;
  if (cause instanceof GraphQLError && cause.extensions['code'] === ErrorCode.QueryTooComplex) return cause;
  if (
    extensions['code'] === undefined &&
    (extensions['http'] as { status?: number } | undefined)?.status === 400
  )
    return new GraphQLError(message, { extensions: { code: ApolloServerErrorCode.BAD_REQUEST } });
  return tooManyTokens(error) ?? error;
}

/** Validation, too, has errors about the definition of a variable, with another code. */
function isVariableError({ nodes, extensions }: GraphQLError): boolean {
  return extensions['code'] === ErrorCode.BadUserInput && nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION;
}
