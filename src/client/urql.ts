/** urql: idempotency keys and retries, and the configuration of Graphcache. */
import {
  makeOperation,
  type Exchange,
  type Operation,
  type OperationContext,
  type OperationResult,
} from '@urql/core';
import { filter, fromPromise, makeSubject, map, merge, mergeMap, onEnd, pipe, takeUntil } from 'wonka';
import { isKept } from './intent.js';
import {
  createEnding,
  createRepeatPolicy,
  IDEMPOTENCY_HEADER,
  namedError,
  type Document,
  type RepeatPolicy,
} from './operation.js';
import { possibleTypes, typesWithoutId } from './possibleTypes.js';
import { REQUEST_TIMEOUT_MS, retryDelayMs, startWait, type RetryingOptions } from './retryDelay.js';

export type { RetryingOptions, RetryWait } from './retryDelay.js';

/**
 * An exchange that gives each mutation an idempotency key, and repeats what is safe to repeat, with the same key. Put it after the cache
 * and before `fetchExchange`, instead of `retryExchange`, which repeats mutations without a key when their response was lost. A header
 * `Idempotency-Key` in `fetchOptions` stays, and so does the argument `idempotencyKey` of the field.
 */
export function createRetryExchange(options: RetryingOptions = {}): Exchange {
  return ({ forward }) =>
    (operations$) => {
      const retries = makeSubject<Attempt & { delayMs: number }>();
      const cancelled = makeSubject<OperationResult>();
      const repeated$ = pipe(
        retries.source,
        mergeMap(({ result: { operation }, ending, delayMs }) => {
          // urql cancels a query that nobody waits for, but never a mutation.
          const superseded$ = filter<Operation>(
            ({ key, kind }) => key === operation.key && kind !== 'mutation',
          );
          const repeats = withNextAttempt(operation);
          const about = {
            attempt: repeats?.attempt ?? 1,
            operationName: nameOf(operation),
            source: sourceOf(ending),
            variables: operation.variables as unknown,
          };
          const { goesOn, cancel } = startWait(delayMs, about, options);
          return pipe(
            fromPromise(goesOn),
            takeUntil(superseded$(operations$)),
            onEnd(cancel),
            filter((isToRepeat) => {
              if (!isToRepeat) cancelled.next(ending);
              return isToRepeat;
            }),
            map(() => withContext(operation, { repeats })),
          );
        }),
      );
      const results$ = pipe(
        merge([
          pipe(
            operations$,
            map((operation) => prepared(operation, options)),
          ),
          repeated$,
        ]),
        forward,
        map((result): Attempt => {
          const repeats = repeatsOf(result.operation);
          repeats?.timeout.end();
          return { result, ending: repeats?.endingAfter(result, sourceOf(result)) ?? result };
        }),
        filter(({ result, ending }) => {
          const delayMs = delayAfter(result, options);
          if (delayMs !== undefined) retries.next({ result, ending, delayMs });
          return delayMs === undefined;
        }),
        map(({ ending }) => ending),
      );
      return pipe(
        merge([results$, cancelled.source]),
        map((result) => ({ ...result, operation: restored(result.operation) })),
      );
    };
}

/** For `cacheExchange(graphcacheConfig)` of Graphcache: it matches fragments on interfaces, and does not warn of types without a key. */
export const graphcacheConfig: {
  possibleTypes: Record<string, string[]>;
  keys: Record<string, (data: Readonly<Record<string, unknown>>) => string | null>;
} = {
  possibleTypes,
  keys: {
    ...Object.fromEntries(typesWithoutId.map((name) => [name, () => null])), // the cache keeps them in their parent
    WriteRecord: ({ idempotencyKey }) => (idempotencyKey as string | undefined) ?? null,
  },
};

/** An attempt that has ended. */
interface Attempt {
  result: OperationResult;
  /** How the operation ends unless there is another attempt. */
  ending: OperationResult;
}

/** State of the exchange in the context of an operation, which survives other exchanges, unlike the object itself. */
interface Repeats {
  attempt: number;
  policy: RepeatPolicy;
  readonly endingAfter: (result: OperationResult, source: unknown) => OperationResult;
  /** As the application gave them. */
  given: Partial<OperationContext>;
  /** The timeout of the attempt that is under way: it ends with the body, not with the headers. */
  readonly timeout: { end: () => void };
}

function repeatsOf({ context }: Operation): Repeats | undefined {
  return context['repeats'] as Repeats | undefined;
}

function delayAfter(result: OperationResult, options: RetryingOptions): number | undefined {
  const repeats = repeatsOf(result.operation);
  if (!repeats) return undefined;
  const { attempt, policy } = repeats;
  return retryDelayMs({ attempt, source: sourceOf(result), ...policy }, options);
}

/** The source for `resultOf`. */
function sourceOf({ data, error }: OperationResult) {
  return { data: data as unknown, error };
}

function nameOf({ query }: Operation): string | undefined {
  const { definitions }: Document = query;
  return definitions.find(({ kind }) => kind === 'OperationDefinition')?.name?.value;
}

/** The operation with its key and its timeout for every attempt. */
function prepared(operation: Operation, options: RetryingOptions): Operation {
  if (operation.kind === 'teardown') return operation;
  const { timeoutMs = REQUEST_TIMEOUT_MS, idempotencyKeys = true } = options;
  const policy = createRepeatPolicy(operation.query, operation.variables, idempotencyKeys);
  const startedAt = Date.now();
  const { key } = policy;
  const { fetchOptions, fetch: send = fetch } = operation.context;
  const given = { fetch: operation.context.fetch, fetchOptions } as Partial<OperationContext>;
  const timeout = { end: (): void => undefined };
  const endingAfter = createEnding<OperationResult>(policy.field);
  const repeats: Repeats = { attempt: 1, policy, endingAfter, given, timeout };
  return withContext(operation, {
    repeats,
    fetch: async (input: RequestInfo | URL, init: RequestInit = {}) => {
      // The device may have slept since the first attempt.
      if (policy.isMutation && !isKept(startedAt)) throw new TypeError('Too late to repeat');
      const { signal, end } = startTimeout(init.signal, timeoutMs);
      timeout.end = end;
      return send(input, { ...init, signal });
    },
    // A function of the application is called for each attempt, as its token may have been renewed.
    ...(key !== undefined && {
      fetchOptions: () => {
        const given = typeof fetchOptions === 'function' ? fetchOptions() : fetchOptions;
        const headers = new Headers(given?.headers);
        if (!headers.has(IDEMPOTENCY_HEADER)) headers.set(IDEMPOTENCY_HEADER, key);
        return { ...given, headers };
      },
    }),
  });
}

/** Without `AbortSignal.timeout` and `AbortSignal.any`, which browsers of 2023 lack. */
function startTimeout(given: AbortSignal | null | undefined, timeoutMs: number) {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(namedError('TimeoutError', 'The operation timed out')),
    timeoutMs,
  );
  (timer as { unref?: () => void }).unref?.(); // it must not keep Node.js running
  const end = () => {
    clearTimeout(timer);
    given?.removeEventListener('abort', abort);
  };
  const abort = () => {
    end();
    controller.abort(given?.reason);
  };
  given?.addEventListener('abort', abort);
  if (given?.aborted) abort();
  return { signal: controller.signal, end };
}

function withNextAttempt(operation: Operation): Repeats | undefined {
  const repeats = repeatsOf(operation);
  return repeats && { ...repeats, attempt: repeats.attempt + 1 };
}

/** The operation as it was before the exchange, so that a cache that repeats it starts again from one. */
function restored(operation: Operation): Operation {
  return withContext(operation, { ...repeatsOf(operation)?.given, repeats: undefined });
}

function withContext(operation: Operation, changes: Partial<OperationContext>): Operation {
  return makeOperation(operation.kind, operation, { ...operation.context, ...changes });
}
