import type { DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { GatewayContext } from '../../fields/context.js';
import type { RootFields, Variables } from './rootFields.js';

/** An operation of a validated document, with everything that is computed once for all its executions. */
export interface PreparedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly rootFields: RootFields;
  /** Variables that decide `@skip` and `@include`. */
  readonly conditionVariables: readonly string[];
}

/** An operation to execute for a client. */
export interface OperationRequest {
  operation: PreparedOperation;
  variables: Variables;
  context: GatewayContext;
}

/** Returns the reason to reject an operation, if any, before it is executed. Variables include their defaults. */
export type OperationCheck = (
  operation: PreparedOperation,
  variables: Variables,
  context: GatewayContext,
) => GraphQLError | undefined;

/** The reason of the first check that rejects the operation. */
export function firstRejection(
  checks: readonly OperationCheck[],
  operation: PreparedOperation,
  variables: Variables,
  context: GatewayContext,
): GraphQLError | undefined {
  for (const check of checks) {
    const rejection = check(operation, variables, context);
    if (rejection) return rejection;
  }
  return undefined;
}
