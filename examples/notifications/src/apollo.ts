/** The GraphQL client. Its link gives each mutation an idempotency key, and repeats what is safe to repeat. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { waitOnline } from 'shipment-graphql-client';
import { cacheConfig, createRetryLink } from 'shipment-graphql-client/apollo';
import { currentToken } from './token';

// After the retry link, so that a repeat has the token that is current then.
const tokenLink = new SetContextLink(({ headers }) => ({
  headers: { ...(headers as Record<string, string>), authorization: `Bearer ${currentToken()}` },
}));

/** Keys of the writes that may have left the browser: those can no longer be cancelled. */
const departed = new Set<string>();
export const hasLeft = (idempotencyKey: string) => departed.has(idempotencyKey);

const httpLink = new HttpLink({
  uri: '/graphql',
  fetch(uri, init) {
    const { variables } = JSON.parse(init?.body as string) as { variables?: { idempotencyKey?: string } };
    if (navigator.onLine && variables?.idempotencyKey) departed.add(variables.idempotencyKey);
    return fetch(uri, init);
  },
});

/** When the link sends something again, in milliseconds since the epoch; undefined while it does not wait. */
let retryAt: number | undefined;
const listeners = new Set<() => void>();
const setRetryAt = (time: number | undefined) => {
  retryAt = time;
  for (const listener of listeners) listener();
};
export const retries = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  getRetryAt: () => retryAt,
};

const retryLink = createRetryLink({
  wait: async (delayMs) => {
    setRetryAt(Date.now() + delayMs);
    await waitOnline(delayMs);
    setRetryAt(undefined);
  },
});

export const client = new ApolloClient({
  cache: new InMemoryCache(cacheConfig),
  link: ApolloLink.from([retryLink, tokenLink, httpLink]),
});
