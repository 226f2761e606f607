/**
 * Retries for Apollo Client where the gateway's errors allow them. Put this link before `HttpLink`, instead of `RetryLink`,
 * which repeats mutations whose response was lost.
 */
import { ApolloLink, ServerError, ServerParseError } from '@apollo/client';
import { OperationTypeNode } from 'graphql';
import { catchError, concatAll, concatMap, fromEvent, map, NEVER, of, race, throwError, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import { retryDelayMs, type FailedAttempt, type RetryOptions } from './retryDelay.js';

export interface RetryLinkOptions extends RetryOptions {
  /** Emits once, after the milliseconds. @default timer of RxJS */
  wait?: (delayMs: number) => Observable<unknown>;
}

export function createRetryLink(options: RetryLinkOptions = {}): ApolloLink {
  const { wait = (delayMs: number) => timer(delayMs) } = options;
  return new ApolloLink((operation, forward) => {
    const isMutation = operation.operationType === OperationTypeNode.MUTATION;
    const { signal } = (operation.getContext()['fetchOptions'] ?? {}) as RequestInit;

    const send = (attempt: number): Observable<ApolloLink.Result> =>
      forward(operation).pipe(
        map((result) => {
          const { errors = [], data } = result as { errors?: FailedAttempt['errors']; data?: unknown };
          return errors.length > 0 ? retryOr(of(result), { attempt, errors, data }) : of(result);
        }),
        catchError((error: unknown) => {
          const response = ServerError.is(error) || ServerParseError.is(error) ? error.response : undefined;
          const failure = throwError(() => error);
          return of(retryOr(failure, { attempt, errors: undefined, response }));
        }),
        concatAll(), // after catchError, which must not catch the errors of later attempts
      );

    const retryOr = (outcome: Observable<ApolloLink.Result>, failure: Omit<FailedAttempt, 'isMutation'>) => {
      const delayMs = signal?.aborted ? undefined : retryDelayMs({ ...failure, isMutation }, options);
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
