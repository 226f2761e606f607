/** Events of idempotency keys that operators need to see. */

import type { RequestIds } from '../../transport/clientIdentity.js';

/** How a mutation with a key ended, for its metric. */
export const keyedMutationResults = [
  'applied',
  'not_applied',
  'unknown',
  'replayed',
  'key_reused',
  'in_progress',
  'outcome_unknown',
  'key_expired',
  'unavailable',
] as const;
export type KeyedMutationResult = (typeof keyedMutationResults)[number];

export interface IdempotencyObserver {
  onKeyedMutation(event: RequestIds & { field: string; result: KeyedMutationResult }): void;
  /** The outcome of a write could not be recorded: its record becomes UNKNOWN, or is gone. */
  onRecordLost(event: RequestIds & { field: string; reason: string }): void;
}
