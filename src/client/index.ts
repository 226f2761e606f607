/** For front ends of the gateway with any GraphQL client, or with none. Lists have a separate entry, `batch.ts`. */
export {
  isGatewayError,
  type ErrorCode,
  type GatewayErrorExtensions,
  type InputRule,
  type WriteOutcome,
} from '../errors.js';
export { errorsOf, outcomeOf, resultOf } from './result.js';
export type { GatewayError, NextStep, OutcomeEvidence, Selector, WriteResult } from './result.js';
export { inputErrorsOf, otherErrorsOf, type InputError, type InputErrorOptions } from './inputErrors.js';
export { createIdempotencyKey, createIntent, type Intent, type IntentOptions } from './intent.js';
export {
  REQUEST_TIMEOUT_MS,
  retryDelayMs,
  waitOnline,
  type FailedAttempt,
  type RetryOptions,
} from './retryDelay.js';
