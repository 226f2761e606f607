/** Idempotency keys, with which `apolloRetryLink.ts` and `urqlRetryExchange.ts` can repeat a mutation whose response was lost. */
import { getOperationAST, Kind, OperationTypeNode } from 'graphql';
import type { DocumentNode, FieldNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/**
 * A new key for a mutation with one field, and undefined for any other operation: the gateway rejects the header on a mutation with
 * several fields, and on a bulk field, each of whose `items` has its own key. Where a field has the argument `idempotencyKey`, the
 * gateway takes that and ignores the header.
 */
export function createIdempotencyKey(document: DocumentNode): string | undefined {
  const operation = getOperationAST(document);
  if (operation?.operation !== OperationTypeNode.MUTATION) return undefined;
  const [field, ...others] = fieldsOf(document, operation.selectionSet);
  const isBulk = field?.arguments?.some(({ name }) => name.value === 'items');
  return field && !isBulk && others.length === 0 ? createUuid() : undefined;
}

/** Fields that `@skip` and `@include` leave out count, too. */
function fieldsOf(document: DocumentNode, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection.name.value === '__typename' ? [] : [selection];
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : document.definitions.find(
            (definition): definition is FragmentDefinitionNode =>
              definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
          );
    return fragment ? fieldsOf(document, fragment.selectionSet) : [];
  });
}

/** A UUID of version 7 (RFC 9562 section 5.7). crypto.randomUUID() makes version 4, and only on pages served over HTTPS. */
function createUuid(): string {
  const random = new DataView(crypto.getRandomValues(new Uint8Array(10)).buffer);
  random.setUint16(0, (random.getUint16(0) & 0x0fff) | 0x7000); // version
  random.setUint16(2, (random.getUint16(2) & 0x3fff) | 0x8000); // variant
  const time = Date.now().toString(16).padStart(12, '0');
  const hex = Array.from(new Uint8Array(random.buffer), (byte) => byte.toString(16).padStart(2, '0'));
  return (time + hex.join('')).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
