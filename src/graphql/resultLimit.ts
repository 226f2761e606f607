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
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { jsonSize } from '../domain/json.js';
import type { GatewayContext } from '../fields/context.js';
import type { FieldEntry } from '../fields/field.js';
import { fieldsOfType, responseName } from '../fields/selections.js';
import { MAX_UNREADABLE } from '../freight/notificationBodies.js';
import { UNCOUNTED_BYTES, type MemoryShare } from '../transport/memoryBudget.js';
import { ServiceError } from '../transport/serviceError.js';
import { operationSize, type OperationSize } from './documentSize.js';

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
/** Fewer bytes than any notification of the service has that can be read. */
const MIN_OBJECT_BYTES = 100;
const TYPICAL_OBJECT_BYTES = 400;

/**
 * Has every root field check its value before execution builds a result from it: aliases can multiply one large response, and the objects
 * of a result take several times the memory of its text. A field whose result does not fit fails alone. Bulk fields do so for each item.
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
      if (!isSmall(context, info, options)) admitResult(settled, { ...options, context, info });
      return settled;
    };
    return value instanceof Promise ? value.then(admit) : admit(value);
  };
}

export interface Admission extends ResultLimitOptions {
  context: GatewayContext;
  info: GraphQLResolveInfo;
}

/** Nearly every result is too small for either limit, whatever it selects. */
function isSmall(context: GatewayContext, info: GraphQLResolveInfo, options: ResultLimitOptions): boolean {
  const { memory } = context.client;
  const bounds = sizeOf(info);
  return isWithinLimit(memory, bounds, options) && estimatedSize(memory, bounds) <= UNCOUNTED_BYTES;
}

function isWithinLimit(
  { bodyBytes, resultBytes }: MemoryShare,
  { repetitions, keyBytes }: OperationSize,
  { maxResultBytes, maxBodyBytes }: ResultLimitOptions,
): boolean {
  const maxValues = (bodyBytes + maxBodyBytes) * repetitions * MAX_EXPANSION;
  const maxKeys = keyBytes * (1 + MAX_UNREADABLE + bodyBytes / MIN_OBJECT_BYTES);
  return resultBytes + maxValues + maxKeys <= maxResultBytes;
}

function estimatedSize({ bodyBytes }: MemoryShare, { repetitions, keyBytes }: OperationSize): number {
  return bodyBytes * repetitions + Math.ceil(keyBytes * (1 + bodyBytes / TYPICAL_OBJECT_BYTES));
}

function admitResult(value: unknown, admission: Admission): void {
  const { memory } = admission.context.client;
  const bounds = sizeOf(admission.info);
  const isBounded = hasOneRoot(admission.info) && isWithinLimit(memory, bounds, admission);
  if (isBounded) reserve({ bytes: estimatedSize(memory, bounds), objects: 0 }, admission);
  else admitMeasured(value, admission);
}

/** Admits a value whose size the bodies of requests and responses do not bound. Throws a ServiceError if it does not fit. */
export function admitMeasured(value: unknown, admission: Admission): void {
  reserve(measure(value, admission), admission);
}

/** What a result takes. */
export interface ResultSize {
  /** Bytes of its JSON text in UTF-8, with phone numbers as the service writes them, and a comma after each member. */
  bytes: number;
  objects: number;
  /** Leaf values and nulls, each of which is written at the cost of some bytes. */
  values: number;
}

/** Measures elements of a list, under all names by which it is selected. */
export function createElementMeasure({
  infos,
  ...admission
}: Omit<Admission, 'info'> & { infos: readonly GraphQLResolveInfo[] }): (element: object) => ResultSize {
  const lists = infos.map((info) => ({ info, selections: selectionsOf(info.fieldNodes) }));
  return (element) => {
    const sizes = lists.map(({ info, selections }) => measure(element, { ...admission, info }, selections));
    return {
      bytes: sum(sizes, 'bytes'),
      objects: sum(sizes, 'objects'),
      values: sum(sizes, 'values'),
    };
  };
}

function sum(sizes: readonly ResultSize[], unit: keyof ResultSize): number {
  return sizes.reduce((total, size) => total + size[unit], 0);
}

function measure(
  value: unknown,
  { context, info, maxResultBytes }: Admission,
  selections = selectionsOf(info.fieldNodes),
): ResultSize {
  const maxBytes = maxResultBytes - context.client.memory.resultBytes;
  return resultSize(value, selections, { context, info, maxBytes });
}

/** Until the response is written, it takes at least `keptBytes` of memory, whatever is selected. Throws a ServiceError if it does not fit. */
export function reserve(
  { bytes, objects }: Omit<ResultSize, 'values'>,
  { context, maxResultBytes }: Omit<Admission, 'info'>,
  keptBytes = 0,
): void {
  const { memory } = context.client;
  if (bytes > maxResultBytes - memory.resultBytes) {
    throw new ServiceError('resultTooLarge', {
      message: `Expected a result of at most ${maxResultBytes} bytes, got more: select fewer fields`,
    });
  }
  memory.addResult(bytes, Math.max(bytes + OBJECT_BYTES * objects, keptBytes));
}

function hasOneRoot({ operation: { selectionSet } }: GraphQLResolveInfo): boolean {
  const [root, ...others] = selectionSet.selections;
  return root?.kind === Kind.FIELD && others.length === 0;
}

function sizeOf({ operation, fragments }: GraphQLResolveInfo): OperationSize {
  return operationSize(operation, (name) => fragments[name]);
}

type AnyField = GraphQLField<unknown, GatewayContext>;

interface ResultField {
  /** Bytes of its key and of the punctuation around it. */
  overheadBytes: number;
  shape: Shape;
  valueIn: (parent: unknown) => unknown;
  /** The selections in its value. */
  selections: Selections;
}

/** Selection sets of fields with the same response name, with their fields per type of the value. */
interface Selections {
  sets: SelectionSetNode[];
  byType: Map<GraphQLObjectType, ResultField[]>;
}

/** What a type is, looked up once for all values. Nullability does not change the size. */
type Shape =
  | { kind: 'leaf' }
  | { kind: 'list'; element: Shape }
  | { kind: 'object'; type: GraphQLObjectType | GraphQLAbstractType };

function shapeOf(type: GraphQLOutputType): Shape {
  if (isNonNullType(type)) return shapeOf(type.ofType);
  if (isListType(type)) return { kind: 'list', element: shapeOf(type.ofType) };
  return isLeafType(type) ? { kind: 'leaf' } : { kind: 'object', type };
}

/**
 * The size of a root field's result, key included. Walks the value as the execution will, so that no selection
 * can multiply objects unnoticed. Stops soon after the size exceeds `maxBytes`.
 */
function resultSize(
  value: unknown,
  rootSelections: Selections,
  { context, info, maxBytes }: { context: GatewayContext; info: GraphQLResolveInfo; maxBytes: number },
): ResultSize {
  let bytes = 0;
  let objects = 0;
  let values = 0;

  const addValue = (each: unknown, shape: Shape, selections: Selections): void => {
    if (each === null || each === undefined || each instanceof Error) addLeaf(4);
    else if (shape.kind === 'list') addList(each, shape.element, selections);
    else if (shape.kind === 'leaf') addLeaf(jsonSize(each, maxBytes - bytes));
    else addObject(each, shape.type, selections);
  };
  const addLeaf = (size: number): void => {
    bytes += size;
    values += 1;
  };
  const addList = (list: unknown, elementShape: Shape, selections: Selections): void => {
    bytes += 2;
    if (!Array.isArray(list)) return;
    for (const element of list as unknown[]) {
      addValue(element, elementShape, selections);
      bytes += 1;
      if (bytes > maxBytes) return;
    }
  };
  const addObject = (
    object: unknown,
    type: GraphQLObjectType | GraphQLAbstractType,
    selections: Selections,
  ): void => {
    const typeName = isAbstractType(type) && type.resolveType?.(object, context, info, type);
    const runtimeType = typeof typeName === 'string' ? info.schema.getType(typeName) : type;
    bytes += 2;
    objects += 1;
    if (!isObjectType(runtimeType)) return;
    for (const field of fieldsIn(selections, runtimeType)) {
      bytes += field.overheadBytes;
      addValue(field.valueIn(object), field.shape, field.selections);
      if (bytes > maxBytes) return;
    }
  };
  const fieldsIn = (selections: Selections, objectType: GraphQLObjectType): ResultField[] => {
    let fields = selections.byType.get(objectType);
    if (!fields) {
      fields = fieldsOf(selections, objectType, { context, info });
      selections.byType.set(objectType, fields);
    }
    return fields;
  };

  addValue(value, shapeOf(info.returnType), rootSelections);
  bytes += responseName(info.fieldNodes[0] as FieldNode).length + 4;
  return { bytes, objects, values };
}

function selectionsOf(nodes: readonly FieldNode[]): Selections {
  return { sets: nodes.flatMap(({ selectionSet }) => selectionSet ?? []), byType: new Map() };
}

/** The fields of a type that are selected. */
function fieldsOf(
  { sets }: Selections,
  objectType: GraphQLObjectType,
  { context, info }: { context: GatewayContext; info: GraphQLResolveInfo },
): ResultField[] {
  return [...fieldsOfType(sets, objectType, info)].map(([name, fieldNodes]) => {
    const fieldName = (fieldNodes[0] as FieldNode).name.value;
    const { type, resolve } = objectType.getFields()[fieldName] ?? typenameField(objectType);
    return {
      overheadBytes: name.length + 4,
      shape: shapeOf(type),
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
