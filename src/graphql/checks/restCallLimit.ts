import { OperationTypeNode, type FieldNode } from 'graphql';
import { tooComplex } from './documentLimits.js';
import type { OperationCheck } from './operationCheck.js';
import { rawArguments, type Variables } from './rootFields.js';

export interface RestCallLimitOptions {
  /** Maximum REST calls of one operation. */
  maxRestCalls: number;
  /** Maximum root fields of a mutation: each is a write, and they run one after the other. */
  maxMutationFields: number;
}

/** Rejects an operation that would make too many REST calls, before it makes any. */
export function limitRestCalls({ maxRestCalls, maxMutationFields }: RestCallLimitOptions): OperationCheck {
  return ({ definition, rootFields }, variables) => {
    const fields = rootFields(variables);
    if (definition.operation === OperationTypeNode.MUTATION && fields.length > maxMutationFields)
      return tooComplex(
        `Expected a mutation of at most ${maxMutationFields} fields, got one of ${fields.length}`,
      );
    const restCalls = fields.reduce((sum, field) => sum + countRestCalls(field, variables), 0);
    return restCalls > maxRestCalls
      ? tooComplex(`Expected an operation of at most ${maxRestCalls} REST calls, got one of ${restCalls}`)
      : undefined;
  };
}

/** A root field makes one REST call, a list of notifications one for each distinct identifier, introspection none. */
function countRestCalls(field: FieldNode, variables: Variables): number {
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
