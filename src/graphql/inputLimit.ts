import { OperationTypeNode, type FieldNode, type GraphQLError } from 'graphql';
import { tooComplex } from './documentSize.js';
import type { OperationCheck } from './checks.js';
import { entryOf, rawArguments, type Variables } from './rootFields.js';

/** Maximum list elements and additional parameters: parsing 10,000 phone numbers took 136 ms of CPU. */
const MAX_ELEMENTS = 1000;

/** Maximum members of objects per element, unknown ones included: they cost less, being only copied, printed and serialized. */
const MAX_MEMBERS_PER_ELEMENT = 10;

/** Identifiers and representations that a router may send for each that is read: longer lists fail element by element. */
const MAX_ELEMENTS_PER_ENTITY = 10;

/** Deeper JSON is rejected by the rules for values, which do not look further either. */
const MAX_LEVELS = 101;

interface InputSize {
  elements: number;
  members: number;
}

/**
 * Rejects an operation with too much input before it is coerced. The input of all root fields counts, a variable as often
 * as they use it, because each use is parsed; variables that only skipped fields use count once, because they are coerced.
 * Where `maxEntities` is set, the fields of a query that read entities have a limit of their own.
 */
export function limitInput({ maxEntities = 0 }: { maxEntities?: number | undefined }): OperationCheck {
  const maxEntityElements = Math.max(MAX_ELEMENTS, MAX_ELEMENTS_PER_ENTITY * maxEntities);
  return (operation, variables) => {
    const isQuery = operation.definition.operation === OperationTypeNode.QUERY;
    const maxElements = isQuery ? maxEntityElements : MAX_ELEMENTS;
    const coerced: InputSize = { elements: 0, members: 0 };
    addSize(variables, coerced, maxElements);
    if (isTooLarge(coerced, maxElements)) return rejection(coerced, maxElements);
    const { variableUses, literals } = operation.size; // bounds nearly every operation without a look at its arguments
    if (literals + variableUses * (coerced.elements + coerced.members) <= MAX_ELEMENTS) return undefined;
    const fields = operation.rootFields(variables);
    const rejected = rejectFields(fields, variables, maxElements);
    if (rejected || maxElements === MAX_ELEMENTS) return rejected;
    const others = fields.filter((field) => !entryOf(operation, field)?.failsByElement);
    return rejectFields(others, variables, MAX_ELEMENTS);
  };
}

function rejectFields(
  fields: readonly FieldNode[],
  variables: Variables,
  maxElements: number,
): GraphQLError | undefined {
  const parsed: InputSize = { elements: 0, members: 0 };
  for (const field of fields) addSize(rawArguments(field, variables), parsed, maxElements);
  return isTooLarge(parsed, maxElements) ? rejection(parsed, maxElements) : undefined;
}

function rejection({ elements }: InputSize, maxElements: number): GraphQLError {
  return tooComplex(
    elements > maxElements
      ? `Expected an operation of at most ${maxElements} list elements and additional parameters, got more`
      : `Expected an operation of at most ${maxElements * MAX_MEMBERS_PER_ELEMENT} members of input objects, got more`,
  );
}

function isTooLarge({ elements, members }: InputSize, maxElements: number): boolean {
  return elements > maxElements || members > maxElements * MAX_MEMBERS_PER_ELEMENT;
}

/** Adds the size of a value, until it is too large. */
function addSize(value: unknown, size: InputSize, maxElements: number, levels = MAX_LEVELS): void {
  if (typeof value !== 'object' || value === null || levels === 0) return;
  if (Array.isArray(value)) {
    size.elements += value.length;
    if (isTooLarge(size, maxElements)) return;
    for (const element of value) addSize(element, size, maxElements, levels - 1);
    return;
  }
  for (const name in value) {
    size.members += 1;
    if (isTooLarge(size, maxElements)) return;
    const member = (value as Record<string, unknown>)[name];
    if (name === 'additionalParameters') size.elements += countMembers(member);
    addSize(member, size, maxElements, levels - 1);
  }
}

function countMembers(value: unknown): number {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).length : 0;
}
