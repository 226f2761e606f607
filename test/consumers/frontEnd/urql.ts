/** The front end with urql: normalized cache by `notificationGuid`, errors by `extensions.code`. */
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { renaming, unfitCarriers, unknownShipment } from './inputs.js';
import { ListNotifications, ReadNotification, TrackShipment, UpdateNotification } from './operations.js';
import type { Outcome, Setting } from './story.js';

export async function runUrql({ url, token, notificationGuid, introspection }: Setting): Promise<Outcome> {
  const isPartOfAnother = () => null;
  const client = new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    exchanges: [
      cacheExchange({
        schema: introspection,
        keys: {
          Notification: ({ notificationGuid: key }) => key as string,
          NotificationList: isPartOfAnother,
          OtherRecipient: isPartOfAnother,
          ShipmentLevelRecipient: isPartOfAnother,
          StopLevelRecipient: isPartOfAnother,
        },
      }),
      fetchExchange,
    ],
  });
  const variables = { notificationGuid };
  const fromCache = { requestPolicy: 'cache-only' } as const;

  await client.query(ListNotifications, {});
  const read = await client.query(ReadNotification, variables);
  await client.mutation(UpdateNotification, { ...variables, input: renaming });
  const cached = await client.query(ReadNotification, variables, fromCache);
  const cachedList = await client.query(ListNotifications, {}, fromCache);
  const refusals = await Promise.all(
    [unknownShipment, ...unfitCarriers].map(async (input) => {
      const { error } = await client.mutation(TrackShipment, { input });
      return error?.graphQLErrors.map(({ extensions }) => extensions) ?? [];
    }),
  );
  return {
    read: read.data?.notification ?? null,
    cached: cached.data?.notification ?? null,
    cachedNames: cachedList.data?.notifications.notifications.map((each) => each.notificationName) ?? [],
    refusals,
  };
}
