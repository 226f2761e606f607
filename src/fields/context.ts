/** The context of one GraphQL request. */
import DataLoader from 'dataloader';
import pMap from 'p-map';
import type { WriteOutcome } from '../errors.js';
import type { NotificationRecord } from '../freight/contract.js';
import { located } from '../freight/fieldNames.js';
import { isNotFound, type RequestClient } from '../freight/restCall.js';
import { GatewayError } from '../gatewayError.js';
import type { ListEnds } from '../freight/items.js';
import type { ServiceSettings } from '../freight/operations.js';
import type { Service } from '../freight/service.js';
import type { RequestTelemetry } from '../telemetry/requestTelemetry.js';

export type NotificationLoader = DataLoader<string, NotificationRecord | null>;

export interface GatewayContext {
  readonly client: RequestClient;
  readonly service: Service;
  readonly settings: FieldSettings;
  readonly notificationLoader: NotificationLoader;
  readonly telemetry: RequestTelemetry;
  /** Failures that mutation fields return as data, for the log and the metrics. */
  readonly failuresAsData: FailureAsData[];
  /** The header `Idempotency-Key`, as the client sent it. */
  readonly idempotencyHeader: string | undefined;
  /** The key in it, which a check has accepted for the only mutation field. */
  headerKey?: string | undefined;
  readonly bulk: BulkSettings;
  /** Maximum size of a result in bytes of JSON text. */
  readonly maxResultBytes: number;
  /** Set when the operation is known. */
  resultSize: ResultSize;
  /** When the bulk fields of the operation stop starting items, on the clock of performance.now(); set by the first one. */
  bulkDeadline?: number;
  /** How the items of the bulk fields ended, by response key. */
  lists?: Map<string | number, readonly FailureAsData[]>;
  /** Bytes of the responses to items of bulk fields. */
  itemBytes: number;
}

/** The size of an operation's result with one object for each selection. */
export interface ResultSize {
  /** How often a result can contain one value: the selections of the most frequent leaf field. */
  repetitions: number;
  /** Bytes of the response keys, and of values that do not come from the service. */
  keyBytes: number;
}

export interface BulkSettings extends Pick<ListEnds, 'shutdown'> {
  /** Maximum items of a list in flight. */
  readonly concurrency: number;
  /** Time in milliseconds from the first bulk field of an operation on, after which no item starts. */
  readonly timeoutMs: number;
}

export interface FailureAsData {
  readonly outcome: WriteOutcome;
  /** Empty for a dry run. */
  readonly errors: readonly { code: string; retryable: boolean }[];
}

/** Settings that the rules for arguments depend on. */
export interface FieldSettings extends ServiceSettings {
  /** Maximum identifiers in the list of a field. @default 100 */
  readonly maxGuids?: number;
}

export interface ContextDependencies extends Pick<
  GatewayContext,
  'bulk' | 'maxResultBytes' | 'service' | 'settings'
> {
  /** Maximum notifications that an operation reads; those beyond fail. @default no limit */
  maxReads?: number;
}

export function createContext(
  request: Pick<GatewayContext, 'client' | 'idempotencyHeader' | 'telemetry'>,
  dependencies: ContextDependencies,
): GatewayContext {
  const { client, telemetry, idempotencyHeader } = request;
  const { service, maxReads } = dependencies;
  return {
    ...dependencies,
    client,
    notificationLoader: createNotificationLoader(service, client, maxReads),
    telemetry,
    failuresAsData: [],
    idempotencyHeader,
    resultSize: { repetitions: 1, keyBytes: 0 },
    itemBytes: 0,
  };
}

/** Concurrent reads per request, so that one request with many identifiers does not occupy every connection. */
const MAX_CONCURRENT_READS = 32;

const microtask = Promise.resolve();

/** A microtask collects all loads of one level. Without it and the direct path for small batches, the gateway serves 6 % fewer polls. */
const batchScheduleFn = (dispatch: () => void) => void microtask.then(dispatch);

/**
 * Deduplicates the reads of one request. The service has no bulk read, so a batch makes one REST call per notification. Each failure
 * affects only its own notification; a missing notification is null; reads beyond `maxReads` fail. Objections of the service to an
 * identifier name the argument `notificationGuid`.
 */
export function createNotificationLoader(
  service: Pick<Service, 'readNotification'>,
  client: RequestClient,
  maxReads = Infinity,
): NotificationLoader {
  let remaining = maxReads;
  const read = (notificationGuid: string) => {
    remaining -= 1;
    if (remaining < 0) {
      const message = `Expected at most ${maxReads} notifications, got more`;
      return Promise.resolve(new GatewayError('tooManyReads', { message }));
    }
    return service.readNotification(notificationGuid, client).catch((error: unknown) => {
      if (isNotFound(error)) return null;
      return located(error, { notificationGuid }, [], (places) => places) as Error;
    });
  };
  const readAll = (guids: readonly string[]): Promise<(NotificationRecord | Error | null)[]> =>
    guids.length <= MAX_CONCURRENT_READS
      ? Promise.all(guids.map(read))
      : pMap(guids, read, { concurrency: MAX_CONCURRENT_READS });
  return new DataLoader(readAll, { batchScheduleFn });
}
