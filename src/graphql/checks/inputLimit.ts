import { tooComplex } from './documentLimits.js';
import type { OperationCheck } from './operationCheck.js';
import { rawArguments } from './rootFields.js';

/** Maximum list elements and additional parameters: parsing 10,000 phone numbers took 136 ms of CPU. */
const MAX_ELEMENTS = 1000;

/** Maximum members of objects, unknown ones included, which cost less: they are only copied, printed and serialized. */
const MAX_MEMBERS = 10_000;

/** Deeper JSON is rejected by the rules for values, which do not look further either. */
const MAX_LEVELS = 101;

interface InputSize {
  elements: number;
  members: number;
}

/**
 * Rejects an operation with too much input before it is coerced. The input of all root fields counts, a variable as often
 * as they use it, because each use is parsed; variables that only skipped fields use count once, because they are coerced.
 */
export const limitInput: OperationCheck = ({ rootFields }, variables) => {
  const coerced: InputSize = { elements: 0, members: 0 };
  addSize(variables, coerced);
  const parsed: InputSize = { elements: 0, members: 0 };
  if (!isTooLarge(coerced))
    for (const field of rootFields(variables)) addSize(rawArguments(field, variables), parsed);
  const elements = Math.max(coerced.elements, parsed.elements);
  if (elements > MAX_ELEMENTS)
    return tooComplex(
      `Expected an operation of at most ${MAX_ELEMENTS} list elements and additional parameters, got more`,
    );
  const members = Math.max(coerced.members, parsed.members);
  if (members > MAX_MEMBERS)
    return tooComplex(`Expected an operation of at most ${MAX_MEMBERS} members of input objects, got more`);
  return undefined;
};

function isTooLarge({ elements, members }: InputSize): boolean {
  return elements > MAX_ELEMENTS || members > MAX_MEMBERS;
}

/** Adds the size of a value, until it is too large. */
function addSize(value: unknown, size: InputSize, levels = MAX_LEVELS): void {
  if (typeof value !== 'object' || value === null || levels === 0) return;
  if (Array.isArray(value)) {
    size.elements += value.length;
    if (isTooLarge(size)) return;
    for (const element of value) addSize(element, size, levels - 1);
    return;
  }
  for (const name in value) {
    size.members += 1;
    if (isTooLarge(size)) return;
    const member = (value as Record<string, unknown>)[name];
    if (name === 'additionalParameters') size.elements += countMembers(member);
    addSize(member, size, levels - 1);
  }
}

function countMembers(value: unknown): number {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).length : 0;
}
