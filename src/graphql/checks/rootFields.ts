/** The root fields of an operation before it is executed. */
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
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** The variables as they came, with the defaults of those that did not come. */
export function withDefaults(operation: OperationDefinitionNode, variables: Variables = {}): Variables {
  const { variableDefinitions = [] } = operation;
  if (!variableDefinitions.some(({ defaultValue }) => defaultValue)) return variables;
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...variables };
}

/** Root fields of operations that have no conditions, so that they are the same each time. */
const unconditional = new WeakMap<OperationDefinitionNode, readonly FieldNode[]>();

/**
 * The fields that the operation executes on its root type (GraphQL specification, section 6.3.2): those that are
 * skipped are left out, a fragment counts once, and so do fields of one response name.
 */
export function rootFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): readonly FieldNode[] {
  const known = unconditional.get(operation);
  if (known) return known;
  const fields = collectRootFields(document, operation, variables);
  if (!someNode(document, ({ kind }) => kind === Kind.DIRECTIVE)) unconditional.set(operation, fields);
  return fields;
}

/** Whether any node of a document is one of these. */
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

/** The fragments of a document by their names. */
export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
}

function collectRootFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): FieldNode[] {
  const fragments = fragmentsOf(document);
  const fields = new Map<string, FieldNode>();
  const collect = ({ selections }: SelectionSetNode) => {
    for (const selection of selections) {
      if (isSkipped(selection, variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = responseName(selection);
        if (!fields.has(name)) fields.set(name, selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else {
        const fragment = fragments.get(selection.name.value);
        fragments.delete(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  return [...fields.values()];
}

/** The name of a field in the answer. */
export function responseName({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** The arguments of a field as plain values: types, enums and scalars are not looked at. */
export function rawArguments(
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
