/** The context of one GraphQL request. */
import type { GraphQLResolveInfo } from 'graphql';
import type { ArgumentParser } from './argumentParser.js';
import { parseBearerToken, parseIdempotencyHeader } from '../domain/parameters.js';
import { createNotificationLoader, type NotificationLoader } from './notificationLoader.js';
import type { RequestClient } from '../freight/endpoint.js';
import type { Service } from '../freight/service.js';
import type { Cancellation } from '../transport/time.js';
import type { Peer } from '../transport/calls.js';
import type { MemoryShare } from '../transport/memoryBudget.js';
import type { ReadBackKind, WriteRequest } from '../freight/write.js';
import type { RequestTelemetry } from '../telemetry/requestTelemetry.js';

export interface GatewayContext {
  readonly client: RequestClient;
  readonly service: Service;
  readonly input: ArgumentParser;
  readonly notificationLoader: NotificationLoader;
  readonly telemetry: RequestTelemetry;
  /** The header `Idempotency-Key`, as the client sent it. */
  readonly idempotencyHeader: string | undefined;
}

/** The dependencies that all requests share. */
export interface ContextDependencies extends Pick<GatewayContext, 'input' | 'service'> {
  /** Maximum notifications that an operation reads; those beyond fail. @default no limit */
  maxReads?: number;
}

/** What the HTTP side knows about a request. */
export interface RequestInfo {
  /** The Authorization header. */
  authorization: string | undefined;
  peer: Peer;
  /** Cancelled when the client disconnects. */
  cancellation: Cancellation;
  /** Holds what the request takes of the memory budget. */
  memory: MemoryShare;
  /** Whether writes are not sent. */
  isDryRun: boolean;
  /** The header `Idempotency-Key`, as the client sent it. */
  idempotencyHeader: string | undefined;
  telemetry: RequestTelemetry;
}

export function createContext(
  { authorization, peer, cancellation, memory, isDryRun, idempotencyHeader, telemetry }: RequestInfo,
  { service, input, maxReads }: ContextDependencies,
): GatewayContext {
  const client: RequestClient = {
    authorization: parseBearerToken(authorization),
    peer,
    cancellation,
    memory,
    ids: telemetry.ids,
    isDryRun,
    observer: telemetry.calls,
    marks: { readBack: [], replayed: [] },
  };
  return {
    client,
    service,
    input,
    notificationLoader: createNotificationLoader(service, client, maxReads),
    telemetry,
    idempotencyHeader,
  };
}

/** The write that a mutation field asks for; compiled operations provide the same `info`. */
export function writeRequestOf(
  { client, idempotencyHeader }: Pick<GatewayContext, 'client' | 'idempotencyHeader'>,
  { fieldName, path }: Pick<GraphQLResolveInfo, 'fieldName' | 'path'>,
  args: object,
  idempotencyKey: string | null | undefined,
): WriteRequest {
  const key = idempotencyKey ?? keyOfHeader(idempotencyHeader);
  return {
    client,
    field: fieldName,
    responseKey: String(path.key),
    idempotency: key ? { key, args: { ...args, idempotencyKey: undefined } } : undefined,
  };
}

/** The key in a header that a check has accepted (checks/idempotencyHeader.ts). */
function keyOfHeader(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = parseIdempotencyHeader(header);
  if (key === undefined) throw new Error('Expected a checked header Idempotency-Key');
  return key;
}

/** What the read-back of each field looks for; undefined where nothing can be read. */
export const readBackKinds: Readonly<Record<string, ReadBackKind | undefined>> = {
  createNotification: 'candidates',
  updateNotification: 'state',
  deleteNotification: 'state',
  trackShipment: undefined,
  deleteException: undefined,
};
