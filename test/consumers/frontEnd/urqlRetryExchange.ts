/**
 * Retries for urql where the gateway's errors allow them. Put this exchange after the cache and before `fetchExchange`,
 * instead of `retryExchange`, which repeats mutations whose response was lost.
 */
import { makeOperation, type Exchange, type Operation, type OperationResult } from '@urql/core';
import { delay, filter, fromValue, makeSubject, map, merge, mergeMap, pipe, takeUntil } from 'wonka';
import type { Source } from 'wonka';
import { retryDelayMs, type RetryOptions } from './retryDelay.js';

export interface RetryExchangeOptions extends RetryOptions {
  /** Emits once, after the milliseconds. @default delay of wonka */
  wait?: (delayMs: number) => Source<unknown>;
}

export function createRetryExchange({
  wait = (delayMs) => pipe(fromValue(undefined), delay(delayMs)),
  ...options
}: RetryExchangeOptions = {}): Exchange {
  return ({ forward }) =>
    (operations$) => {
      const retries = makeSubject<{ operation: Operation; delayMs: number }>();
      const repeated$ = pipe(
        retries.source,
        mergeMap(({ operation, delayMs }) => {
          // urql cancels a query that nobody waits for, but never a mutation.
          const superseded$ = filter<Operation>(
            ({ key, kind }) => key === operation.key && kind !== 'mutation',
          );
          return pipe(
            wait(delayMs),
            map(() => withAttempt(operation, attemptOf(operation) + 1)),
            takeUntil(superseded$(operations$)),
          );
        }),
      );
      return pipe(
        merge([operations$, repeated$]),
        forward,
        filter((result) => {
          const delayMs = delayAfter(result, options);
          if (delayMs !== undefined) retries.next({ operation: result.operation, delayMs });
          return delayMs === undefined;
        }),
        map((result) => ({ ...result, operation: withAttempt(result.operation, undefined) })),
      );
    };
}

function delayAfter({ operation, error, data }: OperationResult, options: RetryOptions): number | undefined {
  if (error === undefined) return undefined;
  const errors = error.networkError ? undefined : error.graphQLErrors;
  const response = error.response as Response | undefined;
  const isMutation = operation.kind === 'mutation';
  return retryDelayMs({ attempt: attemptOf(operation), isMutation, errors, data, response }, options);
}

function attemptOf(operation: Operation): number {
  return (operation.context['attempt'] as number | undefined) ?? 1;
}

/** The context of an operation survives other exchanges, unlike the object itself. */
function withAttempt(operation: Operation, attempt: number | undefined): Operation {
  return makeOperation(operation.kind, operation, { ...operation.context, attempt });
}
