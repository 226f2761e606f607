/** Size of the result of a root field, determined from the value that its resolver returns, before the result is built. */
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
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type SelectionSetNode,
} from 'graphql';
import type { GatewayContext } from '../../fields/context.js';
import { jsonSize } from '../../domain/json.js';
import { isSkipped, responseName } from '../rootFields.js';

export interface ResultSize {
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
export function resultSize(
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
