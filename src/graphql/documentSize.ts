/** The size of documents, measured in one walk, and the limits that are enforced before one is parsed and while it is validated. */
import {
  GraphQLError,
  Kind,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationRule,
  type ValueNode,
} from 'graphql';
import { GatewayError } from '../gatewayError.js';
import { responseName } from '../fields/selections.js';

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
    const fragmentSizes = new Map<string, OperationSize>();
    return {
      OperationDefinition(operation) {
        const size = operationSize(operation, (name) => context.getFragment(name), fragmentSizes);
        const limits = { aliases: maxAliases, directives: maxDirectives };
        for (const [unit, max] of Object.entries(limits)) {
          const count = size[unit as keyof typeof limits];
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

/** Counts of a document: a fragment counts at each spread. */
const noDocument = {
  /** Field selections, as the compiler counts them. */
  fields: 0,
  aliases: 0,
  /** Directives on the operation, its variables, selections and fragments. */
  directives: 0,
  /** Arguments, and the values in them. */
  literals: 0,
  variableUses: 0,
};

/** Counts of a result with one object for each selection: a fragment counts once per object, which merges its fields. */
const noResult = {
  resultFields: 0,
  /** Bytes of the response keys, and of values that do not come from the service. */
  keyBytes: 0,
  /** The part of `resultFields` within `errors` of payloads, which an item may repeat for each of its failures. */
  errorFields: 0,
  /** The part of `keyBytes` within `errors` of payloads. */
  errorKeyBytes: 0,
  /** Lists of the results of items. */
  results: 0,
};

/** The size of an operation, and of its result. */
export type OperationSize = typeof noDocument &
  typeof noResult & {
    /** Variables that decide `@skip` and `@include`, in the order of their first use. */
    readonly conditionVariables: Set<string>;
    /** How often each leaf field is selected; `__typename` has no value of the service. */
    readonly leaves: Map<string, number>;
    /** How often a result can contain one value: the selections of the most frequent leaf field. */
    repetitions: number;
  };

export type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

/**
 * Measures an operation, or the selections of a field. The document may be invalid: unknown fragments have no size, and a fragment within
 * itself is counted once. Each fragment is measured once, because a chain of fragments that spread the next one twice would take
 * exponential time; `fragmentSizes` shares them among the operations of a document. `errors` and `results` are recognized by name alone:
 * the schema has no other fields with these names.
 */
export function operationSize(
  operation: FieldNode | OperationDefinitionNode,
  findFragment: FindFragment,
  fragmentSizes = new Map<string, OperationSize>(),
): OperationSize {
  const sizeOfFragment = (name: string): OperationSize => {
    const known = fragmentSizes.get(name);
    if (known) return known;
    fragmentSizes.set(name, emptySize());
    const size = emptySize();
    const fragment = findFragment(name);
    addDirectives(size, fragment?.directives);
    addSelections(size, fragment?.selectionSet);
    fragmentSizes.set(name, size);
    return size;
  };
  const addSelections = (size: OperationSize, selectionSet: SelectionSetNode | undefined) => {
    const spread = new Set<string>();
    for (const selection of selectionSet?.selections ?? []) {
      addDirectives(size, selection.directives);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const { value: name } = selection.name;
        const fragmentSize = sizeOfFragment(name);
        addDocument(size, fragmentSize);
        if (!spread.has(name)) addResult(size, fragmentSize);
        spread.add(name);
      } else {
        const { resultFields, keyBytes } = size;
        if (selection.kind === Kind.FIELD) addField(size, selection);
        addSelections(size, selection.selectionSet);
        if (selection.kind !== Kind.FIELD || selection.name.value !== 'errors') continue;
        size.errorFields += size.resultFields - resultFields;
        size.errorKeyBytes += size.keyBytes - keyBytes;
      }
    }
  };

  const size = emptySize();
  addDirectives(size, operation.directives);
  if (operation.kind === Kind.OPERATION_DEFINITION)
    for (const { directives } of operation.variableDefinitions ?? []) addDirectives(size, directives);
  addSelections(size, operation.selectionSet);
  size.repetitions = Math.max(1, ...size.leaves.values());
  return size;
}

function emptySize(): OperationSize {
  return { ...noDocument, ...noResult, conditionVariables: new Set(), leaves: new Map(), repetitions: 0 };
}

const documentCounts = Object.keys(noDocument) as (keyof typeof noDocument)[];
const resultCounts = Object.keys(noResult) as (keyof typeof noResult)[];

function addDocument(total: OperationSize, part: OperationSize): void {
  for (const count of documentCounts) total[count] += part[count];
}

function addResult(total: OperationSize, part: OperationSize): void {
  for (const count of resultCounts) total[count] += part[count];
  for (const name of part.conditionVariables) total.conditionVariables.add(name);
  for (const [name, times] of part.leaves) addLeaf(total, name, times);
}

function addField(size: OperationSize, field: FieldNode): void {
  const { value: name } = field.name;
  size.fields += 1;
  size.resultFields += 1;
  if (field.alias) size.aliases += 1;
  const valueBytes = name === '__typename' ? 24 : 4; // or null
  size.keyBytes += responseName(field).length + 4 + valueBytes;
  if (name === 'results') size.results += 1;
  if (!field.selectionSet && name !== '__typename') addLeaf(size, name, 1);
  for (const { value } of field.arguments ?? []) {
    size.literals += 1;
    addValue(size, value);
  }
}

function addLeaf({ leaves }: OperationSize, name: string, times: number): void {
  leaves.set(name, (leaves.get(name) ?? 0) + times);
}

function addValue(size: OperationSize, value: ValueNode): void {
  if (value.kind === Kind.VARIABLE) {
    size.variableUses += 1;
    return;
  }
  size.literals += 1;
  if (value.kind === Kind.LIST) for (const element of value.values) addValue(size, element);
  if (value.kind === Kind.OBJECT) for (const member of value.fields) addValue(size, member.value);
}

function addDirectives(size: OperationSize, directives: readonly DirectiveNode[] = []): void {
  for (const { arguments: nodes = [] } of directives) {
    size.directives += 1;
    for (const { name, value } of nodes)
      if (name.value === 'if' && value.kind === Kind.VARIABLE) size.conditionVariables.add(value.name.value);
  }
}
