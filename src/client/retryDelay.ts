/** When to send an operation again: the policy of the link for Apollo Client, the exchange for urql, and `createBatch`. */
import { isGatewayError } from '../errors.js';
import { errorsOf } from './result.js';
import { read, type HttpResponseLike } from './source.js';

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
  /**
   * Milliseconds after which an attempt without a response counts as lost. It has to be longer than the gateway takes at most.
   * @default 60000, see `REQUEST_TIMEOUT_MS`
   */
  timeoutMs?: number;
  /** Called before each wait, so that the application can show it and end it. */
  onWait?: (wait: RetryWait) => void;
  /** Resolves after the milliseconds, and once the browser is online. @default a timer, and the event `online`, for at most 30 seconds */
  wait?: (delayMs: number) => Promise<void>;
}

/**
 * Milliseconds after which a request without a response counts as lost. With its defaults, a gateway responds to a bulk mutation within 44
 * seconds (30 s + 1.4 × `SERVICE_TIMEOUT_MS`), and keeps the outcome of whatever it is doing for a repeat with the same key. If
 * it has larger values, or if operations have several mutation fields, wait longer.
 */
export const REQUEST_TIMEOUT_MS = 60_000;

/** A wait between two attempts. */
export interface RetryWait {
  readonly operationName: string | undefined;
  readonly variables: unknown;
  /** The source for `resultOf`: what is known so far. */
  readonly source: unknown;
  /** Number of the attempt that comes next. */
  readonly attempt: number;
  /** When it starts, in milliseconds since the epoch; later while the browser is offline. */
  readonly retryAt: number;
  /** Ends the operation with the `source`. What may have been applied stays `UNKNOWN`. */
  readonly cancel: () => void;
  /** Resolves when the wait is over, however it ended. */
  readonly ended: Promise<void>;
}

/** Starts a wait. `goesOn` resolves with whether the next attempt is to be made. */
export function startWait(
  delayMs: number,
  about: Pick<RetryWait, 'attempt' | 'operationName' | 'source' | 'variables'>,
  { wait = waitOnline, onWait }: RetryingOptions,
): { goesOn: Promise<boolean>; cancel: () => void } {
  let cancel = (): void => undefined;
  const cancelled = new Promise<boolean>((resolve) => (cancel = () => resolve(false)));
  const goesOn = Promise.race([cancelled, wait(delayMs).then(() => true)]);
  const end = (): void => undefined;
  const ended = goesOn.then(end, end);
  onWait?.({ ...about, retryAt: Date.now() + delayMs, cancel, ended });
  return { goesOn, cancel };
}

/** A request of which something failed. */
export interface FailedAttempt {
  /** Number of the attempt, from 1. */
  attempt: number;
  /** The source for `resultOf`: the response, the result or error of a client, or what `fetch` threw. A `Response` if it has no GraphQL. */
  source: unknown;
  isMutation: boolean;
  /** Whether every attempt of the mutation has the same idempotency key, or every item of its bulk field has one. @default false */
  hasKey?: boolean;
  /** Whether it has a bulk field: what fails item by item is not repeated as a whole. @default false */
  isBulk?: boolean;
}

/** Statuses of proxies after which a repeat may succeed (RFC 9110 section 15.6, RFC 6585 section 4). */
const TRANSIENT_STATUSES: readonly number[] = [429, 502, 503, 504];

/**
 * Milliseconds after which the operation is sent again; undefined if it must not be, or need not. Without a GraphQL response, a mutation
 * is only repeated with a key. With one, every error has to be `retryable`, whether it is data or a GraphQL error, and no other field
 * of a mutation may have succeeded. The wait is the longest `retryAfterSeconds`, or `Retry-After`; without either, or if it is 0,
 * the backoff is exponential with full jitter.
 */
export function retryDelayMs(failure: FailedAttempt, options: RetryOptions = {}): number | undefined {
  const { attempt, source, isMutation, hasKey, isBulk } = failure;
  const { data, errors, response } = read(source);
  const failures = errorsOf(source);
  const mayRepeat = errors
    ? !isBulk &&
      failures.length > 0 &&
      failures.every(({ retryable }) => retryable) &&
      errors.every(isGatewayError) &&
      // Another field of a mutation may have succeeded, so that it must not be repeated as a whole.
      !(
        isMutation &&
        Object.keys(data).some((name) => name !== '__typename' && !errorsOf(source, name).length)
      )
    : // Nobody knows whether a mutation was applied. A key keeps it from being applied twice.
      (!isMutation || hasKey) && (!response || TRANSIENT_STATUSES.includes(response.status));
  if (!mayRepeat || attempt >= (options.maxAttempts ?? 3)) return undefined;
  return waitMs(
    attempt,
    [retryAfterSeconds(response), ...failures.map(({ retryAfterSeconds }) => retryAfterSeconds)],
    options,
  );
}

/** The wait that `Retry-After` asks for: seconds, or a date (RFC 9110 section 10.2.3). */
function retryAfterSeconds(response: HttpResponseLike | undefined): number {
  const after = response?.headers?.get?.('retry-after') ?? '';
  return Number(after) || (Date.parse(after) - Date.now()) / 1000;
}

/** The wait before the next attempt in milliseconds; undefined if it is too long. */
export function waitMs(
  attempt: number,
  askedSeconds: readonly unknown[],
  options: RetryOptions,
): number | undefined {
  const { maxWaitMs = 10_000, backoffMs = 500, random = Math.random } = options;
  const seconds = Math.max(0, ...askedSeconds.map((each) => Number(each) || 0));
  const delayMs = 1000 * seconds || Math.round(2 ** attempt * backoffMs * random());
  return delayMs <= maxWaitMs ? delayMs : undefined;
}

/** Some browsers and virtual machines say that they are offline when they are not, and never tell of a change. */
const MAX_OFFLINE_MS = 30_000;

/** Waits for the milliseconds, and while the browser is offline for its event `online`, at most `MAX_OFFLINE_MS`. */
export async function waitOnline(delayMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  // Node.js has no such property, and no such event.
  if ((globalThis.navigator as Navigator | undefined)?.onLine !== false) return;
  await new Promise<unknown>((resolve) => {
    addEventListener('online', resolve, { once: true });
    setTimeout(() => {
      removeEventListener('online', resolve);
      resolve(undefined);
    }, MAX_OFFLINE_MS);
  });
}
