/** The size of an operation, with the content of a fragment counted as often as the fragment is spread. */
import {
  Kind,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export interface OperationSize {
  /** Nesting of fields. That of `__schema` counts as one level: graphql-js limits it (MaxIntrospectionDepthRule). */
  depth: number;
  aliases: number;
  /** Directives on the operation, its variables, selections and fragments. */
  directives: number;
}

/**
 * Creates a function that measures operations of a document that may be invalid: unknown fragments have no size, and a
 * fragment within itself is counted once. Each fragment is measured once, because a chain of fragments that spread the
 * next one twice would take exponential time.
 */
export function createOperationMeasure(
  findFragment: (name: string) => FragmentDefinitionNode | null | undefined,
): (operation: OperationDefinitionNode) => OperationSize {
  const fragmentSizes = new Map<string, OperationSize>();

  const sizeOfFragment = (name: string): OperationSize => {
    const cached = fragmentSizes.get(name);
    if (cached) return cached;
    fragmentSizes.set(name, emptySize);
    const fragment = findFragment(name);
    const size = fragment
      ? withDirectives(sizeOfSelections(fragment.selectionSet), fragment.directives)
      : emptySize;
    fragmentSizes.set(name, size);
    return size;
  };

  const sizeOf = (selection: SelectionNode): OperationSize => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return sizeOfFragment(selection.name.value);
    const { depth, aliases, directives } = sizeOfSelections(selection.selectionSet);
    if (selection.kind === Kind.INLINE_FRAGMENT) return { depth, aliases, directives };
    return {
      depth: selection.name.value === '__schema' ? 1 : depth + 1,
      aliases: aliases + (selection.alias ? 1 : 0),
      directives,
    };
  };

  const sizeOfSelections = (selectionSet: SelectionSetNode | undefined): OperationSize => {
    const total = { ...emptySize };
    for (const selection of selectionSet?.selections ?? []) {
      const { depth, aliases, directives } = withDirectives(sizeOf(selection), selection.directives);
      total.depth = Math.max(total.depth, depth);
      total.aliases += aliases;
      total.directives += directives;
    }
    return total;
  };

  return ({ selectionSet, directives, variableDefinitions = [] }) => {
    const onVariables = variableDefinitions.flatMap((variable) => variable.directives ?? []);
    return withDirectives(sizeOfSelections(selectionSet), [...(directives ?? []), ...onVariables]);
  };
}

const emptySize: OperationSize = { depth: 0, aliases: 0, directives: 0 };

function withDirectives(size: OperationSize, directives: readonly unknown[] = []): OperationSize {
  return directives.length === 0 ? size : { ...size, directives: size.directives + directives.length };
}
