/** Apollo Client 4: idempotency keys and retries, the configuration of its cache, optimistic responses. */
import { ApolloLink, type InMemoryCacheConfig } from '@apollo/client';
import {
  catchError,
  concatAll,
  concatMap,
  defer,
  finalize,
  from,
  fromEvent,
  map,
  NEVER,
  of,
  race,
  throwError,
  timeout,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { isKept } from './intent.js';
import { createEnding, createRepeatPolicy, IDEMPOTENCY_HEADER, namedError } from './operation.js';
import { possibleTypes } from './possibleTypes.js';
import type { WriteOutcome } from '../errors.js';
import type { OutcomeEvidence } from './result.js';
import { REQUEST_TIMEOUT_MS, retryDelayMs, startWait, type RetryingOptions } from './retryDelay.js';

export type { RetryingOptions, RetryWait } from './retryDelay.js';

/**
 * A link that gives each mutation an idempotency key, and repeats what is safe to repeat, with the same key. Put it before `HttpLink`,
 * instead of `RetryLink`, which repeats mutations without a key when their response was lost. A header `Idempotency-Key` in the context
 * of the operation stays, and so does the argument `idempotencyKey` of the field.
 */
export function createRetryLink(options: RetryingOptions = {}): ApolloLink {
  const { timeoutMs = REQUEST_TIMEOUT_MS, idempotencyKeys = true } = options;
  return new ApolloLink((operation, forward) => {
    const { query, variables, operationName } = operation;
    const { key, ...policy } = createRepeatPolicy(query, variables, idempotencyKeys, operationName);
    const endingAfter = createEnding<Ending>(policy.field);
    const startedAt = Date.now();
    const { signal } = (operation.getContext()['fetchOptions'] ?? {}) as RequestInit;
    if (key !== undefined)
      operation.setContext(({ headers }: { headers?: Record<string, string> }) => ({
        headers: { [IDEMPOTENCY_HEADER.toLowerCase()]: key, ...withLowerCaseNames(headers) },
      }));

    const send = (attempt: number): Observable<ApolloLink.Result> =>
      defer(() => forward(operation)).pipe(
        timeout({ first: timeoutMs }), // unsubscribes, which ends the request of HttpLink
        map((result) => retryOr({ result$: of(result), source: result }, attempt)),
        catchError((error: unknown) =>
          of(retryOr({ result$: throwError(() => error), source: error }, attempt)),
        ),
        concatAll(), // after catchError, which must not catch the errors of later attempts
      );

    const retryOr = (ended: Ending, attempt: number) => {
      const { result$, source } = endingAfter(ended, ended.source);
      const delayMs = signal?.aborted
        ? undefined
        : retryDelayMs({ attempt, source: ended.source, ...policy }, options);
      if (delayMs === undefined) return result$;
      // The device may have slept meanwhile.
      const mayRepeat = () => !policy.isMutation || isKept(startedAt);
      const about = { attempt: attempt + 1, operationName, source, variables };
      const { goesOn, cancel } = startWait(delayMs, about, options);
      return race(from(goesOn), abortOf(signal)).pipe(
        finalize(cancel), // nobody waits for the result any more
        concatMap((isToRepeat) => (isToRepeat && mayRepeat() ? send(attempt + 1) : result$)),
      );
    };

    return send(1);
  });
}

/** For `new InMemoryCache(cacheConfig)`. Objects are normalized by `id`, as they are without configuration. */
export const cacheConfig: Required<Pick<InMemoryCacheConfig, 'possibleTypes' | 'typePolicies'>> = {
  possibleTypes,
  typePolicies: {
    // A recipient has no key: an update replaces it, as fields of two recipients must not be merged.
    Notification: { fields: { recipient: { merge: false } } },
    // Queries that select other fields of the list add to it.
    NotificationList: { merge: true },
    // A record without its key stays in the list that it was read with.
    WriteRecord: { keyFields: ({ idempotencyKey }) => (idempotencyKey == null ? false : ['idempotencyKey']) },
  },
};

/** The members of `WritePayload` for an `optimisticResponse`: `{ trackShipment: { __typename: 'TrackShipmentPayload', ...optimistic } }`. */
export const optimistic: { outcome: WriteOutcome; evidence: OutcomeEvidence; errors: [] } = {
  outcome: 'APPLIED',
  evidence: 'RESPONSE',
  errors: [],
};

/** How an operation ends unless there is another attempt. */
interface Ending {
  readonly result$: Observable<ApolloLink.Result>;
  /** The source for `resultOf`. */
  readonly source: unknown;
}

/** HttpLink would send two headers whose names differ in case, with both values. */
function withLowerCaseNames(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Fails when the signal is aborted. HttpLink itself listens to it only while a request is in flight. */
function abortOf(signal: AbortSignal | null | undefined): Observable<never> {
  if (!signal) return NEVER;
  return fromEvent(signal, 'abort').pipe(
    concatMap(() =>
      throwError(() => (signal.reason as unknown) ?? namedError('AbortError', 'The operation was aborted')),
    ),
  );
}
