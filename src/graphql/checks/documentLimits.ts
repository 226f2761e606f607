/** Bounds on the text of an operation, which hold before anything else is made of it. */
import type { ApolloServerOptions } from '@apollo/server';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import { GraphQLError, type ValidationContext } from 'graphql';
import type { GatewayContext } from '../../context.js';
import { ErrorCode } from '../errors/errorTable.js';

export interface DocumentLimits {
  /** Tokens of a document at the most. */
  maxTokens: number;
  /** Levels of fields at the most, those within fragments included. */
  maxDepth: number;
  /** Aliases of an operation at the most. */
  maxAliases: number;
  /** Directives of an operation at the most. */
  maxDirectives: number;
}

/** Errors of validation that are looked for at the most: finding one costs more than checking for it. */
const MAX_VALIDATION_ERRORS = 10;

/** The options of Apollo Server that refuse documents beyond the limits. */
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

/** The rules would throw their errors, and call them syntax errors. */
const armorOptions = {
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, { message }: GraphQLError) => {
      context?.reportError(tooComplex(message.replace(/^Syntax Error: /, '')));
    },
  ],
};

/** The error for an operation that is over a limit. */
export function tooComplex(message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: ErrorCode.QueryTooComplex, http: { status: 400 } },
  });
}

/** The parser has no code of its own for a document that it gave up for its number of tokens. */
export function asTokenLimitError({ message }: GraphQLError): GraphQLError | undefined {
  const [, maxTokens] = /^Syntax Error: Document contains more tha[nt] (\d+) tokens/.exec(message) ?? [];
  return maxTokens === undefined
    ? undefined
    : tooComplex(`Expected a document of at most ${maxTokens} tokens`);
}
