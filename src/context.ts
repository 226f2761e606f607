/** What one GraphQL request carries. */
import type { ArgumentReader } from './arguments/argumentReader.js';
import { createNotificationLoader, type NotificationLoader } from './loaders/notificationLoader.js';
import type { ServiceClient } from './service/client.js';
import type { Departure } from './service/departure.js';
import type { Caller } from './service/endpoint.js';
import type { RequestRecord } from './telemetry/requestRecord.js';

export interface GatewayContext {
  readonly caller: Caller;
  readonly service: ServiceClient;
  readonly arguments: ArgumentReader;
  readonly notificationLoader: NotificationLoader;
  readonly record: RequestRecord;
}

/** What is the same for all requests. */
export type SharedContext = Pick<GatewayContext, 'arguments' | 'service'>;

/** What the HTTP side knows of a request. */
export interface RequestFacts {
  /** The request's Authorization header. */
  authorization: string | undefined;
  requestId: string;
  /** Happens when the caller's connection closes. */
  left: Departure;
  /** Whether the caller wants nothing to be changed. */
  isDryRun: boolean;
  record: RequestRecord;
}

export function createContext(
  { authorization, requestId, left, isDryRun, record }: RequestFacts,
  { service, arguments: argumentReader }: SharedContext,
): GatewayContext {
  const caller: Caller = {
    authorization: wellFormedBearer(authorization),
    left,
    requestId,
    isDryRun,
    observer: record.calls,
  };
  return {
    caller,
    service,
    arguments: argumentReader,
    notificationLoader: createNotificationLoader(service, caller),
    record,
  };
}

/** The header itself when it holds a bearer token in the characters of RFC 6750 section 2.1. */
export function wellFormedBearer(authorization: string | undefined): string | undefined {
  return authorization !== undefined && /^Bearer +[\w.~+/-]+=*$/i.test(authorization)
    ? authorization
    : undefined;
}
