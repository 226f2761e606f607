/** The GraphQL client. Its link gives each mutation an idempotency key, and repeats what is safe to repeat. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { cacheConfig, createRetryLink } from 'shipment-graphql-client/apollo';
import { currentToken } from './token';

// After the retry link, so that a repeat has the token that is current then.
const tokenLink = new SetContextLink(({ headers }) => ({
  headers: { ...(headers as Record<string, string>), authorization: `Bearer ${currentToken()}` },
}));

export const client = new ApolloClient({
  cache: new InMemoryCache(cacheConfig),
  link: ApolloLink.from([createRetryLink(), tokenLink, new HttpLink({ uri: '/graphql' })]),
});
