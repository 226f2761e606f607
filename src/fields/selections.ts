/** What an operation selects (GraphQL specification, section 6.3.2): one definition for checks, limits and fields. */
import {
  getNamedType,
  isAbstractType,
  Kind,
  valueFromASTUntyped,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** The fields that selection sets select in one object, by response name. `applies` tells whether it has the type of a condition. */
export function collectFields(
  selectionSets: readonly SelectionSetNode[],
  {
    variables,
    findFragment,
    applies,
  }: {
    variables: Variables;
    findFragment: (name: string) => FragmentDefinitionNode | undefined;
    applies: (typeName: string) => boolean;
  },
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (isSkipped(selection, variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = responseName(selection);
        const nodes = fields.get(name);
        if (nodes) nodes.push(selection);
        else fields.set(name, [selection]);
        continue;
      }
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      if (!isInline && visited.has(selection.name.value)) continue;
      if (!isInline) visited.add(selection.name.value);
      const fragment = isInline ? selection : findFragment(selection.name.value);
      const condition = fragment?.typeCondition?.name.value;
      if (fragment && (condition === undefined || applies(condition))) collect(fragment.selectionSet);
    }
  };
  selectionSets.forEach(collect);
  return fields;
}

/** The fields of an object type that selection sets of the operation select, by response name. */
export function fieldsOfType(
  selectionSets: readonly SelectionSetNode[],
  objectType: GraphQLObjectType,
  { schema, fragments, variableValues }: GraphQLResolveInfo,
): Map<string, FieldNode[]> {
  return collectFields(selectionSets, {
    variables: variableValues,
    findFragment: (name) => fragments[name],
    applies(typeName) {
      const type = schema.getType(typeName);
      return type === objectType || (isAbstractType(type) && schema.isSubType(type, objectType));
    },
  });
}

/** Whether the operation selects this field of the object that a resolver returns, under whatever response name. */
export function isSelected(info: GraphQLResolveInfo, fieldName: string): boolean {
  return selectedNames(info).includes(fieldName);
}

/** The names of the fields that the operation selects of it. */
export function selectedNames(info: GraphQLResolveInfo): string[] {
  return selectionsOf(info).flatMap(([field]) => field?.name.value ?? []);
}

/** What the operation selects of the elements of a list, for each response name of the list in the object that a resolver returns. */
export function elementInfos(info: GraphQLResolveInfo, fieldName: string): GraphQLResolveInfo[] {
  const { type } = objectTypeOf(info).getFields()[fieldName] as GraphQLField<unknown, unknown>;
  const lists = selectionsOf(info).filter(([field]) => field?.name.value === fieldName);
  return lists.map((fieldNodes) => ({
    ...info,
    fieldNodes,
    returnType: getNamedType(type) as GraphQLObjectType,
  }));
}

function selectionsOf(info: GraphQLResolveInfo): FieldNode[][] {
  const selectionSets = info.fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  return [...fieldsOfType(selectionSets, objectTypeOf(info), info).values()];
}

function objectTypeOf({ returnType }: GraphQLResolveInfo): GraphQLObjectType {
  return getNamedType(returnType) as GraphQLObjectType;
}

/** The key of a field in the response. */
export function responseName({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** A condition that is not a boolean keeps its field: coercion reports the variable separately. */
function isSkipped({ directives = [] }: SelectionNode, variables: Variables): boolean {
  return directives.some(({ name, arguments: [condition] = [] }) => {
    const value = condition && valueFromASTUntyped(condition.value, variables);
    return (name.value === 'skip' && value === true) || (name.value === 'include' && value === false);
  });
}
