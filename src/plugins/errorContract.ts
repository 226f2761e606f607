import type { ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { getOperationAST, Kind, OperationTypeNode, GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { GatewayContext } from '../context.js';
import { ErrorCode, isArgumentError, presentError, presentProblems, type ErrorSituation } from '../errors.js';
import { tooManyTokens } from './documentLimits.js';
import { inputProblems } from './inputProblems.js';

export interface ErrorContractOptions {
  report: ErrorSituation['report'];
  /** Whether messages keep suggestions of the schema's names to themselves. */
  hideSuggestions: boolean;
}

/** Puts the errors of an answer into the form that callers are promised. */
export function errorContract({
  report,
  hideSuggestions,
}: ErrorContractOptions): ApolloServerPlugin<GatewayContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        willSendResponse(request) {
          const { errors, document, contextValue, response } = request;
          if (!errors?.length || response.body.kind !== 'single') return Promise.resolve();
          const operation = document && getOperationAST(document, request.request.operationName);
          const situation: ErrorSituation = {
            isMutation: operation
              ? operation.operation === OperationTypeNode.MUTATION
              : mayBeMutation(request.source),
            requestId: contextValue.caller.requestId,
            report,
          };
          response.body.singleResult.errors = presentAll(errors, request, situation, hideSuggestions);
          return Promise.resolve();
        },
      }),
  };
}

function presentAll(
  errors: readonly GraphQLError[],
  request: GraphQLRequestContextWillSendResponse<GatewayContext>,
  situation: ErrorSituation,
  hideSuggestions: boolean,
): GraphQLFormattedError[] {
  const { ofOperation, ofField } = inputProblems(request, { hideSuggestions });
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
