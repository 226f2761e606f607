/** The size of documents, measured in one walk, and the limits that are enforced before one is parsed and while it is validated. */
import {
  GraphQLError,
  Kind,
  type FieldNode,
  type OperationDefinitionNode,
  type ValidationRule,
} from 'graphql';
import { GatewayError } from '../gatewayError.js';
import { fragmentsOf, responseName, variablesIn, type Fragments } from '../fields/selections.js';

export interface DocumentLimits {
  maxTokens: number;
  /** Maximum aliases of an operation. */
  maxAliases: number;
  /** Maximum directives of an operation. */
  maxDirectives: number;
}

/** Locating an error costs more than detecting it. Scanners that send ten unknown directives take ten errors for a lack of limits. */
export const MAX_VALIDATION_ERRORS = 5;

/** A fragment may be spread again and again: the operations of a document may select five times as much as it has tokens. */
const SELECTIONS_PER_TOKEN = 5;

/** Depth needs no limit: the types have no cycle, and graphql-js limits that of introspection (MaxIntrospectionDepthRule). */
export function limitOperationSize({ maxTokens, maxAliases, maxDirectives }: DocumentLimits): ValidationRule {
  const maxSelections = SELECTIONS_PER_TOKEN * maxTokens;
  return (context) => {
    const fragments = fragmentsOf(context.getDocument());
    let remaining = maxSelections; // of all operations: each could be as large
    return {
      OperationDefinition(operation) {
        const { selections, aliases, directives } = operationSize(operation, fragments, remaining);
        const reject = (max: number, unit: string, actual: number | string) => {
          const originalError = tooComplex(`Expected at most ${max} ${unit}, got ${actual}`);
          context.reportError(new GraphQLError(originalError.message, { originalError }));
        };
        remaining -= selections;
        if (remaining < 0) reject(maxSelections, 'selections', 'more');
        else if (aliases > maxAliases) reject(maxAliases, 'aliases', aliases);
        else if (directives > maxDirectives) reject(maxDirectives, 'directives', directives);
      },
    };
  };
}

/**
 * Throws for a document of very many lines, before it is parsed: the parser walks the lines to locate each error, and neither white space nor
 * comments count as tokens. A formatter writes at most one line per token. The texts of a manifest are the operator's own and exempt.
 */
export function enforceLineLimit(document: unknown, maxLines: number): void {
  if (typeof document !== 'string' || document.length < maxLines) return;
  // Lines by the GraphQL specification, section 2.1.2.
  if (document.split(/\r\n|[\n\r]/, maxLines + 1).length <= maxLines) return;
  throw tooComplex(`Expected a document of at most ${maxLines} lines, got more`);
}

export function tooComplex(message: string): GatewayError {
  return new GatewayError('operationTooComplex', { message });
}

/**
 * Measures an operation, or the selections of a field, and its result with one object for each selection. A fragment counts at each spread.
 * Stops after the maximum of selections, because spreads of spreads grow exponentially. The document may be invalid: unknown fragments have
 * no size, and neither has a fragment within itself. `errors` and `results` are recognized by name alone: the schema has no other fields
 * with these names.
 */
export function operationSize(
  measured: FieldNode | OperationDefinitionNode,
  fragments: Fragments,
  maxSelections = Infinity,
) {
  const size = {
    selections: 0,
    fields: 0,
    aliases: 0,
    /** Directives on the operation, its selections and fragments. */
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
  /** How often each leaf field is selected; `__typename` has no value of the service. */
  const leaves = new Map<string, number>();
  const openFragments = new Set<string>();

  const addField = (field: FieldNode, isInErrors: boolean) => {
    const { value: name } = field.name;
    const valueBytes = name === '__typename' ? 24 : 4; // or null
    const keyBytes = responseName(field).length + 4 + valueBytes;
    size.fields += 1;
    size.keyBytes += keyBytes;
    if (isInErrors) size.errorFields += 1;
    if (isInErrors) size.errorKeyBytes += keyBytes;
    if (field.alias) size.aliases += 1;
    if (name === 'results') size.results += 1;
    if (!field.selectionSet && name !== '__typename') leaves.set(name, (leaves.get(name) ?? 0) + 1);
    for (const { value } of field.arguments ?? []) size.variableUses += variablesIn(value).length;
  };
  const add = ({ directives, selectionSet }: Selecting, isInErrors: boolean): void => {
    size.directives += directives?.length ?? 0;
    for (const selection of selectionSet?.selections ?? []) {
      size.selections += 1;
      if (size.selections > maxSelections) return;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        size.directives += selection.directives?.length ?? 0;
        const { value: name } = selection.name;
        const fragment = fragments[name];
        if (!fragment || openFragments.has(name)) continue;
        openFragments.add(name);
        add(fragment, isInErrors);
        openFragments.delete(name);
        continue;
      }
      const isField = selection.kind === Kind.FIELD;
      const isWithin = isInErrors || (isField && selection.name.value === 'errors');
      if (isField) addField(selection, isWithin);
      add(selection, isWithin);
    }
  };

  add(measured, false);
  return { ...size, repetitions: Math.max(1, ...leaves.values()) };
}

type Selecting = Pick<FieldNode, 'directives' | 'selectionSet'>;
