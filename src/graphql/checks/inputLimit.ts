import { isValueNode, Kind, visit, type DocumentNode, type GraphQLError } from 'graphql';
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
export const limitInput: OperationCheck = ({ document, rootFields }, variables) => {
  const coerced: InputSize = { elements: 0, members: 0 };
  addSize(variables, coerced);
  if (isTooLarge(coerced)) return rejection(coerced);
  const { variableUses, literals } = argumentsOf(document);
  if (literals + variableUses * (coerced.elements + coerced.members) <= MAX_ELEMENTS) return undefined;
  const parsed: InputSize = { elements: 0, members: 0 };
  for (const field of rootFields(variables)) addSize(rawArguments(field, variables), parsed);
  return isTooLarge(parsed) ? rejection(parsed) : undefined;
};

function rejection({ elements }: InputSize): GraphQLError {
  return tooComplex(
    elements > MAX_ELEMENTS
      ? `Expected an operation of at most ${MAX_ELEMENTS} list elements and additional parameters, got more`
      : `Expected an operation of at most ${MAX_MEMBERS} members of input objects, got more`,
  );
}

interface DocumentArguments {
  /** How often the document uses variables. */
  variableUses: number;
  /** Values in the document, whatever they belong to. */
  literals: number;
}

const argumentsOfDocuments = new WeakMap<DocumentNode, DocumentArguments>();

/** Bounds the input of nearly every operation without looking at its arguments again. */
function argumentsOf(document: DocumentNode): DocumentArguments {
  const cached = argumentsOfDocuments.get(document);
  if (cached) return cached;
  const counts: DocumentArguments = { variableUses: 0, literals: 0 };
  visit(document, {
    enter(node) {
      if (node.kind === Kind.VARIABLE) counts.variableUses += 1;
      else if (isValueNode(node) || node.kind === Kind.ARGUMENT) counts.literals += 1;
    },
  });
  argumentsOfDocuments.set(document, counts);
  return counts;
}

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
