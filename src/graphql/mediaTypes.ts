/** Content negotiation: the media type of a response, and the status that depends on it (GraphQL over HTTP, section 6.4). */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import type { FormattedExecutionResult } from 'graphql';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** The types of a response, in Apollo Server's order of preference. */
const MEDIA_TYPES = [
  JSON_MEDIA_TYPE,
  'application/graphql-response+json; charset=utf-8',
  'application/json; callbackSpec=1.0; charset=utf-8',
];

/** Clients send few different headers, of limited length. Parsed once, although several places need the result. */
const cache = new LRUCache<string, { mediaType: string | undefined }>({ max: 100 });

/** The media type of the response to an Accept header (RFC 9110 section 12.5.1); undefined if it allows none. */
export function negotiateMediaType(accept: string | undefined): string | undefined {
  if (!accept) return JSON_MEDIA_TYPE;
  const cached = cache.get(accept);
  if (cached) return cached.mediaType;
  const mediaType = new Negotiator({ headers: { accept } }).mediaType(MEDIA_TYPES);
  cache.set(accept, { mediaType });
  return mediaType;
}

/** Codes of well-formed requests whose operation cannot be executed. */
const requestErrorCodes: readonly unknown[] = [
  ApolloServerErrorCode.GRAPHQL_PARSE_FAILED,
  ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED,
  ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE,
  ApolloServerErrorCode.BAD_USER_INPUT,
];

/**
 * The status for a client: 200 instead of 400 for request errors if it accepts `application/json` but not
 * `application/graphql-response+json`, as such clients expect (GraphQL over HTTP, section 6.4.1).
 */
export function statusForClient(
  accept: string | undefined,
  status: number,
  { errors = [] }: FormattedExecutionResult,
): number {
  if (status !== 400) return status;
  const acceptsJsonOnly =
    accept?.includes('application/json') === true && !accept.includes('application/graphql-response+json');
  const areRequestErrors = errors.every(({ extensions }) => requestErrorCodes.includes(extensions?.['code']));
  return acceptsJsonOnly && areRequestErrors ? 200 : status;
}
