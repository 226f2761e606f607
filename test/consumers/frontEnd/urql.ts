/** Sample front end with urql: cache normalized by `id`, errors handled by `extensions.code`. */
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { createRetryExchange, graphcacheConfig } from 'shipment-graphql-client/urql';
import { invalidCarriers, unknownShipment, updatedNotification } from './inputs.js';
import { ListNotifications, ReadNotification, TrackShipment, UpdateNotification } from './operations.js';
import type { ScenarioOptions, ScenarioResult } from './scenario.js';

export async function runUrql({ url, token, notificationGuid }: ScenarioOptions): Promise<ScenarioResult> {
  const client = new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    exchanges: [cacheExchange(graphcacheConfig), createRetryExchange(), fetchExchange],
  });
  const variables = { notificationGuid };
  const cacheOnly = { requestPolicy: 'cache-only' } as const;

  await client.query(ListNotifications, {});
  const fetched = await client.query(ReadNotification, variables);
  await client.mutation(UpdateNotification, { ...variables, input: updatedNotification });
  const cached = await client.query(ReadNotification, variables, cacheOnly);
  const cachedList = await client.query(ListNotifications, {}, cacheOnly);
  const errorExtensions = await Promise.all(
    [unknownShipment, ...invalidCarriers].map(async (input) => {
      const { error } = await client.mutation(TrackShipment, { input });
      return error?.graphQLErrors.map(({ extensions }) => extensions) ?? [];
    }),
  );
  return {
    fetched: fetched.data?.notification ?? null,
    cached: cached.data?.notification ?? null,
    cachedNames:
      cachedList.data?.notifications?.notifications.map(({ notificationName }) => notificationName) ?? [],
    errorExtensions,
  };
}
