/** Content negotiation: the media type of a response, and what its status may be (GraphQL over HTTP, section 6.4). */
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { HttpStatus } from './httpStatus.js';

/** Responses that are not GraphQL responses have this type, too. */
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/**
 * Request errors have this type for every client: with `application/json`, clients could not tell them from the errors of
 * an intermediary, whose bodies they must not read as GraphQL.
 */
export const GRAPHQL_MEDIA_TYPE = 'application/graphql-response+json; charset=utf-8';

/** The types of a response, in Apollo Server's order of preference. */
const MEDIA_TYPES = [
  JSON_MEDIA_TYPE,
  GRAPHQL_MEDIA_TYPE,
  'application/json; callbackSpec=1.0; charset=utf-8',
];

export interface Negotiated {
  /** The type of a response with `data`; undefined if the client accepts none. */
  mediaType: string | undefined;
  /** The status of a response with `data` and `errors`: only clients that name the type of GraphQL responses know 294. */
  partialSuccessStatus: number;
}

const withoutAccept: Negotiated = { mediaType: JSON_MEDIA_TYPE, partialSuccessStatus: HttpStatus.Ok };

/** Clients send few different headers, of limited length. Parsed once, although several places need the result. */
const cache = new LRUCache<string, Negotiated>({ max: 100 });

/** What an Accept header allows (RFC 9110 section 12.5.1). */
export function negotiate(accept: string | undefined): Negotiated {
  if (!accept) return withoutAccept;
  const cached = cache.get(accept);
  if (cached) return cached;
  const negotiator = new Negotiator({ headers: { accept } });
  const namesGraphQL = negotiator
    .mediaTypes()
    .some((type) => GRAPHQL_MEDIA_TYPE.startsWith(`${type.toLowerCase()};`));
  const negotiated = {
    mediaType: negotiator.mediaType(MEDIA_TYPES),
    partialSuccessStatus: namesGraphQL ? HttpStatus.PartialSuccess : HttpStatus.Ok,
  };
  cache.set(accept, negotiated);
  return negotiated;
}

/** The media type of a GraphQL response: only 2xx responses take the one that the client asks for. */
export function mediaTypeOf(status: number, negotiated: string): string {
  return status < 300 ? negotiated : GRAPHQL_MEDIA_TYPE;
}
