/** One scenario for every GraphQL client: read, update, read from the cache, and handle errors. */
import type { ReadNotificationQuery } from './generated/graphql.js';

export interface ScenarioOptions {
  /** GraphQL endpoint of the gateway. */
  url: string;
  token: string;
  /** An existing notification. */
  notificationGuid: string;
}

export interface ScenarioResult {
  /** The notification, fetched from the gateway. */
  fetched: ReadNotificationQuery['notification'];
  /** The same notification after the update, read from the cache only. */
  cached: ReadNotificationQuery['notification'];
  /** Names in the list that was fetched before the update, read from the cache after it. */
  cachedNames: string[];
  /** For each mutation that fails, the `extensions` of its errors. */
  errorExtensions: Record<string, unknown>[][];
}
