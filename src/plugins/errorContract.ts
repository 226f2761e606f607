import type { ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import {
  getOperationAST,
  Kind,
  OperationTypeNode,
  type GraphQLError,
  type GraphQLFormattedError,
} from 'graphql';
import type { GatewayContext } from '../context.js';
import { ErrorCode, isArgumentError, presentError, presentProblems, type ErrorSituation } from '../errors.js';
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
  return errors.flatMap((error) => {
    const problems = isArgumentError(error) ? ofField(String(error.path?.[0])) : [];
    return problems.length > 0 ? presentProblems(problems, situation, error) : presentError(error, situation);
  });
}

/** Validation, too, has errors about the definition of a variable, with another code. */
function isVariableError({ nodes, extensions }: GraphQLError): boolean {
  return extensions['code'] === ErrorCode.BadUserInput && nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION;
}
