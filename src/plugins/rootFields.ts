/** The root fields of an operation before it is executed. */
import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** The variables as they came, with the defaults of those that did not come. */
export function withDefaults(operation: OperationDefinitionNode, variables: Variables = {}): Variables {
  const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...variables };
}

/** The fields that the operation selects on its root type, those within fragments included, those skipped left out. */
export function rootFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): FieldNode[] {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  const fieldsOf = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (isSkipped(selection, variables)) return [];
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      return fragment ? fieldsOf(fragment.selectionSet) : [];
    });
  return fieldsOf(operation.selectionSet);
}

/** The arguments of a field as plain values: types, enums and scalars are not looked at. */
export function plainArguments(
  { arguments: nodes = [] }: FieldNode,
  variables: Variables,
): Record<string, unknown> {
  return Object.fromEntries(
    nodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
  );
}

/** A condition that is not a boolean leaves its field in: the variable is an error of its own. */
function isSkipped(selection: SelectionNode, variables: Variables): boolean {
  try {
    const { if: skip } = getDirectiveValues(GraphQLSkipDirective, selection, variables) ?? {};
    const { if: include } = getDirectiveValues(GraphQLIncludeDirective, selection, variables) ?? {};
    return skip === true || include === false;
  } catch {
    return false;
  }
}
