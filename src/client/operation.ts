/** Tells the retry link and the retry exchange whether an operation may be repeated, and with which key. */
import { createIdempotencyKey, settles } from './intent.js';
import { resultOf } from './result.js';
import { objectOf } from './source.js';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** An error with the name of a `DOMException`, which React Native lacks. */
export function namedError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/** A node of a parsed document, as far as it is looked at: graphql 16 and 17 and the parser of urql have types of their own. */
interface Node {
  readonly kind: string;
  readonly name?: { readonly value: string } | undefined;
  readonly alias?: { readonly value: string } | undefined;
  readonly operation?: string;
  readonly selectionSet?: { readonly selections: readonly Node[] } | undefined;
  readonly arguments?: readonly Node[] | undefined;
  /** A node for an argument or a member of an object; the text of a literal. */
  readonly value?: unknown;
  readonly values?: readonly Node[];
  readonly fields?: readonly Node[];
}

export interface Document {
  readonly definitions: readonly Node[];
}

/** How an operation may be repeated. */
export interface RepeatPolicy {
  readonly isMutation: boolean;
  /** Response key of the only field of a mutation. */
  readonly field: string | undefined;
  /** Whether its only field has the argument `items`: a bulk field, whose items have keys of their own. */
  readonly isBulk: boolean;
  /** The key for the header of every attempt; undefined if there must be none. */
  readonly key: string | undefined;
  /** Whether a repeat cannot write twice. */
  readonly hasKey: boolean;
}

/**
 * Creates the key of a mutation with one field. There is none for any other operation: the gateway rejects the header on a mutation with
 * several fields, and on a bulk field. Where a field has the argument `idempotencyKey`, the gateway takes that and ignores the header.
 */
export function createRepeatPolicy(
  document: Document,
  variables: unknown,
  createsKeys: boolean,
  operationName?: string,
): RepeatPolicy {
  const operation = document.definitions.find(
    ({ kind, name }) =>
      kind === 'OperationDefinition' && (operationName === undefined || name?.value === operationName),
  );
  const isMutation = operation?.operation === 'mutation';
  const [field, ...others] = isMutation ? fieldsOf(document, operation) : [];
  const isSingle = field !== undefined && others.length === 0;
  const items = field?.arguments?.find(({ name }) => name?.value === 'items');
  const isBulk = isSingle && items !== undefined;
  const key = createsKeys && isSingle && !isBulk ? createIdempotencyKey() : undefined;
  const hasKey = key !== undefined || (isBulk && everyItemHasKey(valueOf(items.value, variables)));
  const responseKey = isSingle ? (field.alias ?? field.name)?.value : undefined;
  return { isMutation, field: responseKey, isBulk, key, hasKey };
}

/**
 * Takes the end of each attempt, and returns the one that says most: after an attempt of unknown outcome, one that was not sent, because of a
 * rate limit for example, does not say what became of the write.
 */
export function createEnding<End extends object>(
  field: RepeatPolicy['field'],
): (end: End, source: unknown) => End {
  let unknown: End | undefined;
  return (end, source) => {
    if (field === undefined) return end;
    const result = resultOf(source, field);
    if (unknown && !settles(result, 'UNKNOWN')) return unknown;
    unknown = result.outcome === 'UNKNOWN' ? end : undefined;
    return end;
  };
}

/** Fields that `@skip` and `@include` leave out count, too. */
function fieldsOf(document: Document, { selectionSet }: Node): Node[] {
  return (selectionSet?.selections ?? []).flatMap((selection) => {
    const { kind, name } = selection;
    if (kind === 'Field') return name?.value === '__typename' ? [] : [selection];
    const fragment =
      kind === 'FragmentSpread'
        ? document.definitions.find(
            (definition) =>
              definition.kind === 'FragmentDefinition' && definition.name?.value === name?.value,
          )
        : selection;
    return fragment ? fieldsOf(document, fragment) : [];
  });
}

function everyItemHasKey(items: unknown): boolean {
  return Array.isArray(items) && items.every((item) => objectOf(item)['idempotencyKey'] != null);
}

/** The value of an argument; literals that have no parts are their texts. */
function valueOf(node: unknown, variables: unknown): unknown {
  const { kind, name, value, values, fields } = node as Node;
  if (kind === 'Variable') return objectOf(variables)[name?.value ?? ''];
  if (kind === 'NullValue') return null;
  if (values) return values.map((element) => valueOf(element, variables));
  if (!fields) return value;
  return Object.fromEntries(fields.map((field) => [field.name?.value, valueOf(field.value, variables)]));
}
