import { OperationTypeNode, type FieldNode } from 'graphql';
import { tooComplex } from './documentLimits.js';
import type { OperationCheck } from './operationCheck.js';
import { rawArguments, rootFields, withDefaults, type Variables } from './rootFields.js';

export interface RestCallLimitOptions {
  /** REST calls that one operation may make at the most. */
  maxRestCalls: number;
  /** Root fields of a mutation at the most: each is a write, and they are executed one after the other. */
  maxMutationFields: number;
}

/** Refuses an operation that would make too many REST calls, before it makes any. */
export function limitRestCalls({ maxRestCalls, maxMutationFields }: RestCallLimitOptions): OperationCheck {
  return ({ document, operation, request }) => {
    const variables = withDefaults(operation, request.variables);
    const fields = rootFields(document, operation, variables);
    if (operation.operation === OperationTypeNode.MUTATION && fields.length > maxMutationFields)
      throw tooComplex(
        `Expected a mutation of at most ${maxMutationFields} fields, got one of ${fields.length}`,
      );
    const cost = fields.reduce((sum, field) => sum + restCalls(field, variables), 0);
    if (cost > maxRestCalls)
      throw tooComplex(`Expected an operation of at most ${maxRestCalls} REST calls, got one of ${cost}`);
  };
}

/** REST calls of a root field: one, or one for each distinct notification of a list; none to tell of the schema. */
function restCalls(field: FieldNode, variables: Variables): number {
  const { notificationGuids, representations } = rawArguments(field, variables);
  if (field.name.value === '_entities') return countDistinct([representations].flat().flatMap(entityGuids));
  if (field.name.value.startsWith('_')) return 0;
  return Array.isArray(notificationGuids) ? countDistinct(notificationGuids) : 1;
}

function countDistinct(values: readonly unknown[]): number {
  return new Set(values).size;
}

function entityGuids(representation: unknown): unknown[] {
  const hasGuid =
    typeof representation === 'object' && representation !== null && 'notificationGuid' in representation;
  return hasGuid ? [representation.notificationGuid] : [];
}
