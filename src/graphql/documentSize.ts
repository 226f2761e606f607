/** The size of documents, measured in one walk, and the limits that are enforced before one is parsed and while it is validated. */
import {
  GraphQLError,
  Kind,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';
import { GatewayError } from '../gatewayError.js';
import type { ResultSize } from '../fields/context.js';
import { responseName, variablesIn, type FindFragment } from '../fields/selections.js';

export interface DocumentLimits {
  maxTokens: number;
  /** Maximum aliases of an operation. A fragment counts at each spread. */
  maxAliases: number;
  /** Maximum directives of an operation. A fragment counts at each spread. */
  maxDirectives: number;
}

/**
 * Validation stops after this many errors: locating one costs more than detecting it. Scanners that send ten unknown
 * directives take ten errors as proof that there is no limit.
 */
const MAX_VALIDATION_ERRORS = 5;

/**
 * The options with which Apollo Server rejects documents that exceed the limits. Depth needs none: the types of the schema have no
 * cycle, and graphql-js limits how deeply introspection may be nested (MaxIntrospectionDepthRule).
 */
export function documentLimits(limits: DocumentLimits) {
  return {
    parseOptions: { maxLexicalTokens: limits.maxTokens },
    validationOptions: { maxErrors: MAX_VALIDATION_ERRORS },
    validationRules: [limitOperationSize(limits)],
  };
}

function limitOperationSize({ maxAliases, maxDirectives }: DocumentLimits): ValidationRule {
  return (context) => {
    const limits = [
      ['aliases', maxAliases],
      ['directives', maxDirectives],
    ] as const;
    return {
      OperationDefinition(operation) {
        const size = operationSize(operation, (name) => context.getFragment(name));
        for (const [unit, max] of limits) {
          const count = size[unit];
          if (count <= max) continue;
          // Counts of fragments that spread others many times have dozens of digits.
          const actual = count > 1_000_000 ? 'more than a million' : count;
          const originalError = tooComplex(`Expected at most ${max} ${unit}, got ${actual}`);
          context.reportError(new GraphQLError(originalError.message, { originalError }));
        }
      },
    };
  };
}

export function tooComplex(message: string): GatewayError {
  return new GatewayError('operationTooComplex', { message });
}

const nothing = {
  fields: 0,
  aliases: 0,
  /** Directives on the operation, its variables, its selections and fragments. */
  directives: 0,
  /** How often arguments use a variable. */
  variableUses: 0,
  keyBytes: 0,
  /** The part of `fields` within `errors` of payloads, which an item may repeat for each of its failures. */
  errorFields: 0,
  /** The part of `keyBytes` within `errors` of payloads. */
  errorKeyBytes: 0,
  /** Lists of the results of items. */
  results: 0,
};

/** The size of an operation, and of its result with one object for each selection. A fragment counts at each spread. */
export type OperationSize = ResultSize &
  typeof nothing & {
    /** How often each leaf field is selected; `__typename` has no value of the service. */
    readonly leaves: Map<string, number>;
  };

/**
 * Measures an operation, or the selections of a field. The document may be invalid: unknown fragments have no size, and a fragment within
 * itself is counted once. Each fragment is measured once, because a chain of fragments that spread the next one twice would take
 * exponential time. `errors` and `results` are recognized by name alone: the schema has no other fields with these names.
 */
export function operationSize(
  node: FieldNode | OperationDefinitionNode,
  findFragment: FindFragment,
): OperationSize {
  const fragmentSizes = new Map<string, OperationSize>();
  const sizeOfFragment = (name: string): OperationSize => {
    const known = fragmentSizes.get(name);
    if (known) return known;
    fragmentSizes.set(name, emptySize());
    const size = emptySize();
    const fragment = findFragment(name);
    size.directives += fragment?.directives?.length ?? 0;
    addSelections(size, fragment?.selectionSet);
    fragmentSizes.set(name, size);
    return size;
  };
  const addSelections = (size: OperationSize, selectionSet: SelectionSetNode | undefined) => {
    for (const selection of selectionSet?.selections ?? []) {
      size.directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        add(size, sizeOfFragment(selection.name.value));
        continue;
      }
      const { fields, keyBytes } = size;
      if (selection.kind === Kind.FIELD) addField(size, selection);
      addSelections(size, selection.selectionSet);
      if (selection.kind !== Kind.FIELD || selection.name.value !== 'errors') continue;
      size.errorFields += size.fields - fields;
      size.errorKeyBytes += size.keyBytes - keyBytes;
    }
  };

  const size = emptySize();
  const variables = node.kind === Kind.OPERATION_DEFINITION ? (node.variableDefinitions ?? []) : [];
  for (const { directives } of [node, ...variables]) size.directives += directives?.length ?? 0;
  addSelections(size, node.selectionSet);
  size.repetitions = Math.max(1, ...size.leaves.values());
  return size;
}

function emptySize(): OperationSize {
  return { ...nothing, leaves: new Map(), repetitions: 1 };
}

const counts = Object.keys(nothing) as (keyof typeof nothing)[];

function add(total: OperationSize, part: OperationSize): void {
  for (const count of counts) total[count] += part[count];
  for (const [name, times] of part.leaves) addLeaf(total, name, times);
}

function addField(size: OperationSize, field: FieldNode): void {
  const { value: name } = field.name;
  size.fields += 1;
  if (field.alias) size.aliases += 1;
  const valueBytes = name === '__typename' ? 24 : 4; // or null
  size.keyBytes += responseName(field).length + 4 + valueBytes;
  if (name === 'results') size.results += 1;
  if (!field.selectionSet && name !== '__typename') addLeaf(size, name, 1);
  for (const { value } of field.arguments ?? []) size.variableUses += variablesIn(value).length;
}

function addLeaf({ leaves }: OperationSize, name: string, times: number): void {
  leaves.set(name, (leaves.get(name) ?? 0) + times);
}
