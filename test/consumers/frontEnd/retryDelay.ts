/** When to send an operation again: the policy of `apolloRetryLink.ts` and `urqlRetryExchange.ts`. */
import { isGatewayError } from 'shipment-graphql-gateway/errors';

export interface RetryOptions {
  /**
   * Whether mutations get an idempotency key, with which they may be repeated after their response was lost. Turn it off for a
   * gateway without keys: it rejects them with IDEMPOTENCY_UNAVAILABLE. @default true
   */
  idempotencyKeys?: boolean;
  /** Requests per operation, the first included. @default 3: the gateway itself has retried already */
  maxAttempts?: number;
  /** Longest wait in milliseconds: an operation that has to wait longer fails at once. @default 10000 */
  maxWaitMs?: number;
  /** Mean of the first wait in milliseconds if the response names none; it doubles with each attempt. @default 500 */
  backoffMs?: number;
  /** Source of the jitter, from 0 to 1. @default Math.random */
  random?: () => number;
}

/** A request of which something failed. */
export interface FailedAttempt {
  /** Number of the attempt, from 1. */
  attempt: number;
  isMutation: boolean;
  /** Whether every attempt of the mutation has the same idempotency key. @default false */
  hasKey?: boolean;
  /** `errors` of the GraphQL response, or none if the failures are data; undefined if no response arrived. */
  errors: readonly GraphQLError[] | undefined;
  /** `data` of the GraphQL response. */
  data?: unknown;
  /** Without `errors`: the HTTP response; undefined if the connection failed. */
  response?: Response | undefined;
}

interface GraphQLError {
  path?: readonly (string | number)[] | undefined;
  extensions?: Record<string, unknown> | undefined;
}

/** The failure of a write that is data, as far as the operation selects its members. */
interface WriteError {
  retryable?: boolean;
  retryAfterSeconds?: number | null;
}

/** The failures of writes in the payloads of a mutation. */
export function failuresIn(data: unknown): WriteError[] {
  return Object.values(Object(data) as Record<string, unknown>).flatMap(errorsOf);
}

function errorsOf(payload: unknown): WriteError[] {
  const { errors } = Object(payload) as { errors?: unknown };
  return Array.isArray(errors) ? (errors as WriteError[]) : [];
}

/** Statuses of proxies after which a repeat may succeed (RFC 9110 section 15.6, RFC 6585 section 4). */
const TRANSIENT_STATUSES: readonly number[] = [429, 502, 503, 504];

/** The milliseconds after which to send the operation again, or undefined to give up. */
export function retryDelayMs(failure: FailedAttempt, options: RetryOptions = {}): number | undefined {
  const { maxAttempts = 3, maxWaitMs = 10_000 } = options;
  if (failure.attempt >= maxAttempts || !isSafeToRetry(failure)) return undefined;
  const delayMs = requestedDelayMs(failure) ?? backoffDelayMs(failure, options);
  return delayMs <= maxWaitMs ? delayMs : undefined;
}

function isSafeToRetry({ isMutation, hasKey, errors, data, response }: FailedAttempt): boolean {
  // Without errors of the gateway nobody knows whether a mutation was applied. A key keeps it from being applied twice.
  if (errors === undefined)
    return (
      (!isMutation || hasKey === true) &&
      (response === undefined || TRANSIENT_STATUSES.includes(response.status))
    );
  const failures = failuresOf({ isMutation, errors, data });
  const allow = failures.length > 0 && failures.every(({ retryable }) => retryable === true);
  return allow && !(isMutation && hasAppliedField(errors, data));
}

function failuresOf({ isMutation, errors = [], data }: Omit<FailedAttempt, 'attempt'>): WriteError[] {
  const reported = errors.map((error) => (isGatewayError(error) ? error.extensions : {}));
  return isMutation ? [...reported, ...failuresIn(data)] : reported;
}

/** Whether another field of the mutation may have succeeded, so that the operation must not be repeated as a whole. */
function hasAppliedField(errors: readonly GraphQLError[], data: unknown): boolean {
  return Object.entries(Object(data) as Record<string, unknown>).some(
    ([key, value]) =>
      key !== '__typename' &&
      errorsOf(value).length === 0 &&
      !(value === null && errors.some(({ path }) => path?.[0] === key)),
  );
}

function requestedDelayMs({ response, ...failure }: FailedAttempt): number | undefined {
  const seconds = failure.errors
    ? failuresOf(failure).flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? [])
    : [response?.headers.get('retry-after') ?? []].flat().map(Number).filter(Number.isFinite);
  return seconds.length > 0 ? 1000 * Math.max(...seconds) : undefined;
}

/** Exponential backoff with full jitter. */
function backoffDelayMs(
  { attempt }: FailedAttempt,
  { backoffMs = 500, random = Math.random }: RetryOptions,
): number {
  return Math.round(2 ** attempt * backoffMs * random());
}
