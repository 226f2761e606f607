/** Limits how much larger a result may be than the responses it is made of: aliases repeat values, and names of members repeat in rows. */
import {
  getNamedType,
  GraphQLString,
  isAbstractType,
  isObjectType,
  type FieldNode,
  type GraphQLFieldResolver,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import type { GatewayContext } from '../fields/context.js';
import type { FieldEntry } from '../fields/field.js';
import { fieldsOfType } from '../fields/selections.js';
import { MAX_UNREADABLE } from '../freight/notificationBodies.js';
import { LARGE_BYTES } from '../transport/largeResponses.js';
import { ServiceError } from '../transport/serviceError.js';
import { operationSize, type OperationSize } from './documentSize.js';

export interface ResultLimitOptions {
  /** Maximum size of a result in bytes of JSON text. */
  maxResultBytes: number;
  /** Maximum request body in bytes: results may repeat parts of it. */
  maxBodyBytes: number;
}

/** Bytes of a row in a response of the service. */
const ROW_BYTES = 400;

/**
 * Has every root field check its value before execution builds a result from it. A field whose result may be too large fails alone, and a
 * large result waits for the turn of its request. Bulk fields check each item.
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
      const turn = checkSize(settled, context, info, options);
      return turn ? turn.then(() => settled) : settled;
    };
    return value instanceof Promise ? value.then(admit) : admit(value);
  };
}

/**
 * The bound is the size of the request and of all responses, as often as it selects one field, and the names of members in each row. Only
 * beyond that is the value itself measured: what a write has left must not wait for a turn because its request is large. Returns the turn
 * to wait for, if it has to.
 */
function checkSize(
  value: unknown,
  context: GatewayContext,
  info: GraphQLResolveInfo,
  { maxResultBytes }: ResultLimitOptions,
): Promise<void> | undefined {
  const { reading } = context.client;
  const { repetitions, keyBytes } = sizeOf(info);
  const values =
    (reading.bytes + reading.requestBytes) * repetitions * (Array.isArray(value) ? maxOccurrences(value) : 1);
  const rows = 1 + reading.bytes / ROW_BYTES;
  const usual = values + keyBytes * rows;
  const isSmall = usual + keyBytes * MAX_UNREADABLE <= maxResultBytes;
  if (isSmall && (reading.hasTurn || usual <= LARGE_BYTES)) return undefined;
  const { bytes } = createMeasure([info], context)(value);
  if (bytes > maxResultBytes) throw tooLarge(maxResultBytes);
  return reading.hold(bytes);
}

/** How often a list has the element that it has most often: an identifier may be asked for several times. */
function maxOccurrences(list: readonly unknown[]): number {
  const counts = new Map<unknown, number>();
  for (const each of list) counts.set(each, (counts.get(each) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}

export function tooLarge(maxResultBytes: number): ServiceError {
  return new ServiceError('resultTooLarge', {
    message: `Expected a result of at most ${maxResultBytes} bytes, got more: select fewer fields`,
  });
}

/** What a result takes. */
export interface ResultSize {
  /** Bytes of its JSON text in UTF-8, with a comma after each member. */
  bytes: number;
  /** Leaf values and nulls, each of which is written at the cost of some bytes. */
  values: number;
}

/** Measures values of fields, under all names by which they are selected. */
export function createMeasure(infos: readonly GraphQLResolveInfo[], context: GatewayContext) {
  const selections = infos.map((info) => ({
    info,
    selection: selectionOf(info.returnType, info.fieldNodes),
  }));
  return (value: unknown): ResultSize => {
    const size = { bytes: 0, values: 0 };
    for (const { info, selection } of selections) addValue(size, value, selection, { context, info });
    return size;
  };
}

/** Bytes of a value as JSON. */
export function textBytes(value: unknown): number {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 0 : Buffer.byteLength(text);
}

/** What the operation selects of a value. */
interface Selection {
  type: GraphQLNamedOutputType;
  sets: readonly SelectionSetNode[];
  /** By the type of an object. */
  members: Map<GraphQLObjectType, Member[]>;
}

interface Member {
  name: string;
  resolve: GraphQLFieldResolver<unknown, GatewayContext>;
  selection: Selection;
}

interface Scope {
  context: GatewayContext;
  info: GraphQLResolveInfo;
}

function selectionOf(type: GraphQLOutputType, nodes: readonly FieldNode[]): Selection {
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  return { type: getNamedType(type), sets, members: new Map() };
}

function addValue(size: ResultSize, value: unknown, selection: Selection, scope: Scope): void {
  if (Array.isArray(value) && selection.sets.length > 0) {
    size.bytes += 2 + value.length;
    for (const each of value) addValue(size, each, selection, scope);
  } else if (value === null || value === undefined || value instanceof Error) {
    size.bytes += 4;
    size.values += 1;
  } else if (selection.sets.length === 0) {
    size.bytes += textBytes(value);
    size.values += Array.isArray(value) ? value.length : 1;
  } else {
    size.bytes += 2;
    for (const member of membersOf(value, selection, scope)) {
      size.bytes += member.name.length + 4;
      addValue(size, member.resolve(value, {}, scope.context, scope.info), member.selection, scope);
    }
  }
}

function membersOf(value: unknown, selection: Selection, { context, info }: Scope): Member[] {
  const { type, sets, members } = selection;
  const name = isAbstractType(type) ? type.resolveType?.(value, context, info, type) : undefined;
  const objectType = typeof name === 'string' ? info.schema.getType(name) : type;
  if (!isObjectType(objectType)) return [];
  const known = members.get(objectType);
  if (known) return known;
  const selected = [...fieldsOfType(sets, objectType, info)].map(([responseName, nodes]): Member => {
    const fieldName = (nodes[0] as FieldNode).name.value;
    // Valid documents select only the fields of a type and `__typename`.
    const { type: fieldType = GraphQLString, resolve } = objectType.getFields()[fieldName] ?? {};
    const ofParent: Member['resolve'] = (parent) =>
      fieldName === '__typename' ? objectType.name : (parent as Readonly<Record<string, unknown>>)[fieldName];
    return { name: responseName, resolve: resolve ?? ofParent, selection: selectionOf(fieldType, nodes) };
  });
  members.set(objectType, selected);
  return selected;
}

function sizeOf({ operation, fragments }: GraphQLResolveInfo): OperationSize {
  return operationSize(operation, (name) => fragments[name]);
}
