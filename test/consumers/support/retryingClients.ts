/** GraphQL clients with the retries of the sample front end. */
import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { Client, fetchExchange, type AnyVariables, type OperationResult } from '@urql/core';
import { TOKEN } from '../../support/gateway/gateway.js';
import { createRetryLink, type RetryingOptions } from '../../../src/client/apollo.js';
import { createRetryExchange } from '../../../src/client/urql.js';

export interface RetryingClientOptions extends Omit<RetryingOptions, 'wait'> {
  url: string;
  /** Resolves after the milliseconds. @default the timer of the front end */
  wait?: ((delayMs: number) => Promise<void>) | undefined;
}

export interface RetryingClient {
  /** Sends an operation. Returns its data, and the codes of its errors or the message of a failure without any. */
  send(query: string, variables?: AnyVariables): Promise<Result>;
  /** Sends a query as a component does that shows its result, and returns what ends that. */
  watch(query: string): () => void;
}

export interface Result {
  data: unknown;
  errors: unknown[];
}

const headers = { authorization: `Bearer ${TOKEN}` };
const isMutation = (query: string) => /\bmutation\b/.test(query);
const codesOf = (errors: readonly { extensions?: Record<string, unknown> }[]) =>
  errors.map(({ extensions }) => extensions?.['code']);

function createApolloClient({ url, wait, ...options }: RetryingClientOptions): RetryingClient {
  const retryLink = createRetryLink({
    ...options,
    ...(wait && { wait }),
  });
  const client = new ApolloClient({
    link: ApolloLink.from([retryLink, new HttpLink({ uri: url, headers })]),
    cache: new InMemoryCache(),
  });
  const context = { queryDeduplication: false };
  return {
    async send(query, variables = {}) {
      const errorPolicy = 'all';
      const { data, error } = isMutation(query)
        ? await client.mutate({ mutation: gql(query), variables, errorPolicy, fetchPolicy: 'no-cache' })
        : await client.query({ query: gql(query), variables, errorPolicy, fetchPolicy: 'no-cache', context });
      if (error === undefined) return { data, errors: [] };
      return { data, errors: CombinedGraphQLErrors.is(error) ? codesOf(error.errors) : ['network'] };
    },
    watch(query) {
      const subscription = client.watchQuery({ query: gql(query) }).subscribe({});
      return () => subscription.unsubscribe();
    },
  };
}

function createUrqlClient({ url, wait, ...options }: RetryingClientOptions): RetryingClient {
  const retryExchange = createRetryExchange({
    ...options,
    ...(wait && { wait }),
  });
  const client = new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers },
    exchanges: [retryExchange, fetchExchange],
  });
  return {
    async send(query, variables = {}) {
      const operation = isMutation(query)
        ? client.mutation(query, variables)
        : client.query(query, variables);
      const { data, error } = (await operation) as OperationResult<unknown>;
      if (error === undefined) return { data, errors: [] };
      return { data, errors: error.networkError ? ['network'] : codesOf(error.graphQLErrors) };
    },
    watch(query) {
      const subscription = client.query(query, {}).subscribe(() => undefined);
      return () => subscription.unsubscribe();
    },
  };
}

export const retryingClients: [name: string, create: (options: RetryingClientOptions) => RetryingClient][] = [
  ['Apollo Client', createApolloClient],
  ['urql', createUrqlClient],
];
