/** Which operations may be compiled. */
import {
  isValueNode,
  Kind,
  type ASTNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { createRootFields, fragmentsOf, someNode } from '../rootFields.js';

/** Maximum fields, those of a fragment counted at each use: compiling this many takes about 10 ms. */
const MAX_FIELDS = 50;
/** Maximum characters of a name: the code repeats the names on the path to each field. */
const MAX_NAME_LENGTH = 64;

/**
 * The operation of a valid document, if compiled code behaves exactly like graphql-js. Excluded are conditions,
 * multiple operations or root fields, introspection and federation fields, long operations, and names found on
 * Object.prototype. Literals are excluded as well: client text must never become generated code.
 */
export function jitEligibleOperation(document: DocumentNode): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const [operation] = operations;
  if (operation === undefined || operations.length > 1) return undefined;
  const isEligible =
    !someNode(document, isUnsupportedByJit) &&
    createRootFields(document, operation)({}).length === 1 &&
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
  const counts = new Map<string, number>(); // nested spreads would otherwise be walked exponentially often
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
