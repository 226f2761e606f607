import type { ApolloClient, OperationVariables, TypedDocumentNode } from '@apollo/client';
import { useWrite as useWriteWith, type Written as WrittenWith } from 'shipment-graphql-client/react';
import { client } from './apollo';

export type Written<Data = unknown> = WrittenWith<ApolloClient.MutateResult<Data>>;

/** One write that the user intends, with Apollo Client. */
export function useWrite<Data, Variables extends OperationVariables>(
  mutation: TypedDocumentNode<Data, Variables>,
  field: keyof Data & string,
) {
  // Errors are returned: `resultOf` reads them.
  return useWriteWith(field, (variables: Variables) =>
    client.mutate({ mutation, variables, errorPolicy: 'all' }),
  );
}
