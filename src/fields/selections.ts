/** The fields that an operation selects (GraphQL specification, section 6.3.2): one definition for checks, limits and fields. */
import {
  getNamedType,
  isAbstractType,
  Kind,
  valueFromASTUntyped,
  visit,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { RestOperation } from '../freight/operations.js';
import type { InputError } from '../gatewayError.js';
import type { FieldSettings, GatewayContext } from './context.js';

export type Variables = Readonly<Record<string, unknown>>;

export type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

/** The fields that selection sets select in one object, by response name. `applies` tells whether a type condition fits the object. */
function collectFields(
  selectionSets: readonly SelectionSetNode[],
  {
    variables,
    findFragment,
    applies,
  }: {
    variables: Variables;
    findFragment: FindFragment;
    applies: (typeName: string) => boolean;
  },
): Map<string, [FieldNode, ...FieldNode[]]> {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
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

/** Whether the operation selects this field of the object that a resolver returns, under whatever response name. */
export function isSelected(info: GraphQLResolveInfo, fieldName: string): boolean {
  return selectionsOf(info).some(([field]) => field.name.value === fieldName);
}

/** The `info` of a list's elements, for each response name of the list in the object that a resolver returns. */
export function elementInfos(info: GraphQLResolveInfo, fieldName: string): GraphQLResolveInfo[] {
  const { type } = objectTypeOf(info).getFields()[fieldName] as GraphQLField<unknown, unknown>;
  const lists = selectionsOf(info).filter(([field]) => field.name.value === fieldName);
  return lists.map((fieldNodes) => ({
    ...info,
    fieldNodes,
    returnType: getNamedType(type) as GraphQLObjectType,
  }));
}

function selectionsOf(info: GraphQLResolveInfo) {
  const { schema, fragments, variableValues: variables } = info;
  const objectType = objectTypeOf(info);
  const fields = collectFields(
    info.fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    {
      variables,
      findFragment: (name) => fragments[name],
      applies(typeName) {
        const type = schema.getType(typeName);
        return type === objectType || (isAbstractType(type) && schema.isSubType(type, objectType));
      },
    },
  );
  return [...fields.values()];
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

/** The entry of a root field, as the checks and the formatter of errors see it. */
export interface FieldEntry {
  /** The REST operation that the field calls, whose token it requires; undefined if it calls none, or if each element checks the token. */
  readonly operation: RestOperation<never, unknown> | undefined;
  /** Whether each element of the field's list fails alone: without a token, or beyond the limit on reads. */
  readonly failsByElement: boolean;
  /** The identifiers that the field reads; an operation reads each distinct one once. */
  reads(raw: RawArguments): readonly unknown[];
  /** How many other REST calls the field makes at most; calls of items do not count. */
  restCalls(raw: RawArguments): number;
  /** Counts the items of a bulk field. */
  readonly items?: (raw: RawArguments) => number;
  /** Every violation in arguments that GraphQL has coerced. */
  validate(args: object, settings: FieldSettings): InputError[];
  resolve(parent: unknown, args: object, context: GatewayContext, info: GraphQLResolveInfo): unknown;
}

/** Arguments before coercion: values of any type, with any name that the document uses. */
export type RawArguments = Readonly<Record<string, unknown>>;

/** A field that an operation executes on its root type. */
export interface RootField {
  /** The response name. */
  readonly key: string;
  /** All nodes with that name; they have the same arguments (GraphQL specification, section 5.3.2). */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  /** Undefined for introspection. */
  readonly entry: FieldEntry | undefined;
  /** Before coercion: types, enums and scalars are ignored. */
  readonly args: RawArguments;
}

/** Returns the fields that an operation executes on its root type with these variables. */
export type RootFields = (variables: Variables) => readonly RootField[];

/** The part of a root field that does not depend on variables. */
export type FixedField = Omit<RootField, 'args'>;

/**
 * The fields that the operation executes on its root type (GraphQL specification, section 6.3.2): skipped fields are left
 * out, a fragment counts once, and so do fields with the same response name. Without directives the variables can change only
 * the arguments, so the rest is collected once.
 */
export function createRootFields(
  schema: GraphQLSchema,
  definition: OperationDefinitionNode,
  { findFragment, hasDirectives }: { findFragment: FindFragment; hasDirectives: boolean },
): { rootFields: RootFields; fixedFields: readonly FixedField[] | undefined } {
  const definitions = schema.getRootType(definition.operation)?.getFields() ?? {};
  const collect = (variables: Variables): FixedField[] =>
    selectedRootFields(definition, findFragment, variables).map(([key, nodes]) => {
      const entry = definitions[nodes[0].name.value]?.extensions['entry']; // set where the schema is made
      return { key, nodes, entry: entry as FieldEntry | undefined };
    });
  const fixedFields = hasDirectives ? undefined : collect({});
  const rootFields: RootFields = (variables) =>
    (fixedFields ?? collect(variables)).map((field) => ({
      ...field,
      args: rawArguments(field.nodes[0], variables),
    }));
  return { rootFields, fixedFields };
}

/** Finds the fragments of a document. */
export function fragmentsOf(document: DocumentNode): FindFragment {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  return (name) => fragments.get(name);
}

/** The nodes of each field on the root type, by response name. */
export function selectedRootFields(
  { selectionSet }: OperationDefinitionNode,
  findFragment: FindFragment,
  variables: Variables,
) {
  return [...collectFields([selectionSet], { variables, findFragment, applies: () => true })];
}

/** Response key of the first root field in which a variable is used, not counting named fragments below it. */
export function fieldUsing(variable: string, fields: readonly RootField[]): string | undefined {
  return fields.find(({ nodes: [node] }) => variablesIn(node).includes(variable))?.key;
}

export function variablesIn(node: ASTNode): string[] {
  const names: string[] = [];
  visit(node, { [Kind.VARIABLE]: ({ name }) => void names.push(name.value) });
  return names;
}

function rawArguments({ arguments: nodes = [] }: FieldNode, variables: Variables) {
  return Object.fromEntries(
    nodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
  );
}
