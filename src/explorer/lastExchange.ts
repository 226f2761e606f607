/** The last operation's response, as far as the page shows it next to the result. */
import { createStore } from './store.js';

/** A REST call in `extensions.trace`. */
export interface TracedCall {
  method: string;
  path: string;
  sent: boolean;
  shared: boolean;
  startMs: number;
  attempt?: number;
  readBack?: true;
  status?: number;
  durationMs?: number;
  /** Left out of a long trace. */
  curl?: string;
}

export interface Exchange {
  /** HTTP status and its text; undefined if the gateway did not respond. */
  status: string | undefined;
  durationMs: number;
  bytes: number;
  requestId: string | undefined;
  /** Undefined if the response has no trace. */
  calls: readonly TracedCall[] | undefined;
}

/** Undefined until an operation has run. */
export const lastExchange = createStore<Exchange | undefined>(undefined);
