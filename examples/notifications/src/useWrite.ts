import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useEffect, useRef, useState } from 'react';
import { resultOf, waitOnline, type IntentOptions } from 'shipment-graphql-client';
import type { RetryWait } from 'shipment-graphql-client/apollo';
import { useWrite as useWriteWith } from 'shipment-graphql-client/react';
import { client, onWait } from './apollo';

interface Options {
  /** Called when the user leaves the page while it is being sent, with whether that was early enough to cancel it. */
  onLeave?: (isCancelled: boolean) => void;
  /** Where its key outlives a reload. */
  intent?: IntentOptions;
}

/** One write that the user intends, with Apollo Client. */
export function useWrite<Data, Variables extends OperationVariables>(
  mutation: TypedDocumentNode<Data, Variables>,
  field: keyof Data & string,
  { onLeave, intent }: Options = {},
) {
  const isHere = useRef(true);
  const isCancelled = useRef(false);
  const wasCancelled = () => isCancelled.current;
  const phase = useRef<'IDLE' | 'OFFLINE' | 'SENDING'>('IDLE');
  const [isSending, setSending] = useState(false);
  const [wait, setWait] = useState<RetryWait>();
  const { write, ...others } = useWriteWith(
    field,
    async (variables: Variables) => {
      const key: unknown = variables['idempotencyKey'];
      onWait.set(key, setWait);
      // Errors are returned: `resultOf` reads them.
      return client.mutate({ mutation, variables, errorPolicy: 'all' }).finally(() => onWait.delete(key));
    },
    intent,
  );

  const leave = useRef(() => {});
  leave.current = () => {
    if (phase.current === 'IDLE') return;
    // What may have been applied is repeated until that is known.
    const isRejected = wait && resultOf<Data>(wait.source, field).outcome === 'NOT_APPLIED';
    isCancelled.current = phase.current === 'OFFLINE' || isRejected === true;
    if (isRejected) wait.cancel();
    onLeave?.(isCancelled.current);
  };
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
      leave.current();
    };
  }, []);

  return {
    ...others,
    isSending,
    /** Whether the page is still open. */
    isHere,
    /** The time until it is sent again. */
    wait,
    write: async (variables: Parameters<typeof write>[0]) => {
      setSending(true);
      phase.current = 'OFFLINE';
      await waitOnline(0); // what has not left the browser can be cancelled
      if (wasCancelled()) return NOBODY_WAITS;
      phase.current = 'SENDING';
      const written = await write(variables).finally(() => {
        phase.current = 'IDLE';
        setSending(false);
      });
      return wasCancelled() ? NOBODY_WAITS : written;
    },
  };
}

/** For what was cancelled. */
const NOBODY_WAITS = new Promise<never>(() => undefined);
