/** What the front end does with any client, and what comes of it. */
import type { IntrospectionQuery } from 'graphql';
import type { ReadNotificationQuery } from './generated/graphql.js';

export interface Setting {
  url: string;
  token: string;
  /** Of a notification of the service. */
  notificationGuid: string;
  /** The schema, for the cache of a client that wants it whole. */
  introspection: IntrospectionQuery;
}

export interface Outcome {
  /** The notification, read through the gateway. */
  read: ReadNotificationQuery['notification'];
  /** The same after it was updated, read from the client's cache alone. */
  cached: ReadNotificationQuery['notification'];
  /** Names in a list that was read before the update, as the cache has them after it. */
  cachedNames: string[];
  /** The `extensions` of the errors of each mutation that fails. */
  refusals: Record<string, unknown>[][];
}
