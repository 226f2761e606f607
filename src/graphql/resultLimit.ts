/**
 * Limits the size of results without walking them: estimates it from the bytes read, the response keys per row, how often a field is
 * selected, and the failures that items may have.
 */
import {
  OperationTypeNode,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import type { GatewayContext } from '../fields/context.js';
import { MAX_VIOLATIONS } from '../fields/bulk.js';
import type { FieldEntry } from '../fields/field.js';
import { MAX_UNREADABLE } from '../freight/notificationBodies.js';
import { GatewayError } from '../gatewayError.js';
import { mayHaveItems, type OperationCheck, type RequestCheck } from './checks.js';
import { operationSize, tooComplex } from './documentSize.js';

export interface ResultLimitOptions {
  /** Maximum size of a result in bytes of JSON text. */
  maxResultBytes: number;
}

/**
 * Rejects an operation whose result would be too large whatever the service responds: response keys, and the input that the payload of a
 * mutation repeats.
 */
export function limitFixedSize({ maxResultBytes }: ResultLimitOptions): OperationCheck {
  return ({ definition, size: { keyBytes, repetitions } }) => {
    const isMutation = definition.operation === OperationTypeNode.MUTATION;
    if (!isMutation && keyBytes <= maxResultBytes) return undefined;
    return ({ context }) => {
      const inputBytes = isMutation ? context.client.reading.requestBytes * repetitions : 0;
      return keyBytes + inputBytes > maxResultBytes
        ? tooComplex(`Expected a result of at most ${maxResultBytes} bytes, got more: select fewer fields`)
        : undefined;
    };
  };
}

/**
 * Maximum values in the results of all items of an operation, sent or not, and maximum bytes of these results without content from the
 * service: as many cost about as much CPU as parsing and sending 500 items (Node.js 26).
 */
const MAX_ITEM_VALUES = 50_000;
const MAX_ITEM_BYTES = 4_194_304;

/** A GraphQL error costs as much CPU as this many values. */
const VALUES_PER_ERROR = 15;
/** Bytes of a value in the failure of an item, on average. */
const BYTES_PER_ERROR_VALUE = 64;
/** Failures that one item may have. All items of a list together have no more violations than MAX_VIOLATIONS. */
const MAX_FAILURES_PER_ITEM = 100;

/** Rejects an operation whose items could have results that are too large: items × selected fields × failures. */
export const limitItemResults: OperationCheck = (operation) =>
  mayHaveItems(operation) ? checkItemResults : undefined;

const checkItemResults: RequestCheck = ({ operation, fields, context }) => {
  let values = 0;
  let bytes = 0;
  for (const { nodes, entry, args } of fields) {
    const items = entry?.items?.(args);
    if (!items) continue;
    const failures = items + Math.min(items * MAX_FAILURES_PER_ITEM, MAX_VIOLATIONS);
    for (const node of nodes) {
      const size = operationSize(node, operation.findFragment);
      const { resultFields, keyBytes, errorFields, errorKeyBytes, results, repetitions } = size;
      const errors = errorFields === 0 ? results * VALUES_PER_ERROR : 0;
      values += items * (resultFields - errorFields + errors) + failures * errorFields;
      bytes += items * (keyBytes - errorKeyBytes);
      bytes += failures * (errorKeyBytes + errorFields * BYTES_PER_ERROR_VALUE);
      bytes += context.client.reading.requestBytes * repetitions;
    }
  }
  if (values <= MAX_ITEM_VALUES && bytes <= MAX_ITEM_BYTES) return undefined;
  return tooComplex(
    values > MAX_ITEM_VALUES
      ? `Expected results of at most ${MAX_ITEM_VALUES} values, got up to ${values}: select fewer fields`
      : `Expected results of at most ${MAX_ITEM_BYTES} bytes, got up to ${bytes}: select fewer fields`,
  );
};

/** Bytes of a row in a response of the service, and the part of them that is member names, which response keys replace in the result. */
const ROW_BYTES = 400;
const ROW_NAME_BYTES = 200;

/**
 * Makes every root field bound the size of its result before execution builds it. A field whose result may be too large fails alone; the
 * large result of a read waits for the turn of its request. Bulk fields are exempt: limitItemResults limits them.
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
 * The bound is the size of all responses, and of the request that a write repeats, times the selections of the most frequent field, plus
 * the response keys of each row. Returns the turn to wait for, if any: the result of a write never waits.
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
  const unreadableBytes = isWrite ? 0 : keyBytes * MAX_UNREADABLE; // the result of a write has no such list
  if (bytes + unreadableBytes > maxResultBytes)
    throw new GatewayError('resultTooLarge', {
      message: `Expected a result of at most ${maxResultBytes} bytes, got more: select fewer fields`,
    });
  return isWrite ? undefined : reading.hold(bytes);
}

/** How often a list has the element that it has most often: an identifier may be asked for several times. */
function maxOccurrences(list: readonly unknown[]): number {
  const counts = new Map<unknown, number>();
  for (const each of list) if (each !== null) counts.set(each, (counts.get(each) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}
