/** What callers accept as an answer (RFC 9110 section 12.5.1). */
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** The types in which an operation is answered, in the order that Apollo Server prefers. */
const MEDIA_TYPES = [
  'application/json; charset=utf-8',
  'application/graphql-response+json; charset=utf-8',
  'application/json; callbackSpec=1.0; charset=utf-8',
];

/** There are few different headers; a longer one than clients send is read each time. */
const cache = new LRUCache<string, { type: string | undefined }>({ max: 100 });
const MAX_CACHED_LENGTH = 256;

/** The type of the answer for a header Accept; undefined when it allows none. */
export function negotiateMediaType(accept: string | undefined): string | undefined {
  if (!accept) return MEDIA_TYPES[0];
  const found = cache.get(accept);
  if (found) return found.type;
  const type = new Negotiator({ headers: { accept } }).mediaType(MEDIA_TYPES);
  if (accept.length <= MAX_CACHED_LENGTH) cache.set(accept, { type });
  return type;
}
