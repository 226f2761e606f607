/** Limits on the document of an operation, enforced while it is parsed and validated. */
import type { ApolloServerOptions } from '@apollo/server';
import { GraphQLError, type ValidationRule } from 'graphql';
import type { GatewayContext } from '../../fields/context.js';
import { ErrorCode } from '../../errors.js';
import { createOperationMeasure } from './operationSize.js';

export interface DocumentLimits {
  /** Maximum lexical tokens of a document. */
  maxTokens: number;
  /** Maximum nesting of fields, including those in fragments. */
  maxDepth: number;
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

/** The options with which Apollo Server rejects documents that exceed the limits. */
export function documentLimits(
  limits: DocumentLimits,
): Pick<ApolloServerOptions<GatewayContext>, 'parseOptions' | 'validationOptions' | 'validationRules'> {
  return {
    parseOptions: { maxLexicalTokens: limits.maxTokens },
    validationOptions: { maxErrors: MAX_VALIDATION_ERRORS },
    validationRules: [limitOperationSize(limits)],
  };
}

function limitOperationSize({ maxDepth, maxAliases, maxDirectives }: DocumentLimits): ValidationRule {
  return (context) => {
    const measure = createOperationMeasure((name) => context.getFragment(name));
    return {
      OperationDefinition(operation) {
        const { depth, aliases, directives } = measure(operation);
        const enforce = (unit: string, max: number, count: number) => {
          if (count > max)
            context.reportError(
              tooComplex(`Expected an operation of at most ${max} ${unit}, got one of ${formatCount(count)}`),
            );
        };
        enforce('levels of fields', maxDepth, depth);
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

/** The parser reports too many tokens as a syntax error without a code. */
export function asTokenLimitError({ message }: GraphQLError): GraphQLError | undefined {
  const [, maxTokens] = /^Syntax Error: Document contains more tha[nt] (\d+) tokens/.exec(message) ?? [];
  return maxTokens === undefined
    ? undefined
    : tooComplex(`Expected a document of at most ${maxTokens} tokens`);
}
