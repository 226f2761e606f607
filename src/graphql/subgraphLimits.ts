import type { DocumentLimits } from './checks/documentLimits.js';
import type { RestCallLimitOptions } from './checks/restCallLimit.js';
import { defaultErrorLimits, type ErrorLimits } from './errors/errorLimit.js';

/** Lexical tokens of a stitching gateway's field that reads one entity: variable, alias, argument, and every field of it. */
const TOKENS_PER_ENTITY = 50;

/** Aliases, and directives, of such a field: one for every field of the entity. */
const ALIASES_PER_ENTITY = 10;

/** More than the error of an entity has, without the service's own messages. */
const ERROR_BYTES_PER_ENTITY = 512;

/**
 * The limits of requests from a router, which reads many entities at once: as a list, or as one alias for each. Each limit of
 * other clients that stands in the way is raised, and every entity that fails has an error.
 */
export function subgraphLimits(
  { maxTokens, maxAliases, maxDirectives }: DocumentLimits,
  maxEntities: number,
): Omit<DocumentLimits, 'maxDepth'> &
  Required<Pick<RestCallLimitOptions, 'maxEntities'>> & { errorLimits: ErrorLimits } {
  return {
    maxEntities,
    maxTokens: Math.max(maxTokens, TOKENS_PER_ENTITY * maxEntities),
    maxAliases: Math.max(maxAliases, ALIASES_PER_ENTITY * maxEntities),
    maxDirectives: Math.max(maxDirectives, ALIASES_PER_ENTITY * maxEntities),
    errorLimits: {
      maxErrors: Math.max(defaultErrorLimits.maxErrors, 2 * maxEntities), // those that failed, and as many beyond the limit
      maxBytes: Math.max(defaultErrorLimits.maxBytes, 2 * ERROR_BYTES_PER_ENTITY * maxEntities),
      marksOmissions: true,
    },
  };
}
