/** The context of one GraphQL request. */
import { parseBearerToken } from '../domain/parameters.js';
import { createNotificationLoader, type NotificationLoader } from './notificationLoader.js';
import type { RequestClient } from '../freight/endpoint.js';
import type { ServiceSettings } from '../freight/operations.js';
import type { Service } from '../freight/service.js';
import type { Cancellation } from '../transport/time.js';
import type { Peer } from '../transport/shares.js';
import type { MemoryShare } from '../transport/memoryBudget.js';
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
}

export interface FailureAsData {
  outcome: 'NOT_APPLIED' | 'UNKNOWN';
  /** None of a dry run. */
  errors: readonly { code: string; retryable: boolean }[];
}

/** What the rules for arguments depend on. */
export interface FieldSettings extends ServiceSettings {
  /** Maximum identifiers in the list of a field. @default 100 */
  readonly maxGuids?: number;
}

export interface ContextDependencies extends Pick<GatewayContext, 'service' | 'settings'> {
  /** Maximum notifications that an operation reads; those beyond fail. @default no limit */
  maxReads?: number;
}

/** What the HTTP side knows about a request. */
export interface RequestInfo {
  authorization: string | undefined;
  peer: Peer;
  /** Cancelled when the client disconnects. */
  cancellation: Cancellation;
  /** Holds what the request takes of the memory budget. */
  memory: MemoryShare;
  isDryRun: boolean;
  /** The header `Idempotency-Key`, as the client sent it. */
  idempotencyHeader: string | undefined;
  telemetry: RequestTelemetry;
}

export function createContext(
  { authorization, peer, cancellation, memory, isDryRun, idempotencyHeader, telemetry }: RequestInfo,
  { service, settings, maxReads }: ContextDependencies,
): GatewayContext {
  const token = parseBearerToken(authorization);
  const client: RequestClient = {
    authorization: token,
    isTokenMalformed: token === undefined && Boolean(authorization),
    peer,
    cancellation,
    memory,
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
  };
}
