/** The GraphQL client. Its link gives each mutation an idempotency key, and repeats what is safe to repeat. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { cacheConfig, createRetryLink, type RetryWait } from 'shipment-graphql-client/apollo';
import { currentToken } from './token';

// After the retry link, so that a repeat has the token that is current then.
const tokenLink = new SetContextLink(({ headers }) => ({
  headers: { ...(headers as Record<string, string>), authorization: `Bearer ${currentToken()}` },
}));

/** Who wants to know that a write waits before it is sent again, and that the wait has ended, by idempotency key. */
export const onWait = new Map<unknown, (wait: RetryWait | undefined) => void>();

const retryLink = createRetryLink({
  onWait(wait) {
    const { idempotencyKey } = wait.variables as { idempotencyKey?: string };
    const show = onWait.get(idempotencyKey);
    show?.(wait);
    void wait.ended.then(() => show?.(undefined));
  },
});

export const client = new ApolloClient({
  cache: new InMemoryCache(cacheConfig),
  link: ApolloLink.from([retryLink, tokenLink, new HttpLink({ uri: '/graphql' })]),
});
