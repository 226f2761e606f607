import type { ApolloServerPlugin } from '@apollo/server';
import { getOperationAST, Kind, OperationTypeNode, type GraphQLError } from 'graphql';
import type { GatewayContext } from '../context.js';
import { ErrorCode, isArgumentError, presentError, presentProblem, type ErrorSituation } from '../errors.js';
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
            isMutation: operation?.operation === OperationTypeNode.MUTATION,
            requestId: contextValue.caller.requestId,
            report,
          };
          const problems = inputProblems(request, { hideSuggestions });
          response.body.singleResult.errors = errors.some(isVariableError)
            ? problems.ofOperation().map((problem) => presentProblem(problem, situation))
            : errors.flatMap((error) =>
                isArgumentError(error)
                  ? problems
                      .ofField(String(error.path?.[0]))
                      .map((problem) => presentProblem(problem, situation, error))
                  : presentError(error, situation),
              );
          return Promise.resolve();
        },
      }),
  };
}

/** Validation, too, has errors about the definition of a variable, with another code. */
function isVariableError({ nodes, extensions }: GraphQLError): boolean {
  return extensions['code'] === ErrorCode.BadUserInput && nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION;
}
