/** The size of documents: the limits that are enforced before one is parsed, and while it is parsed and validated. */
import type { ApolloServerOptions } from '@apollo/server';
import {
  GraphQLError,
  Kind,
  visit,
  type DocumentNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationRule,
} from 'graphql';
import { ErrorCode } from '../errors.js';
import type { GatewayContext } from '../fields/context.js';
import type { RequestParams } from './requestParams.js';
import { HttpStatus, RequestError } from './responses.js';

export interface DocumentLimits {
  /** Maximum lexical tokens of a document. */
  maxTokens: number;
  /** Maximum aliases of an operation, those of a fragment counted at each spread. */
  maxAliases: number;
  /** Maximum directives of an operation, those of a fragment counted at each spread. */
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
export function documentLimits(
  limits: DocumentLimits,
): Pick<ApolloServerOptions<GatewayContext>, 'parseOptions' | 'validationOptions' | 'validationRules'> {
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
  if (typeof query !== 'string' || query.length < maxLines || countLines(query, maxLines + 1) <= maxLines)
    return;
  throw new RequestError({
    status: HttpStatus.UnprocessableContent,
    code: ErrorCode.QueryTooComplex,
    message: `Expected a document of at most ${maxLines} lines`,
    outcome: 'NOT_APPLIED',
  });
}

/** The number of lines (GraphQL specification, section 2.1.2), counted up to a limit. */
function countLines(document: string, limit: number): number {
  return document.split(/\r\n|[\n\r]/, limit).length;
}

function limitOperationSize({ maxAliases, maxDirectives }: DocumentLimits): ValidationRule {
  return (context) => {
    const measure = createOperationMeasure((name) => context.getFragment(name));
    return {
      OperationDefinition(operation) {
        const { aliases, directives } = measure(operation);
        const enforce = (unit: string, max: number, count: number) => {
          if (count > max)
            context.reportError(
              tooComplex(`Expected an operation of at most ${max} ${unit}, got one of ${formatCount(count)}`),
            );
        };
        enforce('aliases', maxAliases, aliases);
        enforce('directives', maxDirectives, directives);
      },
    };
  };
}

/** Counts of fragments that spread others many times have dozens of digits. */
function formatCount(count: number): string {
  return count > 1_000_000 ? 'more than a million' : `${count}`;
}

/** The error for an operation that exceeds a limit. */
export function tooComplex(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: ErrorCode.QueryTooComplex } });
}

/** The size of an operation, with the content of a fragment counted as often as the fragment is spread. */
interface OperationSize {
  aliases: number;
  /** Directives on the operation, its variables, selections and fragments. */
  directives: number;
}

/**
 * Creates a function that measures operations of a document that may be invalid: unknown fragments have no size, and a
 * fragment within itself is counted once. Each fragment is measured once, because a chain of fragments that spread the
 * next one twice would take exponential time.
 */
function createOperationMeasure(
  findFragment: (name: string) => FragmentDefinitionNode | null | undefined,
): (operation: OperationDefinitionNode) => OperationSize {
  const fragmentSizes = new Map<string, OperationSize>();

  const sizeOfFragment = (name: string): OperationSize => {
    const cached = fragmentSizes.get(name);
    if (cached) return cached;
    fragmentSizes.set(name, emptySize);
    const fragment = findFragment(name);
    const size = fragment
      ? withDirectives(sizeOfSelections(fragment.selectionSet), fragment.directives)
      : emptySize;
    fragmentSizes.set(name, size);
    return size;
  };

  const sizeOf = (selection: SelectionNode): OperationSize => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return sizeOfFragment(selection.name.value);
    const { aliases, directives } = sizeOfSelections(selection.selectionSet);
    const isAlias = selection.kind === Kind.FIELD && selection.alias !== undefined;
    return { aliases: aliases + (isAlias ? 1 : 0), directives };
  };

  const sizeOfSelections = (selectionSet: SelectionSetNode | undefined): OperationSize => {
    const total = { ...emptySize };
    for (const selection of selectionSet?.selections ?? []) {
      const { aliases, directives } = withDirectives(sizeOf(selection), selection.directives);
      total.aliases += aliases;
      total.directives += directives;
    }
    return total;
  };

  return ({ selectionSet, directives, variableDefinitions = [] }) => {
    const onVariables = variableDefinitions.flatMap((variable) => variable.directives ?? []);
    return withDirectives(sizeOfSelections(selectionSet), [...(directives ?? []), ...onVariables]);
  };
}

const emptySize: OperationSize = { aliases: 0, directives: 0 };

function withDirectives(size: OperationSize, directives: readonly unknown[] = []): OperationSize {
  return directives.length === 0 ? size : { ...size, directives: size.directives + directives.length };
}

/** The variables that decide conditions of a document, in the order of their first use. */
export function conditionVariablesOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    [Kind.DIRECTIVE]({ arguments: nodes = [] }) {
      for (const { name, value } of nodes)
        if (name.value === 'if' && value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}
