/**
 * Idempotency keys and retries for Apollo Client. Put this link before `HttpLink`, instead of `RetryLink`, which repeats
 * mutations without a key when their response was lost.
 */
import { ApolloLink, ServerError, ServerParseError } from '@apollo/client';
import { OperationTypeNode } from 'graphql';
import { catchError, concatAll, concatMap, fromEvent, map, NEVER, of, race, throwError, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import { createIdempotencyKey, IDEMPOTENCY_HEADER } from './idempotencyKey.js';
import { failuresIn, retryDelayMs, type FailedAttempt, type RetryOptions } from './retryDelay.js';

export interface RetryLinkOptions extends RetryOptions {
  /** Emits once, after the milliseconds. @default timer of RxJS */
  wait?: (delayMs: number) => Observable<unknown>;
}

export function createRetryLink(options: RetryLinkOptions = {}): ApolloLink {
  const { wait = (delayMs: number) => timer(delayMs), idempotencyKeys = true } = options;
  return new ApolloLink((operation, forward) => {
    const isMutation = operation.operationType === OperationTypeNode.MUTATION;
    const { signal } = (operation.getContext()['fetchOptions'] ?? {}) as RequestInit;

    const key = idempotencyKeys ? createIdempotencyKey(operation.query) : undefined;
    if (key !== undefined)
      operation.setContext(({ headers }: { headers?: Record<string, string> }) => ({
        headers: { ...headers, [IDEMPOTENCY_HEADER]: key },
      }));

    const send = (attempt: number): Observable<ApolloLink.Result> =>
      forward(operation).pipe(
        map((result) => {
          const { errors = [], data } = result as { errors?: FailedAttempt['errors']; data?: unknown };
          const isFailed = errors.length > 0 || (isMutation && failuresIn(data).length > 0);
          return isFailed ? retryOr(of(result), { attempt, errors, data }) : of(result);
        }),
        catchError((error: unknown) => {
          const response = ServerError.is(error) || ServerParseError.is(error) ? error.response : undefined;
          const failure = throwError(() => error);
          return of(retryOr(failure, { attempt, errors: undefined, response }));
        }),
        concatAll(), // after catchError, which must not catch the errors of later attempts
      );

    const retryOr = (
      outcome: Observable<ApolloLink.Result>,
      failure: Omit<FailedAttempt, 'isMutation' | 'hasKey'>,
    ) => {
      const delayMs = signal?.aborted
        ? undefined
        : retryDelayMs({ ...failure, isMutation, hasKey: key !== undefined }, options);
      if (delayMs === undefined) return outcome;
      return race(wait(delayMs), abortOf(signal)).pipe(concatMap(() => send(failure.attempt + 1)));
    };

    return send(1);
  });
}

/** Fails when the signal is aborted. HttpLink itself listens to it only while a request is in flight. */
function abortOf(signal: AbortSignal | null | undefined): Observable<never> {
  if (!signal) return NEVER;
  return fromEvent(signal, 'abort').pipe(concatMap(() => throwError(() => signal.reason as unknown)));
}
