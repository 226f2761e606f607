import { ApolloServerErrorCode } from '@apollo/server/errors';
import { GraphQLError } from 'graphql';
import type { OperationCheck } from './operationCheck.js';

/** Refuses an operation of a type that the schema does not have, which GraphQL would call a defect of its own. */
export const rejectUnknownOperationType: OperationCheck = ({ operation, schema }) => {
  if (schema.getRootType(operation.operation)) return;
  throw new GraphQLError(`The schema defines no ${operation.operation}s`, {
    nodes: operation,
    extensions: {
      code: ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE,
      http: { status: 400 },
    },
  });
};
