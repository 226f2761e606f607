/** Determines the root fields of an operation before it is executed. */
import {
  BREAK,
  Kind,
  valueFromASTUntyped,
  visit,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { FieldEntry } from '../fields/field.js';
import { collectFields, responseName, type Variables } from '../fields/selections.js';

/** Returns the fields that an operation executes on its root type with these variables. */
export type RootFields = (variables: Variables) => readonly FieldNode[];

/**
 * The fields that the operation executes on its root type (GraphQL specification, section 6.3.2): skipped fields are left
 * out, a fragment counts once, and so do fields with the same response name. Without directives the variables cannot
 * change them, so they are collected once.
 */
export function createRootFields(document: DocumentNode, definition: OperationDefinitionNode): RootFields {
  const isConditional = someNode(document, ({ kind }) => kind === Kind.DIRECTIVE);
  if (isConditional) return (variables) => collectRootFields(document, definition, variables);
  const fields = collectRootFields(document, definition, {});
  return () => fields;
}

/**
 * Creates a function that adds the default values of variables that a request does not define. The result inherits nothing: a
 * variable called `toString` that is not sent is missing.
 */
export function createVariableDefaults({
  variableDefinitions = [],
}: OperationDefinitionNode): (variables: Variables | undefined) => Variables {
  const defaults = Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
  return (variables) => ({ __proto__: null, ...defaults, ...variables });
}

/** Whether the predicate holds for any node of a document. */
export function someNode(document: DocumentNode, predicate: (node: ASTNode) => boolean): boolean {
  let isFound = false;
  visit(document, {
    enter(node) {
      isFound = predicate(node);
      return isFound ? BREAK : undefined;
    },
  });
  return isFound;
}

/** The fragments of a document by name. */
export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
}

function collectRootFields(
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variables: Variables,
): FieldNode[] {
  const fragments = fragmentsOf(document);
  const findFragment = (name: string) => fragments.get(name);
  const fields = collectFields([definition.selectionSet], { variables, findFragment, applies: () => true });
  return [...fields.values()].flatMap(([first]) => first ?? []);
}

/** The entry of a root field; undefined for introspection. */
export function entryOf(
  { schema, definition }: { schema: GraphQLSchema; definition: OperationDefinitionNode },
  { name }: FieldNode,
): FieldEntry | undefined {
  const field = schema.getRootType(definition.operation)?.getFields()[name.value];
  return field?.extensions['entry'] as FieldEntry | undefined; // set where the schema is made
}

/** Response key of the first root field in which a variable is used, not counting named fragments below it. */
export function fieldUsing(variable: string, fields: readonly FieldNode[]): string | undefined {
  const field = fields.find((each) => variablesIn(each).includes(variable));
  return field && responseName(field);
}

export function variablesIn(node: ASTNode): string[] {
  const names: string[] = [];
  visit(node, { [Kind.VARIABLE]: ({ name }) => void names.push(name.value) });
  return names;
}

/** The arguments of a field before coercion: types, enums and scalars are ignored. */
export function rawArguments({ arguments: nodes = [] }: FieldNode, variables: Variables) {
  return Object.fromEntries(
    nodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
  );
}
