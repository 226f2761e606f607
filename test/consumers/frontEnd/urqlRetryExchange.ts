/**
 * Idempotency keys and retries for urql. Put this exchange after the cache and before `fetchExchange`, instead of
 * `retryExchange`, which repeats mutations without a key when their response was lost.
 */
import {
  makeOperation,
  type Exchange,
  type Operation,
  type OperationContext,
  type OperationResult,
} from '@urql/core';
import { delay, filter, fromValue, makeSubject, map, merge, mergeMap, pipe, takeUntil } from 'wonka';
import type { Source } from 'wonka';
import { createIdempotencyKey, IDEMPOTENCY_HEADER } from './idempotencyKey.js';
import { failuresIn, retryDelayMs, type RetryOptions } from './retryDelay.js';

export interface RetryExchangeOptions extends RetryOptions {
  /** Emits once, after the milliseconds. @default delay of wonka */
  wait?: (delayMs: number) => Source<unknown>;
}

export function createRetryExchange({
  wait = (delayMs) => pipe(fromValue(undefined), delay(delayMs)),
  idempotencyKeys = true,
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
            map(() => withContext(operation, { attempt: attemptOf(operation) + 1 })),
            takeUntil(superseded$(operations$)),
          );
        }),
      );
      return pipe(
        merge([idempotencyKeys ? map(withKey)(operations$) : operations$, repeated$]),
        forward,
        filter((result) => {
          const delayMs = delayAfter(result, options);
          if (delayMs !== undefined) retries.next({ operation: result.operation, delayMs });
          return delayMs === undefined;
        }),
        map((result) => ({ ...result, operation: withContext(result.operation, { attempt: undefined }) })),
      );
    };
}

function delayAfter({ operation, error, data }: OperationResult, options: RetryOptions): number | undefined {
  const isMutation = operation.kind === 'mutation';
  if (error === undefined && !(isMutation && failuresIn(data).length > 0)) return undefined;
  const errors = error?.networkError ? undefined : (error?.graphQLErrors ?? []);
  // A TypeError is a failed connection, even if the status has arrived before.
  const response =
    error?.networkError instanceof TypeError ? undefined : (error?.response as Response | undefined);
  const hasKey = operation.context['hasKey'] === true;
  return retryDelayMs({ attempt: attemptOf(operation), isMutation, hasKey, errors, data, response }, options);
}

function attemptOf(operation: Operation): number {
  return (operation.context['attempt'] as number | undefined) ?? 1;
}

function withKey(operation: Operation): Operation {
  const key = operation.kind === 'mutation' ? createIdempotencyKey(operation.query) : undefined;
  if (key === undefined) return operation;
  const { fetchOptions } = operation.context;
  return withContext(operation, {
    hasKey: true,
    // A function of the application is called for each attempt, as its token may have been renewed.
    fetchOptions: () => {
      const options = typeof fetchOptions === 'function' ? fetchOptions() : fetchOptions;
      const headers = new Headers(options?.headers);
      headers.set(IDEMPOTENCY_HEADER, key);
      return { ...options, headers };
    },
  });
}

/** The context of an operation survives other exchanges, unlike the object itself. */
function withContext(operation: Operation, changes: Partial<OperationContext>): Operation {
  return makeOperation(operation.kind, operation, { ...operation.context, ...changes });
}
