import type { ApolloServerPlugin } from '@apollo/server';
import {
  getOperationAST,
  Kind,
  OperationTypeNode,
  type GraphQLError,
  type GraphQLFormattedError,
  type VariableDefinitionNode,
} from 'graphql';
import type { GatewayContext } from '../context.js';
import { presentError, presentProblem, type ErrorSituation } from '../errors.js';
import { variableProblems } from './variableProblems.js';

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
          response.body.singleResult.errors = errors.some((error) => variableOf(error))
            ? presentVariableErrors(errors, variableProblems(request, { hideSuggestions }), situation)
            : errors.flatMap((error) => presentError(error, situation));
          return Promise.resolve();
        },
      }),
  };
}

function presentVariableErrors(
  errors: readonly GraphQLError[],
  { problems, covered }: ReturnType<typeof variableProblems>,
  situation: ErrorSituation,
): GraphQLFormattedError[] {
  const others = errors.filter((error) => !covered.has(variableOf(error)?.variable.name.value ?? ''));
  return [
    ...problems.map((problem) => presentProblem(problem, situation)),
    ...others.flatMap((error) => presentError(error, situation)),
  ];
}

/** The variable that could not be coerced, which fails the whole request (GraphQL specification, section 6.1.2). */
function variableOf({ nodes }: GraphQLError): VariableDefinitionNode | undefined {
  const [node] = nodes ?? [];
  return node?.kind === Kind.VARIABLE_DEFINITION ? node : undefined;
}
