/** Which operations a compiler may make code of. */
import {
  isValueNode,
  Kind,
  type ASTNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, someNode, rootFields } from '../checks/rootFields.js';

/** Fields at the most, those of a fragment counted wherever it is used: compiling them takes some 10 ms. */
const MAX_FIELDS = 50;
/** Characters of a name at the most: the code has the names on the way to each field several times. */
const MAX_NAME_LENGTH = 64;

/**
 * The operation of a valid document that has nothing which the compiler is known to treat in another way: conditions,
 * more than one operation or root field, questions about the schema and the graph around it, and names that JavaScript
 * takes for its own. Nor has it any value: what a caller wrote between quotes must not become a part of the code. It is
 * undefined for every other document, and for one that would be long in compiling.
 */
export function jitEligibleOperation(document: DocumentNode): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const [operation] = operations;
  if (operation === undefined || operations.length > 1) return undefined;
  const isEligible =
    !someNode(document, isUnsupportedByJit) &&
    rootFields(document, operation, {}).length === 1 &&
    countFields(document, operation) <= MAX_FIELDS;
  return isEligible ? operation : undefined;
}

function isUnsupportedByJit(node: ASTNode): boolean {
  if (node.kind === Kind.DIRECTIVE) return true;
  if (node.kind === Kind.NAME) return node.value in {} || node.value.length > MAX_NAME_LENGTH;
  if (node.kind === Kind.FIELD) return node.name.value.startsWith('_') && node.name.value !== '__typename';
  return isValueNode(node) && node.kind !== Kind.VARIABLE;
}

function countFields(document: DocumentNode, operation: OperationDefinitionNode): number {
  const fragments = fragmentsOf(document);
  const counts = new Map<string, number>(); // as fragments that use fragments twice are many in few words
  const countOf = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        const { kind, selectionSet } = selection;
        return sum + (kind === Kind.FIELD ? 1 : 0) + (selectionSet ? countOf(selectionSet) : 0);
      }
      const { value: name } = selection.name;
      const fragment = fragments.get(name);
      const count = counts.get(name) ?? (fragment ? countOf(fragment.selectionSet) : 0);
      counts.set(name, count);
      return sum + count;
    }, 0);
  return countOf(operation.selectionSet);
}
