/** The gateway's side of the REST service: its transports, calls and writes, and what the context of a request gets of them. */
import type { Logger } from 'pino';
import { ConfigError, type Config } from './config/config.js';
import type { ContextDependencies } from './fields/context.js';
import type { ServiceSettings } from './freight/operations.js';
import { createIdempotencyStore } from './freight/idempotency/idempotency.js';
import type { IdempotencyStore } from './freight/idempotency/store.js';
import { createService } from './freight/service.js';
import { createTransports } from './transport/transport.js';
import type { GatewayObserver } from './telemetry/events.js';

export function serviceSettingsOf({ SERVICE_URL, service }: Config & { SERVICE_URL: URL }): ServiceSettings {
  return { ...service, serviceUrl: SERVICE_URL };
}

/** How much longer than its calls a key is in progress, in milliseconds: for a process that is slow to record how they ended. */
const LEASE_MARGIN_MS = 10_000;

export async function createGatewayService(
  config: Config & { SERVICE_URL: URL },
  observer: GatewayObserver,
  log: Logger,
) {
  const { timeoutMs, readBackTimeoutMs, idempotencyRetentionMs: retentionMs } = config.service;
  const idempotencyStore = await openIdempotencyStore(config.service, log);
  const transports = createTransports({ ...config.service, observer });
  const settings = serviceSettingsOf(config);
  const service = createService({
    settings,
    transportTo: (url) => transports.to(url),
    timeoutMs,
    readBackTimeoutMs,
    idempotency: { store: idempotencyStore, retentionMs },
    observer,
  });
  const dependencies: ContextDependencies = { service, settings };
  return {
    dependencies,
    /** Those of requests from routers. */
    subgraphDependencies: {
      service,
      settings: { ...settings, maxGuids: Infinity }, // each one beyond maxReads fails alone
      maxReads: config.subgraph.maxEntities,
    },
    /** How much of the connections and the queue of each origin is in use. */
    load: () => transports.load(),
    /** Waits for the calls in flight, and closes the connections; that of the idempotency keys last. */
    async stop() {
      await service.settled();
      await transports.stop();
      await idempotencyStore?.close();
    },
  };
}

/** Rejects with a ConfigError if the store could lose keys. */
async function openIdempotencyStore(
  { idempotencyStore, redisUrl, timeoutMs, readBackTimeoutMs, idempotencyRetentionMs }: Config['service'],
  log: Logger,
): Promise<IdempotencyStore | undefined> {
  try {
    return await createIdempotencyStore({
      kind: idempotencyStore,
      redisUrl,
      leaseMs: 2 * readBackTimeoutMs + timeoutMs + LEASE_MARGIN_MS,
      retentionMs: idempotencyRetentionMs,
      log,
    });
  } catch (error) {
    // By its name, because its class comes with the Redis client, which is loaded only where it is used.
    if (error instanceof Error && error.name === 'UnsafeStoreError')
      throw new ConfigError([`REDIS_URL: ${error.message}`]);
    throw error;
  }
}
