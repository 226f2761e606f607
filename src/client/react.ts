/** React: a list that is sent, and one write that the user intends, as hooks. */
import { useRef, useState, useSyncExternalStore } from 'react';
import type { Batch } from './batch.js';
import { canonicalJson, createIntent, type IntentOptions } from './intent.js';
import type { ListSnapshot } from './list.js';
import { resultOf, type WriteResult } from './result.js';

/** The snapshot on a server, which has no storage, and of the first rendering in the browser, which must not differ from it. */
const EMPTY: ListSnapshot<never> = { items: [], isRunning: false, retryAt: undefined };

/** The batch with its snapshot. Create the batch outside of the component: it outlives the page that shows it. */
export function useBatch<Item>(batch: Batch<Item>): Batch<Item> & ListSnapshot<Item> {
  return { ...batch, ...useSyncExternalStore(batch.subscribe, batch.getSnapshot, () => EMPTY) };
}

/** One write that the user intends. */
export interface Write<Variables, Source> {
  /**
   * Sends it, and resolves with what became of it and with what `send` resolved with. A second click while it is being sent, or after it
   * was applied, gets the same promise, until `startOver()`; other variables are sent after it. Rejects if the storage is full.
   */
  readonly write: (variables: Variables) => Promise<Written<Source>>;
  readonly isSending: boolean;
  /** The result of the latest attempt. */
  readonly result: Written<Source> | undefined;
  /** Whether an attempt with other variables is still unknown: to send these ones may write twice. Ask first. */
  readonly mayDouble: (variables: Variables) => boolean;
  /** The result of the attempts with these variables, those before a reload included: see `Intent`. */
  readonly resultFor: (variables: Variables) => WriteResult | undefined;
  /** The user wants to write once more, whatever became of the attempts before, even after a success. */
  readonly startOver: () => void;
}

/** The source is undefined if `send` rejected: `cause` has the reason; and if a page before the reload has sent it. */
export type Written<Source> = WriteResult & { readonly source: Source | undefined };

/** The response keys in what `send` resolves with, `{ data }`, as far as its type has them. */
export type FieldOf<Source> = Source extends { data?: infer Data }
  ? unknown extends Data
    ? string
    : keyof NonNullable<Data> & string
  : string;

/**
 * One write whose attempts have the same idempotency key until it was certainly not applied.
 * @param field response key of the mutation field
 * @param send sends the mutation, for example with `client.mutate`; its variables have the key
 * @param options a storage, in which the key of an attempt of unknown outcome outlives a reload
 */
export function useWrite<Sent extends { idempotencyKey?: string | null }, Source>(
  field: FieldOf<Source>,
  send: (variables: Sent) => Promise<Source>,
  options?: IntentOptions,
): Write<Omit<Sent, 'idempotencyKey'>, Source> {
  const [intent] = useState(() => createIntent(options));
  const isHydrated = useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
  const [state, setState] = useState<{ isSending: boolean; result?: Written<Source> }>({ isSending: false });
  /** The latest call: while it is being sent, and once it was applied. */
  const current = useRef<{ text: string | undefined; promise: Promise<Written<Source>> }>(undefined);

  async function attempt(variables: Omit<Sent, 'idempotencyKey'>): Promise<Written<Source>> {
    const known = intent.resultFor(variables);
    const result = known?.nextStep === 'NONE' ? { ...known, source: undefined } : await sendOnce(variables);
    setState({ isSending: false, result });
    return result;
  }

  async function sendOnce(variables: Omit<Sent, 'idempotencyKey'>): Promise<Written<Source>> {
    const sent = { ...variables, idempotencyKey: intent.keyFor(variables) } as unknown as Sent;
    setState(({ result }) => ({ isSending: true, ...(result && { result }) }));
    let source: Source | undefined;
    let failure: unknown;
    try {
      source = await send(sent);
    } catch (error) {
      failure = error;
    }
    const result = resultOf(failure ?? source, field);
    intent.settle(result);
    return { ...result, source };
  }

  function write(variables: Omit<Sent, 'idempotencyKey'>): Promise<Written<Source>> {
    const text = canonicalJson(variables);
    const before = current.current;
    if (before?.text === text) return before.promise;
    const promise = Promise.resolve(before?.promise)
      .catch(() => undefined)
      .then(() => attempt(variables));
    const own = { text, promise };
    current.current = own;
    const forget = () => {
      if (current.current === own) current.current = undefined;
    };
    promise.then(({ nextStep }) => nextStep === 'NONE' || forget(), forget);
    return promise;
  }

  return {
    ...state,
    result: state.result,
    write,
    mayDouble: (variables) => isHydrated && intent.mayDouble(variables),
    resultFor: (variables) => (isHydrated ? intent.resultFor(variables) : undefined),
    startOver() {
      intent.startOver(); // at once: the same click may send it
      if (current.current) current.current = { ...current.current, text: undefined };
      setState({ isSending: false });
    },
  };
}

const subscribeToNothing = () => () => undefined;
