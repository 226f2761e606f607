/** Sample front end with Apollo Client: cache normalized by `id`, errors handled by `extensions.code`. */
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { cacheConfig, createRetryLink } from 'shipment-graphql-client/apollo';
import { invalidCarriers, unknownShipment, updatedNotification } from './inputs.js';
import { ListNotifications, ReadNotification, TrackShipment, UpdateNotification } from './operations.js';
import type { ScenarioOptions, ScenarioResult } from './scenario.js';

export async function runApolloClient({
  url,
  token,
  notificationGuid,
}: ScenarioOptions): Promise<ScenarioResult> {
  const client = new ApolloClient({
    link: ApolloLink.from([
      createRetryLink(),
      new HttpLink({ uri: url, headers: { authorization: `Bearer ${token}` } }),
    ]),
    cache: new InMemoryCache(cacheConfig),
  });
  const variables = { notificationGuid };
  const cacheOnly = { fetchPolicy: 'cache-only' } as const;

  await client.query({ query: ListNotifications });
  const fetched = await client.query({ query: ReadNotification, variables });
  await client.mutate({
    mutation: UpdateNotification,
    variables: { ...variables, input: updatedNotification },
  });
  const cached = await client.query({ query: ReadNotification, variables, ...cacheOnly });
  const cachedList = await client.query({ query: ListNotifications, ...cacheOnly });
  const errorExtensions = await Promise.all(
    [unknownShipment, ...invalidCarriers].map((input) =>
      client.mutate({ mutation: TrackShipment, variables: { input } }).then(
        () => [],
        (error: unknown) => {
          if (!CombinedGraphQLErrors.is(error)) throw error;
          return error.errors.map(({ extensions }) => extensions ?? {});
        },
      ),
    ),
  );
  client.stop();
  return {
    fetched: fetched.data?.notification ?? null,
    cached: cached.data?.notification ?? null,
    cachedNames:
      cachedList.data?.notifications?.notifications.map(({ notificationName }) => notificationName) ?? [],
    errorExtensions,
  };
}
