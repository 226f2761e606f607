/** What the operator may have to set after a response of the service with a 4xx status, in words for the log. */
import type { Call } from '../transport/calls.js';
import type { ServiceError } from '../transport/serviceError.js';
import type { ServiceSettings } from './operations.js';

const KEYS =
  'a key in SERVICE_HEADERS or SHIPMENT_PARAMETERS may be missing or not valid, whatever token the client sends';
/** How many clients' tokens in a row are not likely to be all invalid. */
const MANY_TOKENS = 5;

/** About the keys that the gateway sends to one base URL with every call. */
export function createKeyAdvice({ serviceHeaders, shipmentParameters }: ServiceSettings) {
  const names = new Set([serviceHeaders, shipmentParameters].flatMap(Object.keys).map(toLowerCase));
  /** Tokens that were rejected since the last response with another status. */
  const rejectedTokens = new Set<string>();
  return {
    onResponse(status: number, authorization: string | undefined): void {
      if (status !== 401) rejectedTokens.clear();
      else if (authorization !== undefined && rejectedTokens.size < MANY_TOKENS)
        rejectedTokens.add(authorization);
    },
    /** Whether the service says that a key is missing or wrong: then the client's token is not to blame. */
    isAboutKey({ failure, serviceMessages }: ServiceError): boolean {
      if (failure !== 'unauthenticated' || serviceMessages === undefined) return false;
      const text = JSON.stringify(serviceMessages).toLowerCase();
      return (
        /\b(?:api|subscription)[ _-]?key\b/.test(text) ||
        text.split(/[^\w-]+/).some((word) => names.has(word))
      );
    },
    adviceOn(error: ServiceError): string | undefined {
      if (this.isAboutKey(error)) return `401 names a key: ${KEYS}`;
      const isOfAll = error.failure === 'unauthenticated' && rejectedTokens.size === MANY_TOKENS;
      return isOfAll ? `401 for ${MANY_TOKENS} different tokens in a row: ${KEYS}` : undefined;
    },
  };
}

/** Go says so in a line; Apache and nginx say so in a page, of which nothing is read. */
const SPEAKS_TLS = /HTTP request to an HTTPS server/;

/** After a 400 over http of something else than the service. */
export function adviceOnTls(
  { status, form, serviceMessages = [] }: ServiceError,
  { baseUrl, urlVariable }: Call,
): string | undefined {
  if (status !== 400 || form !== undefined || baseUrl.protocol !== 'http:') return undefined;
  const isOfTls = serviceMessages.length === 0 || SPEAKS_TLS.test(JSON.stringify(serviceMessages));
  return isOfTls ? `400 without JSON; if the port speaks TLS, set ${urlVariable} to https://…` : undefined;
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}
