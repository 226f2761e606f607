/** The context of one GraphQL request. */
import type { GraphQLResolveInfo } from 'graphql';
import type { WriteOutcome } from '../errors.js';
import { parseBearerToken } from '../domain/parameters.js';
import { createNotificationLoader, type NotificationLoader } from './notificationLoader.js';
import type { AccessProblem, RequestClient } from '../freight/restCall.js';
import type { SendLimits } from '../freight/items.js';
import type { ServiceSettings } from '../freight/operations.js';
import type { Service } from '../freight/service.js';
import type { Cancellation } from '../transport/cancellation.js';
import type { Client } from '../transport/fairQueue.js';
import type { Reading } from '../transport/largeResponses.js';
import type { RequestTelemetry } from '../telemetry/requestTelemetry.js';

export interface GatewayContext {
  readonly client: RequestClient;
  readonly service: Service;
  readonly settings: FieldSettings;
  readonly notificationLoader: NotificationLoader;
  readonly telemetry: RequestTelemetry;
  /** Failures of mutation fields that are data, for the log and the metrics. */
  readonly failuresAsData: FailureAsData[];
  /** The header `Idempotency-Key`, as the client sent it. */
  readonly idempotencyHeader: string | undefined;
  readonly bulk: BulkSettings;
  /** When the bulk fields of the operation stop starting items, on the clock of performance.now(); set by the first one. */
  bulkDeadline?: number;
  /** Response keys of the bulk fields that have results: errors within a result are an item's. */
  bulkFields?: Set<string | number>;
  /** Bytes of responses that the items of the bulk fields keep until the response is written. */
  itemBytes?: number;
}

/** How bulk fields send their items. */
export interface BulkSettings extends Pick<SendLimits, 'concurrency' | 'shutdown'> {
  /** Time in milliseconds from the first bulk field of an operation on, after which no item starts. */
  readonly timeoutMs: number;
  readonly reportItems: (field: string, context: GatewayContext, info: GraphQLResolveInfo) => ItemReports;
}

/** Turns items into their entries in the response; `subject` are the members of the payload that follow from the arguments. */
export interface ItemReports {
  unsent(reason: Error, subject: () => object): ItemReport;
  /** Never rejects. `readBytes` is what the item keeps of the responses that it got. */
  sent(write: () => Promise<object>, subject: () => object, readBytes: () => number): Promise<ItemReport>;
}

export interface ItemReport {
  /** The payload, or the failure if the operation selects no errors of it. */
  readonly value: object;
  readonly outcome: WriteOutcome;
  readonly failure?: unknown;
  /** None of a dry run. */
  readonly errors: FailureAsData['errors'];
}

export interface FailureAsData {
  outcome: WriteOutcome;
  /** None of a dry run. */
  errors: readonly { code: string; retryable: boolean }[];
}

/** What the rules for arguments depend on. */
export interface FieldSettings extends ServiceSettings {
  /** Maximum identifiers in the list of a field. @default 100 */
  readonly maxGuids?: number;
}

export interface ContextDependencies extends Pick<GatewayContext, 'bulk' | 'service' | 'settings'> {
  /** Maximum notifications that an operation reads; those beyond fail. @default no limit */
  maxReads?: number;
}

/** What the HTTP side knows about a request. */
export interface RequestInfo extends Client {
  /** Why the client may not use the operator's secrets. */
  accessProblem: AccessProblem | undefined;
  /** Cancelled when the client disconnects. */
  cancellation: Cancellation;
  reading: Reading;
  isDryRun: boolean;
  /** The header `Idempotency-Key`, as the client sent it. */
  idempotencyHeader: string | undefined;
  telemetry: RequestTelemetry;
}

export function createContext(
  {
    share,
    authorization,
    peer,
    accessProblem,
    cancellation,
    reading,
    isDryRun,
    idempotencyHeader,
    telemetry,
  }: RequestInfo,
  { service, settings, bulk, maxReads }: ContextDependencies,
): GatewayContext {
  const token = parseBearerToken(authorization);
  const client: RequestClient = {
    share,
    authorization: token,
    isTokenMalformed: token === undefined && Boolean(authorization),
    accessProblem,
    peer,
    cancellation,
    reading,
    ids: telemetry.ids,
    isDryRun,
    observer: telemetry.calls,
  };
  return {
    client,
    service,
    settings,
    notificationLoader: createNotificationLoader(service, client, maxReads),
    telemetry,
    failuresAsData: [],
    idempotencyHeader,
    bulk,
  };
}
