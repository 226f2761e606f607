/** Determines the root fields of an operation before it is executed. */
import {
  BREAK,
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  valueFromASTUntyped,
  visit,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { FieldEntry } from '../fields/field.js';

export type Variables = Readonly<Record<string, unknown>>;

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

/** Creates a function that adds the default values of variables that a request does not define. */
export function createVariableDefaults({
  variableDefinitions = [],
}: OperationDefinitionNode): (variables: Variables | undefined) => Variables {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  if (defaults.length === 0) return (variables = {}) => variables;
  return (variables) => ({ ...Object.fromEntries(defaults), ...variables });
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

/**
 * The fields that selection sets select in one object, by response name (GraphQL specification, section 6.3.2). `applies` tells
 * whether the object has the type of a condition.
 */
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

/** The entry of a root field; undefined for introspection. */
export function entryOf(
  { schema, definition }: { schema: GraphQLSchema; definition: OperationDefinitionNode },
  { name }: FieldNode,
): FieldEntry | undefined {
  const field = schema.getRootType(definition.operation)?.getFields()[name.value];
  return field?.extensions['entry'] as FieldEntry | undefined; // set where the schema is made
}

/** The key of a field in the response. */
export function responseName({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
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
export function rawArguments(
  { arguments: nodes = [] }: FieldNode,
  variables: Variables,
): Record<string, unknown> {
  return Object.fromEntries(
    nodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
  );
}

/** A condition that is not a boolean keeps its field: coercion reports the variable separately. */
function isSkipped(selection: SelectionNode, variables: Variables): boolean {
  try {
    const { if: skip } = getDirectiveValues(GraphQLSkipDirective, selection, variables) ?? {};
    const { if: include } = getDirectiveValues(GraphQLIncludeDirective, selection, variables) ?? {};
    return skip === true || include === false;
  } catch {
    return false;
  }
}
