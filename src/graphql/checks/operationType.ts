import { ApolloServerErrorCode } from '@apollo/server/errors';
import { GraphQLError } from 'graphql';
import type { OperationCheck } from './operationCheck.js';

/** Rejects an operation type that the schema does not define; graphql-js would report it as an error of the schema. */
export const rejectUnknownOperationType: OperationCheck = ({ definition, schema }) => {
  if (schema.getRootType(definition.operation)) return undefined;
  return new GraphQLError(`The schema defines no ${definition.operation}s`, {
    nodes: definition,
    extensions: { code: ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE },
  });
};
