/** React: a list that is sent, and one write that the user intends, as hooks. */
import { useRef, useState, useSyncExternalStore } from 'react';
import type { Batch } from './batch.js';
import { canonicalJson, createIntent } from './intent.js';
import type { ListSnapshot } from './list.js';
import { resultOf, type WriteResult } from './result.js';

/** The batch with its snapshot. Create the batch outside of the component: it outlives the page that shows it. */
export function useBatch<Item>(batch: Batch<Item>): Batch<Item> & ListSnapshot<Item> {
  return { ...batch, ...useSyncExternalStore(batch.subscribe, batch.getSnapshot, batch.getSnapshot) };
}

/** One write that the user intends. */
export interface Write<Variables, Source> {
  /**
   * Sends it, and resolves with what became of it and with what `send` resolved with. A second click while it is being sent gets the same
   * promise; other variables are sent after it.
   */
  readonly write: (variables: Variables) => Promise<Written<Source>>;
  readonly isSending: boolean;
  /** Of the latest attempt. */
  readonly result: Written<Source> | undefined;
  /** Whether an attempt with other variables is still unknown: to send these ones may write twice. Ask first. */
  readonly mayDouble: (variables: Variables) => boolean;
  /** The user wants to write once more, whatever became of the attempts before. */
  readonly startOver: () => void;
}

/** The source is undefined if `send` rejected: `cause` has the reason. */
export type Written<Source> = WriteResult & { readonly source: Source | undefined };

/**
 * One write whose attempts have the same idempotency key until its outcome is known.
 * @param field response key of the mutation field
 * @param send sends the mutation, for example with `client.mutate`; its variables have the key
 */
export function useWrite<Sent extends { idempotencyKey?: string | null }, Source>(
  field: string,
  send: (variables: Sent) => Promise<Source>,
): Write<Omit<Sent, 'idempotencyKey'>, Source> {
  const intent = useRef(createIntent());
  const [state, setState] = useState<{ isSending: boolean; result?: Written<Source> }>({ isSending: false });
  const running = useRef<{ text: string; promise: Promise<Written<Source>> }>(undefined);

  async function attempt(variables: Omit<Sent, 'idempotencyKey'>): Promise<Written<Source>> {
    setState(({ result }) => ({ isSending: true, ...(result && { result }) }));
    let source: Source | undefined;
    let failure: unknown;
    try {
      source = await send({
        ...variables,
        idempotencyKey: intent.current.keyFor(variables),
      } as unknown as Sent);
    } catch (error) {
      failure = error;
    }
    const result = { ...resultOf(failure ?? source, field), source };
    intent.current.settle(result);
    setState({ isSending: false, result });
    return result;
  }

  function write(variables: Omit<Sent, 'idempotencyKey'>): Promise<Written<Source>> {
    const text = canonicalJson(variables);
    const before = running.current;
    if (before?.text === text) return before.promise;
    const promise = Promise.resolve(before?.promise)
      .then(() => attempt(variables))
      .finally(() => {
        if (running.current === own) running.current = undefined;
      });
    const own = { text, promise };
    running.current = own;
    return promise;
  }

  return {
    ...state,
    result: state.result,
    write,
    mayDouble: (variables) => intent.current.mayDouble(variables),
    startOver() {
      intent.current = createIntent(); // at once: the same click may send it
      setState({ isSending: false });
    },
  };
}
