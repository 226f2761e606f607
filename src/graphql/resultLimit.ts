/** Limits the size of a result, and reserves memory for it, before the result is built. */
import {
  GraphQLString,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { jsonSize } from '../domain/json.js';
import type { GatewayContext } from '../fields/context.js';
import { UNCOUNTED_BYTES, type MemoryShare } from '../transport/memoryBudget.js';
import { ServiceError } from '../transport/serviceError.js';
import { isSkipped, responseName } from './rootFields.js';

export interface ResultLimitOptions {
  /** Maximum size of a result in bytes of JSON text. */
  maxResultBytes: number;
  /** Maximum request body in bytes: results may repeat parts of it. */
  maxBodyBytes: number;
}

/** Bytes of the text that one byte of a number or string can become: 1E20 is written with all its digits. */
const MAX_EXPANSION = 6;
/** Bytes that an object counts for in addition to its text: built, a small one takes some 150 bytes of heap. */
const OBJECT_BYTES = 16;
/** Fewer bytes than any notification of the service has. */
const MIN_OBJECT_BYTES = 100;
const TYPICAL_OBJECT_BYTES = 400;

/**
 * Has every root field check its value before execution builds a result from it: aliases can multiply one large response,
 * and the objects of a result take several times the memory of its text. A field whose result does not fit fails alone.
 */
export function limitResults(schema: GraphQLSchema, options: ResultLimitOptions): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (field.resolve) field.resolve = limited(field.resolve, options);
    }
  }
}

type Resolver = GraphQLFieldResolver<unknown, GatewayContext>;

function limited(resolve: Resolver, options: ResultLimitOptions): Resolver {
  return (source, args, context, info) => {
    const value = resolve(source, args, context, info);
    const admit = (settled: unknown) => {
      if (!isSmall(context, info, options)) admitResult(settled, { ...options, context, info });
      return settled;
    };
    return value instanceof Promise ? value.then(admit) : admit(value);
  };
}

interface Admission extends ResultLimitOptions {
  context: GatewayContext;
  info: GraphQLResolveInfo;
}

/** Nearly every result is too small for either limit, whatever it selects. */
function isSmall(context: GatewayContext, info: GraphQLResolveInfo, options: ResultLimitOptions): boolean {
  const { memory } = context.client;
  const bounds = selectionBounds(info);
  return isWithinLimit(memory, bounds, options) && estimatedSize(memory, bounds) <= UNCOUNTED_BYTES;
}

function isWithinLimit(
  { bodyBytes, resultBytes }: MemoryShare,
  { repetitions, keyBytes }: SelectionBounds,
  { maxResultBytes, maxBodyBytes }: ResultLimitOptions,
): boolean {
  const maxValues = (bodyBytes + maxBodyBytes) * repetitions * MAX_EXPANSION;
  const maxKeys = keyBytes * (1 + bodyBytes / MIN_OBJECT_BYTES);
  return resultBytes + maxValues + maxKeys <= maxResultBytes;
}

function estimatedSize({ bodyBytes }: MemoryShare, { repetitions, keyBytes }: SelectionBounds): number {
  return bodyBytes * repetitions + Math.ceil(keyBytes * (1 + bodyBytes / TYPICAL_OBJECT_BYTES));
}

function admitResult(value: unknown, admission: Admission): void {
  const { context, info, maxResultBytes } = admission;
  const { memory } = context.client;
  const bounds = selectionBounds(info);
  const remaining = maxResultBytes - memory.resultBytes;
  const { bytes, objects } =
    bounds.hasOneRoot && isWithinLimit(memory, bounds, admission)
      ? { bytes: estimatedSize(memory, bounds), objects: 0 }
      : resultSize(value, info.returnType, { context, info, maxBytes: remaining });
  if (bytes > remaining) {
    throw new ServiceError('resultTooLarge', {
      message: `Expected a result of at most ${maxResultBytes} bytes, got more: select fewer fields`,
    });
  }
  memory.addResult(bytes, bytes + OBJECT_BYTES * objects);
}

interface SelectionBounds {
  /** How many times the result can contain one value: the occurrences of the most frequent leaf field. */
  repetitions: number;
  /** Bytes of all keys of the selections, each counted once per use of its fragment. */
  keyBytes: number;
  hasOneRoot: boolean;
}

const boundsOfOperations = new WeakMap<OperationDefinitionNode, SelectionBounds>();

function selectionBounds(info: GraphQLResolveInfo): SelectionBounds {
  const cached = boundsOfOperations.get(info.operation);
  if (cached) return cached;
  const bounds = computeBounds(info);
  boundsOfOperations.set(info.operation, bounds);
  return bounds;
}

function computeBounds({ operation, fragments }: GraphQLResolveInfo): SelectionBounds {
  const totals = new Map<string, { keyBytes: number; counts: Map<string, number> }>(); // fragments may nest exponentially
  const totalOf = ({ selections }: SelectionSetNode) => {
    const total = { keyBytes: 0, counts: new Map<string, number>() };
    const count = (name: string, times: number) => {
      total.counts.set(name, (total.counts.get(name) ?? 0) + times);
    };
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (!selection.selectionSet) count(selection.name.value, 1);
        const valueBytes = selection.name.value === '__typename' ? 24 : 4; // or null: neither comes from the service
        total.keyBytes += responseName(selection).length + 4 + valueBytes;
      }
      const nested =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? totalOfFragment(selection.name.value)
          : selection.selectionSet && totalOf(selection.selectionSet);
      total.keyBytes += nested?.keyBytes ?? 0;
      nested?.counts.forEach((times, name) => {
        count(name, times);
      });
    }
    return total;
  };
  const totalOfFragment = (name: string) => {
    const fragment = fragments[name];
    const total = totals.get(name) ?? (fragment && totalOf(fragment.selectionSet));
    if (total) totals.set(name, total);
    return total;
  };
  const { keyBytes, counts } = totalOf(operation.selectionSet);
  const { selections } = operation.selectionSet;
  return {
    repetitions: Math.max(...counts.values()),
    keyBytes,
    hasOneRoot: selections.length === 1 && selections[0]?.kind === Kind.FIELD,
  };
}

interface ResultSize {
  /** Bytes of its JSON text in UTF-8, with phone numbers as the service writes them, and a comma after each member. */
  bytes: number;
  /** Number of objects. */
  objects: number;
}

type AnyField = GraphQLField<unknown, GatewayContext>;

/** A field of a result. */
interface ResultField {
  /** Bytes of its key and of the punctuation around it. */
  overheadBytes: number;
  type: GraphQLOutputType;
  valueIn: (parent: unknown) => unknown;
  /** The selections in its value. */
  selections: Selections;
}

/** Selection sets of fields with the same response name, with their fields per type of the value. */
interface Selections {
  sets: SelectionSetNode[];
  byType: Map<GraphQLObjectType, ResultField[]>;
}

/**
 * The size of a root field's result, key included. Walks the value as the execution will, so that no selection
 * can multiply objects unnoticed. Stops soon after the size exceeds `maxBytes`.
 */
function resultSize(
  value: unknown,
  type: GraphQLOutputType,
  { context, info, maxBytes }: { context: GatewayContext; info: GraphQLResolveInfo; maxBytes: number },
): ResultSize {
  let bytes = 0;
  let objects = 0;

  const addValue = (each: unknown, eachType: GraphQLOutputType, selections: Selections): void => {
    if (isNonNullType(eachType)) addValue(each, eachType.ofType, selections);
    else if (each === null || each === undefined || each instanceof Error) bytes += 4;
    else if (isListType(eachType)) addList(each, eachType.ofType, selections);
    else if (isLeafType(eachType)) bytes += jsonSize(each, maxBytes - bytes);
    else addObject(each, eachType, selections);
  };
  const addList = (list: unknown, elementType: GraphQLOutputType, selections: Selections): void => {
    bytes += 2;
    if (!Array.isArray(list)) return;
    for (const element of list as unknown[]) {
      addValue(element, elementType, selections);
      bytes += 1;
      if (bytes > maxBytes) return;
    }
  };
  const addObject = (object: unknown, objectType: GraphQLOutputType, selections: Selections): void => {
    const typeName =
      isAbstractType(objectType) && objectType.resolveType?.(object, context, info, objectType);
    const runtimeType = typeof typeName === 'string' ? info.schema.getType(typeName) : objectType;
    bytes += 2;
    objects += 1;
    if (!isObjectType(runtimeType)) return;
    for (const field of fieldsIn(selections, runtimeType)) {
      bytes += field.overheadBytes;
      addValue(field.valueIn(object), field.type, field.selections);
      if (bytes > maxBytes) return;
    }
  };
  const fieldsIn = (selections: Selections, objectType: GraphQLObjectType): ResultField[] => {
    let fields = selections.byType.get(objectType);
    if (!fields) {
      fields = collectFields(selections, objectType, { context, info });
      selections.byType.set(objectType, fields);
    }
    return fields;
  };

  addValue(value, type, selectionsOf(info.fieldNodes));
  bytes += responseName(info.fieldNodes[0] as FieldNode).length + 4;
  return { bytes, objects };
}

function selectionsOf(nodes: readonly FieldNode[]): Selections {
  return { sets: nodes.flatMap(({ selectionSet }) => selectionSet ?? []), byType: new Map() };
}

/** The fields of a type that are selected (GraphQL specification, section 6.3.2). */
function collectFields(
  { sets }: Selections,
  objectType: GraphQLObjectType,
  { context, info }: { context: GatewayContext; info: GraphQLResolveInfo },
): ResultField[] {
  const nodes = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const applies = (typeName: string) => {
    const type = info.schema.getType(typeName);
    return type === objectType || (isAbstractType(type) && info.schema.isSubType(type, objectType));
  };
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (isSkipped(selection, info.variableValues)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = responseName(selection);
        nodes.set(name, [...(nodes.get(name) ?? []), selection]);
        continue;
      }
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      if (!isInline && visited.has(selection.name.value)) continue;
      if (!isInline) visited.add(selection.name.value);
      const fragment = isInline ? selection : info.fragments[selection.name.value];
      const condition = fragment?.typeCondition?.name.value;
      if (fragment && (condition === undefined || applies(condition))) collect(fragment.selectionSet);
    }
  };
  sets.forEach(collect);
  return [...nodes].map(([name, fieldNodes]) => {
    const fieldName = (fieldNodes[0] as FieldNode).name.value;
    const { type, resolve } = objectType.getFields()[fieldName] ?? typenameField(objectType);
    return {
      overheadBytes: name.length + 4,
      type,
      valueIn: resolve
        ? (parent) => resolve(parent, {}, context, info)
        : (parent) => (parent as Readonly<Record<string, unknown>>)[fieldName],
      selections: selectionsOf(fieldNodes),
    };
  });
}

/** Valid documents select only the fields of a type and `__typename`. */
function typenameField({ name }: GraphQLObjectType): Pick<AnyField, 'type' | 'resolve'> {
  return { type: GraphQLString, resolve: () => name };
}
