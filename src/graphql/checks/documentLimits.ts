/** Limits on the document of an operation, enforced while it is parsed and validated. */
import type { ApolloServerOptions } from '@apollo/server';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import { GraphQLError, type ValidationContext } from 'graphql';
import type { GatewayContext } from '../../context.js';
import { ErrorCode } from '../../errorCodes.js';

export interface DocumentLimits {
  /** Maximum lexical tokens of a document. */
  maxTokens: number;
  /** Maximum nesting of fields, including those in fragments. */
  maxDepth: number;
  /** Maximum aliases of an operation. */
  maxAliases: number;
  /** Maximum directives of an operation. */
  maxDirectives: number;
}

/**
 * Validation stops after this many errors: locating one costs more than detecting it. Scanners that send ten unknown
 * directives take ten errors for the proof that there is no limit.
 */
const MAX_VALIDATION_ERRORS = 5;

/** The options with which Apollo Server rejects documents that exceed the limits. */
export function documentLimits({
  maxTokens,
  maxDepth,
  maxAliases,
  maxDirectives,
}: DocumentLimits): Pick<
  ApolloServerOptions<GatewayContext>,
  'parseOptions' | 'validationOptions' | 'validationRules'
> {
  return {
    parseOptions: { maxLexicalTokens: maxTokens },
    validationOptions: { maxErrors: MAX_VALIDATION_ERRORS },
    validationRules: [
      maxDepthRule({ n: maxDepth, flattenFragments: true, ...armorOptions }),
      maxAliasesRule({ n: maxAliases, ...armorOptions }),
      maxDirectivesRule({ n: maxDirectives, ...armorOptions }),
    ],
  };
}

/** By default the rules throw, and report their errors as syntax errors. */
const armorOptions = {
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, { message }: GraphQLError) => {
      context?.reportError(tooComplex(message.replace(/^Syntax Error: /, '')));
    },
  ],
};

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
