/** The clients whose failures count already: within a window of time, each counts once. */
import { tokenKey, type ClientIdentity } from './calls.js';

/** Maximum tokens, and maximum addresses. A token has at most 16 KiB, because all headers do. */
const MAX_KEYS = 500;

export interface FailedClients {
  /**
   * Whether a failure of this client counts: once per window for its token and once for its address, so that neither
   * many tokens of one address nor many addresses with one token look like many clients.
   */
  add(client: ClientIdentity): boolean;
}

export function createFailedClients(windowMs: number): FailedClients {
  /** When each was counted, on the clock of performance.now(), oldest first. */
  const tokens = new Map<string, number>();
  const addresses = new Map<string, number>();
  return {
    add(client) {
      const token = tokenKey(client);
      const { address } = client.peer;
      const now = performance.now();
      for (const counted of [tokens, addresses]) {
        for (const [key, countedAt] of counted) {
          if (now - countedAt < windowMs && counted.size < MAX_KEYS) break;
          counted.delete(key);
        }
      }
      if (tokens.has(token) || addresses.has(address)) return false;
      tokens.set(token, now);
      addresses.set(address, now);
      return true;
    },
  };
}
