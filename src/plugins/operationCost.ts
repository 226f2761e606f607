import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, type FieldNode } from 'graphql';
import { ErrorCode } from '../errors.js';
import { plainArguments, rootFields, withDefaults, type Variables } from './rootFields.js';

export interface OperationCostOptions {
  /** REST calls that one operation may make at the most. */
  maxRestCalls: number;
}

/** Refuses an operation that would make too many REST calls, before it makes any. */
export function operationCost({ maxRestCalls }: OperationCostOptions): ApolloServerPlugin {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation({ document, operation, request }) {
          if (operation === undefined) return Promise.resolve();
          const variables = withDefaults(operation, request.variables);
          const cost = rootFields(document, operation, variables).reduce(
            (sum, field) => sum + restCalls(field, variables),
            0,
          );
          if (cost <= maxRestCalls) return Promise.resolve();
          const message = `Expected an operation of at most ${maxRestCalls} REST calls, got one of ${cost}`;
          throw new GraphQLError(message, {
            extensions: { code: ErrorCode.QueryTooComplex, http: { status: 400 } },
          });
        },
      }),
  };
}

/** REST calls of a root field: one, none for introspection, and one for each distinct element of a list of guids. */
function restCalls(field: FieldNode, variables: Variables): number {
  if (field.name.value.startsWith('__')) return 0;
  const { notificationGuids } = plainArguments(field, variables);
  return Array.isArray(notificationGuids) ? new Set(notificationGuids).size : 1;
}
