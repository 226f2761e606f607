/** Limits how much larger a result may be than the responses it is made of: aliases repeat values, and names of members repeat in rows. */
import {
  OperationTypeNode,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import type { GatewayContext } from '../fields/context.js';
import type { FieldEntry } from '../fields/field.js';
import { MAX_UNREADABLE } from '../freight/notificationBodies.js';
import { GatewayError } from '../gatewayError.js';
import { operationSize } from './documentSize.js';

export interface ResultLimitOptions {
  /** Maximum size of a result in bytes of JSON text. */
  maxResultBytes: number;
}

/** Bytes of a row in a response of the service, and those of them that are names of members, in whose place the result has its own. */
const ROW_BYTES = 400;
const ROW_NAME_BYTES = 200;

/**
 * Has every root field bound the size of its result before execution builds it. A field whose result may be too large fails alone; the large
 * result of a read waits for the turn of its request. Bulk fields have a limit on their items (checks.ts).
 */
export function limitResults(schema: GraphQLSchema, options: ResultLimitOptions): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { items } = field.extensions['entry'] as FieldEntry;
      if (field.resolve && !items) field.resolve = limited(field.resolve, options);
    }
  }
}

type Resolver = GraphQLFieldResolver<unknown, GatewayContext>;

function limited(resolve: Resolver, options: ResultLimitOptions): Resolver {
  return (source, args, context, info) => {
    const value = resolve(source, args, context, info);
    const admit = (settled: unknown) => {
      const turn = boundSize(settled, context, info, options);
      return turn ? turn.then(() => settled) : settled;
    };
    return value instanceof Promise ? value.then(admit) : admit(value);
  };
}

/**
 * The bound is the size of all responses, and of the request that a write repeats, as often as the operation selects one field, and the
 * names of members in each row. Returns the turn to wait for, if there is one: what a write has left never waits.
 */
function boundSize(
  value: unknown,
  context: GatewayContext,
  { operation, fragments }: GraphQLResolveInfo,
  { maxResultBytes }: ResultLimitOptions,
): Promise<void> | undefined {
  const { reading } = context.client;
  const { repetitions, keyBytes } = operationSize(operation, (name) => fragments[name]);
  const isWrite = operation.operation === OperationTypeNode.MUTATION;
  const repeated = reading.bytes + (isWrite ? reading.requestBytes : 0);
  const occurrences = Array.isArray(value) ? maxOccurrences(value) : 1;
  const rows = 1 + reading.bytes / ROW_BYTES;
  const bytes = repeated * repetitions * occurrences + Math.max(0, keyBytes - ROW_NAME_BYTES) * rows;
  if (bytes + keyBytes * MAX_UNREADABLE > maxResultBytes)
    throw new GatewayError('resultTooLarge', {
      message: `Expected a result of at most ${maxResultBytes} bytes, got more: select fewer fields`,
    });
  return isWrite ? undefined : reading.hold(bytes);
}

/** How often a list has the element that it has most often: an identifier may be asked for several times. */
function maxOccurrences(list: readonly unknown[]): number {
  const counts = new Map<unknown, number>();
  for (const each of list) counts.set(each, (counts.get(each) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}
