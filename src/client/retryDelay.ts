/** When to send an operation again: the policy of the link for Apollo Client, the exchange for urql, and `createBatch`. */
import { isGatewayError } from '../errors.js';
import { objectOf, read, type GraphQLErrorLike, type Reading } from './source.js';

export interface RetryOptions {
  /** Requests per operation, the first included. @default 3: the gateway itself has retried already */
  maxAttempts?: number;
  /** Longest wait in milliseconds: an operation that has to wait longer fails at once. @default 10000 */
  maxWaitMs?: number;
  /** Mean of the first wait in milliseconds if the response names none; it doubles with each attempt. @default 500 */
  backoffMs?: number;
  /** Source of the jitter, from 0 to 1. @default Math.random */
  random?: () => number;
}

/** Options of the retry link and the retry exchange. */
export interface RetryingOptions extends RetryOptions {
  /**
   * Whether mutations with one field get an idempotency key, with which they may be repeated after their response was lost. Turn it off for
   * a gateway without keys: it rejects them with `IDEMPOTENCY_UNAVAILABLE`. @default true
   */
  idempotencyKeys?: boolean;
  /** Milliseconds after which an attempt without a response counts as lost. @default 30000 */
  timeoutMs?: number;
  /** Resolves after the milliseconds, and not before the browser is online. @default a timer, and the event `online` */
  wait?: (delayMs: number) => Promise<void>;
}

/** A request of which something failed. */
export interface FailedAttempt {
  /** Number of the attempt, from 1. */
  attempt: number;
  /** What `resultOf` takes: the response, the result or the error of a client, or what `fetch` threw. A `Response` if it has no GraphQL. */
  source: unknown;
  isMutation: boolean;
  /** Whether every attempt of the mutation has the same idempotency key, or every item of its bulk field one of its own. @default false */
  hasKey?: boolean;
  /** Whether it has a bulk field: what fails item by item is not repeated as a whole. @default false */
  isBulk?: boolean;
}

/** Statuses of proxies after which a repeat may succeed (RFC 9110 section 15.6, RFC 6585 section 4). */
const TRANSIENT_STATUSES: readonly number[] = [429, 502, 503, 504];

/**
 * Milliseconds after which the operation is sent again; undefined if it must not be, or need not. Without a GraphQL response, a mutation
 * is only repeated with a key. With one, every error has to be `retryable`, whether it is data or a GraphQL error, and no other field
 * of a mutation may have succeeded. The wait is the longest `retryAfterSeconds`, or `Retry-After`; without either, the backoff is
 * exponential with full jitter.
 */
export function retryDelayMs(failure: FailedAttempt, options: RetryOptions = {}): number | undefined {
  const { maxAttempts = 3, maxWaitMs = 10_000, backoffMs = 500, random = Math.random } = options;
  const reading = read(failure.source);
  if (failure.attempt >= maxAttempts || !isSafeToRetry(failure, reading)) return undefined;
  const delayMs =
    requestedDelayMs(failure, reading) ?? Math.round(2 ** failure.attempt * backoffMs * random());
  return delayMs <= maxWaitMs ? delayMs : undefined;
}

/** Waits for the milliseconds, and while the browser is offline for its event `online`: a repeat could only fail. */
export async function waitOnline(delayMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  // Node.js has no such property, and no such event.
  if ((globalThis.navigator as Navigator | undefined)?.onLine === false)
    await new Promise((resolve) => addEventListener('online', resolve, { once: true }));
}

/** The failure of a write that is data, or the extensions of an error, as far as the operation selects its members. */
interface Failure {
  retryable?: boolean;
  retryAfterSeconds?: number | null;
}

function isSafeToRetry(
  { isMutation, hasKey = false, isBulk = false }: FailedAttempt,
  { data, errors, response }: Reading,
): boolean {
  // Without errors of the gateway nobody knows whether a mutation was applied. A key keeps it from being applied twice.
  if (errors === undefined)
    return (!isMutation || hasKey) && (!response || TRANSIENT_STATUSES.includes(response.status));
  const failures = failuresOf(isMutation, errors, data);
  const allow = failures.length > 0 && failures.every(({ retryable }) => retryable === true);
  return allow && !isBulk && !(isMutation && hasAppliedField(errors, data));
}

function failuresOf(
  isMutation: boolean,
  errors: readonly GraphQLErrorLike[],
  data: Reading['data'],
): Failure[] {
  const reported = errors.map((error) => (isGatewayError(error) ? error.extensions : {}));
  return isMutation ? [...reported, ...Object.values(data).flatMap(failuresIn)] : reported;
}

function failuresIn(payload: unknown): Failure[] {
  const { errors } = objectOf(payload);
  return Array.isArray(errors) ? (errors as Failure[]) : [];
}

/** Whether another field of the mutation may have succeeded, so that the operation must not be repeated as a whole. */
function hasAppliedField(errors: readonly GraphQLErrorLike[], data: Reading['data']): boolean {
  return Object.entries(data).some(
    ([key, value]) =>
      key !== '__typename' &&
      failuresIn(value).length === 0 &&
      !(value === null && errors.some(({ path }) => path?.[0] === key)),
  );
}

function requestedDelayMs(
  { isMutation }: FailedAttempt,
  { data, errors, response }: Reading,
): number | undefined {
  const seconds = errors
    ? failuresOf(isMutation, errors, data).flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? [])
    : [response?.headers?.get('retry-after') ?? []].flat().map(Number).filter(Number.isFinite);
  return seconds.length > 0 ? 1000 * Math.max(...seconds) : undefined;
}
