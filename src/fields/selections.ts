/** The fields that an operation selects (GraphQL specification, section 6.3.2): one definition for checks, limits and fields. */
import { collectFields, collectSubFields } from '@graphql-tools/utils';
import {
  getNamedType,
  Kind,
  valueFromASTUntyped,
  visit,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { RestOperation } from '../freight/operations.js';
import type { InputError } from '../gatewayError.js';
import type { FieldSettings, GatewayContext } from './context.js';

export type Variables = Readonly<Record<string, unknown>>;

export type Fragments = Record<string, FragmentDefinitionNode>;

export function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = Object.create(null) as Fragments; // inherits no names
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  return fragments;
}

/** Whether the operation selects the field at this path from the object that a resolver returns, under whatever response names. */
export function isSelected(info: GraphQLResolveInfo, ...path: string[]): boolean {
  const { schema, fragments, variableValues } = info;
  let type = getNamedType(info.returnType) as GraphQLObjectType;
  let nodes = [...info.fieldNodes];
  for (const fieldName of path) {
    const { fields } = collectSubFields(schema, fragments, variableValues, type, nodes);
    nodes = [...fields.values()].flat().filter(({ name }) => name.value === fieldName);
    type = getNamedType(type.getFields()[fieldName]?.type) as GraphQLObjectType;
  }
  return nodes.length > 0;
}

/** The key of a field in the response. */
export function responseName({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
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

/**
 * The fields that the operation executes on its root type (GraphQL specification, section 6.3.2): skipped fields are left
 * out, a fragment counts once, and so do fields with the same response name. Without directives the variables can change only
 * the arguments, so the rest is collected once.
 */
export function createRootFields(
  schema: GraphQLSchema,
  { operation, selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  fragments: Fragments,
  hasDirectives: boolean,
) {
  const rootType = schema.getRootType(operation);
  const definitions = rootType?.getFields() ?? {};
  const collect = (variables: Variables): Omit<RootField, 'args'>[] => {
    if (!rootType) return [];
    // A condition without a value is neither true nor false, and keeps its field: coercion reports the variable.
    const conditions = Object.fromEntries(
      variableDefinitions.map(({ variable: { name } }) => [name.value, variables[name.value] ?? 'none']),
    );
    const { fields } = collectFields(schema, fragments, conditions, rootType, selectionSet);
    return [...fields].map(([key, collected]) => {
      const nodes = collected as [FieldNode]; // at least one
      const entry = definitions[nodes[0].name.value]?.extensions['entry']; // set where the schema is made
      return { key, nodes, entry: entry as FieldEntry | undefined };
    });
  };
  const fixedFields = hasDirectives ? undefined : collect({});
  const rootFields = (variables: Variables): RootField[] =>
    (fixedFields ?? collect(variables)).map((field) => ({
      ...field,
      args: rawArguments(field.nodes[0], variables),
    }));
  return { rootFields, fixedFields };
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
