import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { GraphQLError } from 'graphql';

/** Refuses an operation of a type that the schema does not have, which GraphQL would call a defect of its own. */
export const operationType: ApolloServerPlugin = {
  requestDidStart: () =>
    Promise.resolve({
      didResolveOperation({ operation, schema }) {
        if (operation === undefined || schema.getRootType(operation.operation)) return Promise.resolve();
        throw new GraphQLError(`The schema has no ${operation.operation}s`, {
          nodes: operation,
          extensions: {
            code: ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE,
            http: { status: 400 },
          },
        });
      },
    }),
};
