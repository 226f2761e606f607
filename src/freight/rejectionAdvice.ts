/** What the operator may have to set after a 401 of the service, in words for the log. */
import type { GatewayError } from '../gatewayError.js';
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
    isAboutKey({ failure, serviceMessages }: GatewayError): boolean {
      if (failure !== 'unauthenticated' || serviceMessages === undefined) return false;
      const text = JSON.stringify(serviceMessages).toLowerCase();
      return (
        /\b(?:api|subscription)[ _-]?key\b/.test(text) ||
        text.split(/[^\w-]+/).some((word) => names.has(word))
      );
    },
    adviceOn(error: GatewayError): string | undefined {
      if (this.isAboutKey(error)) return `401 names a key: ${KEYS}`;
      const isOfAll = error.failure === 'unauthenticated' && rejectedTokens.size === MANY_TOKENS;
      return isOfAll ? `401 for ${MANY_TOKENS} different tokens in a row: ${KEYS}` : undefined;
    },
  };
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}
