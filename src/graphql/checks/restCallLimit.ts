import { OperationTypeNode, type FieldNode } from 'graphql';
import { tooComplex } from './documentLimits.js';
import type { OperationCheck } from './operationCheck.js';
import { rawArguments, type Variables } from './rootFields.js';

export interface RestCallLimitOptions {
  /** Maximum REST calls of one operation. */
  maxRestCalls: number;
  /** Maximum root fields of a mutation: each is a write, and they run one after the other. */
  maxMutationFields: number;
  /** The limit on reads, if they have one of their own (subgraphLimits.ts). @default they count as REST calls */
  maxEntities?: number | undefined;
}

/** The read before an update, the update, and the read after it. */
const MAX_UPDATE_CALLS = 3;

/** Rejects an operation that would make too many REST calls, before it makes any. */
export function limitRestCalls({
  maxRestCalls,
  maxMutationFields,
  maxEntities,
}: RestCallLimitOptions): OperationCheck {
  return ({ definition, rootFields }, variables) => {
    const fields = rootFields(variables);
    if (definition.operation === OperationTypeNode.MUTATION && fields.length > maxMutationFields)
      return tooComplex(
        `Expected a mutation of at most ${maxMutationFields} fields, got one of ${fields.length}`,
      );
    const { reads, otherCalls } = countRestCalls(fields, variables);
    const restCalls = maxEntities === undefined ? reads + otherCalls : otherCalls;
    return restCalls > maxRestCalls
      ? tooComplex(`Expected an operation of at most ${maxRestCalls} REST calls, got one of ${restCalls}`)
      : undefined;
  };
}

/** The REST calls that an operation may make; equal identifiers are read once. Introspection makes none. */
function countRestCalls(fields: readonly FieldNode[], variables: Variables) {
  const guids = new Set<unknown>();
  let otherCalls = 0;
  for (const field of fields) {
    const args = rawArguments(field, variables);
    const readGuids = guidsRead(field.name.value, args);
    if (readGuids === undefined) otherCalls += callsOf(field.name.value, args);
    else for (const guid of readGuids) guids.add(guid);
  }
  return { reads: guids.size, otherCalls };
}

/** The identifiers that a field reads through the loader, which reads each one once; undefined for other fields. */
function guidsRead(field: string, args: Readonly<Record<string, unknown>>): unknown[] | undefined {
  if (field === 'notification') return [args['notificationGuid']];
  if (field === 'notificationsByGuid') return [args['notificationGuids']].flat();
  if (field === '_entities') return [args['representations']].flat().flatMap(entityGuids);
  return undefined;
}

function callsOf(field: string, { ifLastUpdateDate }: Readonly<Record<string, unknown>>): number {
  if (field.startsWith('_')) return 0;
  if (field === 'updateNotification') return MAX_UPDATE_CALLS;
  return ifLastUpdateDate == null ? 1 : 2;
}

function entityGuids(representation: unknown): unknown[] {
  const hasGuid =
    typeof representation === 'object' && representation !== null && 'notificationGuid' in representation;
  return hasGuid ? [representation.notificationGuid] : [];
}
