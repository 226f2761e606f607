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
import { ErrorCode } from '../errors.js';
import { responseName } from '../fields/selections.js';
import type { RequestParams } from './requestParams.js';
import { HttpStatus, RequestError } from './responses.js';

export interface DocumentLimits {
  maxTokens: number;
  /** Maximum aliases of an operation. A fragment counts at each spread. */
  maxAliases: number;
  /** Maximum directives of an operation. A fragment counts at each spread. */
  maxDirectives: number;
}

/**
 * Validation stops after this many errors: locating one costs more than detecting it. Scanners that send ten unknown
 * directives take ten errors for the proof that there is no limit.
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

/**
 * Throws a RequestError for a document of very many lines, before it is parsed: the parser walks the lines to locate each
 * error, and neither white space nor comments count as tokens. The texts of a manifest are the operator's own and exempt.
 */
export function enforceLineLimit({ query }: RequestParams, maxLines: number): void {
  if (typeof query !== 'string' || query.length < maxLines) return;
  // Lines by the GraphQL specification, section 2.1.2.
  if (query.split(/\r\n|[\n\r]/, maxLines + 1).length <= maxLines) return;
  throw new RequestError({
    status: HttpStatus.UnprocessableContent,
    code: ErrorCode.QueryTooComplex,
    message: `Expected a document of at most ${maxLines} lines, got more`,
    outcome: 'NOT_APPLIED',
  });
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
          context.reportError(tooComplex(`Expected at most ${max} ${unit}, got ${actual}`));
        }
      },
    };
  };
}

export function tooComplex(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: ErrorCode.QueryTooComplex } });
}

/** What an operation consists of, with the content of a fragment counted as often as the fragment is spread. */
export interface OperationSize {
  fields: number;
  aliases: number;
  /** Directives on the operation, its variables, selections and fragments. */
  directives: number;
  /** Variables that decide `@skip` and `@include`, in the order of their first use. */
  conditionVariables: Set<string>;
  /** Arguments, and the values in them. */
  literals: number;
  variableUses: number;
  /** Bytes of the keys in a result with one object for each selection, and of values that do not come from the service. */
  keyBytes: number;
  /** How often each leaf field is selected. */
  leaves: Map<string, number>;
  /** How often a result can contain one value: the selections of the most frequent leaf field. */
  repetitions: number;
}

type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

const sizes = new WeakMap<OperationDefinitionNode, OperationSize>();

/**
 * The size of an operation, whose document may be invalid: unknown fragments have no size, and a fragment within itself is
 * counted once. Each fragment is measured once, because a chain of fragments that spread the next one twice would take exponential
 * time; `fragmentSizes` shares them among the operations of a document.
 */
export function operationSize(
  operation: OperationDefinitionNode,
  findFragment: FindFragment,
  fragmentSizes = new Map<string, OperationSize>(),
): OperationSize {
  const cached = sizes.get(operation);
  if (cached) return cached;

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
    for (const selection of selectionSet?.selections ?? []) {
      addDirectives(size, selection.directives);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        addSize(size, sizeOfFragment(selection.name.value));
      } else {
        if (selection.kind === Kind.FIELD) addField(size, selection);
        addSelections(size, selection.selectionSet);
      }
    }
  };

  const size = emptySize();
  addDirectives(size, operation.directives);
  for (const { directives } of operation.variableDefinitions ?? []) addDirectives(size, directives);
  addSelections(size, operation.selectionSet);
  size.repetitions = Math.max(...size.leaves.values());
  sizes.set(operation, size);
  return size;
}

function emptySize(): OperationSize {
  return {
    fields: 0,
    aliases: 0,
    directives: 0,
    conditionVariables: new Set(),
    literals: 0,
    variableUses: 0,
    keyBytes: 0,
    leaves: new Map(),
    repetitions: 0,
  };
}

function addSize(total: OperationSize, part: OperationSize): void {
  for (const count of ['fields', 'aliases', 'directives', 'literals', 'variableUses', 'keyBytes'] as const)
    total[count] += part[count];
  for (const name of part.conditionVariables) total.conditionVariables.add(name);
  for (const [name, times] of part.leaves) addLeaf(total, name, times);
}

function addField(size: OperationSize, field: FieldNode): void {
  const { value: name } = field.name;
  size.fields += 1;
  if (field.alias) size.aliases += 1;
  const valueBytes = name === '__typename' ? 24 : 4; // or null
  size.keyBytes += responseName(field).length + 4 + valueBytes;
  if (!field.selectionSet) addLeaf(size, name, 1);
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
