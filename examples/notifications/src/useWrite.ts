import type { ApolloClient, OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useEffect, useRef } from 'react';
import { useWrite as useWriteWith, type Written as WrittenWith } from 'shipment-graphql-client/react';
import { client, hasLeft } from './apollo';

export type Written<Data = unknown> = WrittenWith<ApolloClient.MutateResult<Data>>;

/**
 * One write that the user intends, with Apollo Client.
 * @param onLeave called when the user leaves the page while it is being sent, with whether it could be cancelled before it left the browser
 */
export function useWrite<Data, Variables extends OperationVariables>(
  mutation: TypedDocumentNode<Data, Variables>,
  field: keyof Data & string,
  onLeave?: (isCancelled: boolean) => void,
) {
  const attempt = useRef<{ key: string; controller: AbortController }>(undefined);
  const isHere = useRef(true);
  const isCancelled = useRef(false);
  const { write, ...others } = useWriteWith(field, async (variables: Variables) => {
    const controller = new AbortController();
    attempt.current = { key: String(variables['idempotencyKey']), controller };
    // Errors are returned: `resultOf` reads them.
    return client.mutate({
      mutation,
      variables,
      errorPolicy: 'all',
      context: { fetchOptions: { signal: controller.signal } },
    });
  });

  const leave = useRef(onLeave);
  leave.current = onLeave;
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
      const { key, controller } = attempt.current ?? {};
      if (key === undefined) return;
      isCancelled.current = !hasLeft(key);
      if (isCancelled.current) controller?.abort();
      leave.current?.(isCancelled.current);
    };
  }, []);

  return {
    ...others,
    /** Whether the page is still open. */
    isHere,
    write: async (given: Parameters<typeof write>[0]) => {
      const written = await write(given);
      attempt.current = undefined;
      // Nobody waits for what was cancelled.
      return isCancelled.current ? new Promise<never>(() => undefined) : written;
    },
  };
}
