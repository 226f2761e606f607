import type { OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useMutation } from '@apollo/client/react';
import { useRef } from 'react';
import { createIntent, resultOf, type WriteResult } from 'shipment-graphql-client';

export type Written<Data> = WriteResult & { data: Data | undefined };

/**
 * One write that the user intends. Its attempts have the same idempotency key until the outcome is known, so that a second click after a lost
 * connection does not write twice.
 * @param field the field of the mutation
 */
export function useWrite<Data, Variables extends OperationVariables>(
  mutation: TypedDocumentNode<Data, Variables>,
  field: keyof Data & string,
) {
  const intent = useRef(createIntent());
  // Errors are returned, not thrown: `resultOf` reads them.
  const [mutate, { loading: isSending }] = useMutation(mutation, { errorPolicy: 'all' });

  async function write(variables: Omit<Variables, 'idempotencyKey'>): Promise<Written<Data>> {
    const idempotencyKey = intent.current.keyFor(variables);
    const source = await mutate({ variables: { ...variables, idempotencyKey } as unknown as Variables });
    const result = resultOf(source, field);
    intent.current.settle(result);
    return { ...result, data: source.data };
  }

  return {
    write,
    isSending,
    /** Whether these variables may write what an earlier attempt of unknown outcome, with other variables, has written. */
    mayDouble: (variables: Omit<Variables, 'idempotencyKey'>) => intent.current.mayDouble(variables),
    /** The user wants to write once more, whatever became of the earlier attempts. */
    startOver: () => {
      intent.current = createIntent();
    },
  };
}
