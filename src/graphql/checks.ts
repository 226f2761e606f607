/** The checks that reject an operation before it is executed; those of its document run earlier (documentSize.ts). */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { parseIdempotencyHeader } from '../domain/parameters.js';
import { ErrorCode, InputRule } from '../errors.js';
import type { GatewayContext } from '../fields/context.js';
import { InvalidInputError } from '../fields/field.js';
import { idempotencyKeyViolation } from '../fields/values.js';
import { tooComplex, type OperationSize } from './documentSize.js';
import {
  entryOf,
  fieldUsing,
  rawArguments,
  responseName,
  type RootFields,
  type Variables,
} from './rootFields.js';

/** An operation of a validated document, with everything that is computed once for all its executions. */
export interface PreparedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly rootFields: RootFields;
  readonly size: OperationSize;
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

/** Rejects an operation type that the schema does not define; graphql-js would report it as an error of the schema. */
export const rejectUnknownOperationType: OperationCheck = ({ definition, schema }) => {
  if (schema.getRootType(definition.operation)) return undefined;
  return new GraphQLError(`The schema defines no ${definition.operation}s`, {
    nodes: definition,
    extensions: { code: ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE },
  });
};

/**
 * Rejects an operation with a condition (`@skip`, `@include`) that is null. graphql-js would find it only while executing,
 * after the fields above it. The null can come from a variable with a default value (GraphQL specification, section 5.8.5).
 */
export const rejectNullConditions: OperationCheck = ({ size, rootFields }, variables) => {
  if (size.conditionVariables.size === 0) return undefined;
  const name = [...size.conditionVariables].find((variable) => variables[variable] === null);
  if (name === undefined) return undefined;
  const field = fieldUsing(name, rootFields(variables));
  const violation = { rule: InputRule.Required, message: 'expected a boolean for a condition, got null' };
  const originalError = new InvalidInputError([{ path: [`$${name}`], field, ...violation }]);
  return new GraphQLError(originalError.message, { originalError });
};

export interface RestCallLimitOptions {
  /** Maximum REST calls of one operation. */
  maxRestCalls: number;
  /** Maximum root fields of a mutation: each is a write, and they run one after the other. */
  maxMutationFields: number;
  /** The limit on reads, if they have one of their own (subgraph.ts). @default they count as REST calls */
  maxEntities?: number | undefined;
}

/** Rejects an operation that would make too many REST calls, before it makes any. */
export function limitRestCalls({
  maxRestCalls,
  maxMutationFields,
  maxEntities,
}: RestCallLimitOptions): OperationCheck {
  return (operation, variables) => {
    const fields = operation.rootFields(variables);
    if (operation.definition.operation === OperationTypeNode.MUTATION && fields.length > maxMutationFields)
      return tooComplex(
        `Expected a mutation of at most ${maxMutationFields} fields, got one of ${fields.length}`,
      );
    const { reads, otherCalls } = countRestCalls(operation, fields, variables);
    const restCalls = maxEntities === undefined ? reads + otherCalls : otherCalls;
    return restCalls > maxRestCalls
      ? tooComplex(`Expected an operation of at most ${maxRestCalls} REST calls, got one of ${restCalls}`)
      : undefined;
  };
}

/** The REST calls that an operation may make; equal identifiers are read once. */
function countRestCalls(operation: PreparedOperation, fields: readonly FieldNode[], variables: Variables) {
  const guids = new Set<unknown>();
  let otherCalls = 0;
  for (const field of fields) {
    const entry = entryOf(operation, field);
    if (!entry) continue;
    const args = rawArguments(field, variables);
    for (const guid of entry.reads(args)) guids.add(guid);
    otherCalls += entry.restCalls(args);
  }
  return { reads: guids.size, otherCalls };
}

/**
 * Rejects a mutation whose header `Idempotency-Key` is not a key, or could be the key of several fields: it stands for the argument
 * `idempotencyKey` of the only mutation field. The header is ignored if the argument is set, and on queries: a browser may add one
 * to every POST.
 */
export const checkIdempotencyHeader: OperationCheck = (operation, variables, { idempotencyHeader }) => {
  const { definition, rootFields } = operation;
  if (idempotencyHeader === undefined || definition.operation !== OperationTypeNode.MUTATION)
    return undefined;
  const [field, ...others] = rootFields(variables).filter((each) => entryOf(operation, each));
  if (others.length > 0) return forSeveralFields(others.length + 1);
  if (field === undefined || rawArguments(field, variables)['idempotencyKey'] != null) return undefined;
  if (parseIdempotencyHeader(idempotencyHeader) !== undefined) return undefined;
  const violation = idempotencyKeyViolation(idempotencyHeader);
  const error = { path: ['idempotencyKey'], field: responseName(field), ...violation };
  return new GraphQLError(violation.message, { originalError: new InvalidInputError([error]) });
};

function forSeveralFields(count: number): GraphQLError {
  return new GraphQLError(
    `Expected the header Idempotency-Key with one mutation field, got ${count} fields: use the argument idempotencyKey of each`,
    { extensions: { code: ErrorCode.BadUserInput } },
  );
}
