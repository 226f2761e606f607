/** The front end with Apollo Client: normalized cache by `notificationGuid`, errors by `extensions.code`. */
import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { renaming, unfitCarriers, unknownShipment } from './inputs.js';
import { ListNotifications, ReadNotification, TrackShipment, UpdateNotification } from './operations.js';
import type { Outcome, Setting } from './story.js';

export async function runApolloClient({ url, token, notificationGuid }: Setting): Promise<Outcome> {
  const client = new ApolloClient({
    link: new HttpLink({ uri: url, headers: { authorization: `Bearer ${token}` } }),
    cache: new InMemoryCache({
      possibleTypes: {
        NotificationRecipient: ['ShipmentLevelRecipient', 'StopLevelRecipient', 'OtherRecipient'],
      },
      typePolicies: {
        // A recipient is a part of its notification, and replaced as a whole.
        Notification: { keyFields: ['notificationGuid'], fields: { recipient: { merge: false } } },
      },
    }),
  });
  const variables = { notificationGuid };
  const fromCache = { fetchPolicy: 'cache-only' } as const;

  await client.query({ query: ListNotifications });
  const read = await client.query({ query: ReadNotification, variables });
  await client.mutate({ mutation: UpdateNotification, variables: { ...variables, input: renaming } });
  const cached = await client.query({ query: ReadNotification, variables, ...fromCache });
  const cachedList = await client.query({ query: ListNotifications, ...fromCache });
  const refusals = await Promise.all(
    [unknownShipment, ...unfitCarriers].map((input) =>
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
    read: read.data?.notification ?? null,
    cached: cached.data?.notification ?? null,
    cachedNames: cachedList.data?.notifications.notifications.map((each) => each.notificationName) ?? [],
    refusals,
  };
}
