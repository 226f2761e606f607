/** What one GraphQL request carries. */
import type { ArgumentParser } from './input/argumentParser.js';
import { createNotificationLoader, type NotificationLoader } from './loaders/notificationLoader.js';
import type { ServiceClient } from './service/client.js';
import type { Cancellation } from './service/transport/cancellation.js';
import type { Client } from './service/endpoints.js';
import type { RequestTelemetry } from './telemetry/requestTelemetry.js';

export interface GatewayContext {
  readonly caller: Client;
  readonly service: ServiceClient;
  readonly input: ArgumentParser;
  readonly notificationLoader: NotificationLoader;
  readonly record: RequestTelemetry;
}

/** What is the same for all requests. */
export type ContextDependencies = Pick<GatewayContext, 'input' | 'service'>;

/** What the HTTP side knows of a request. */
export interface RequestInfo {
  /** The request's Authorization header. */
  authorization: string | undefined;
  requestId: string;
  /** Happens when the caller's connection closes. */
  left: Cancellation;
  /** Whether the caller wants nothing to be changed. */
  isDryRun: boolean;
  record: RequestTelemetry;
}

export function createContext(
  { authorization, requestId, left, isDryRun, record }: RequestInfo,
  { service, input }: ContextDependencies,
): GatewayContext {
  const caller: Client = {
    authorization: parseBearerToken(authorization),
    cancellation: left,
    requestId,
    isDryRun,
    observer: record.calls,
  };
  return {
    caller,
    service,
    input,
    notificationLoader: createNotificationLoader(service, caller),
    record,
  };
}

/** The header itself when it holds a bearer token in the characters of RFC 6750 section 2.1. */
export function parseBearerToken(authorization: string | undefined): string | undefined {
  return authorization !== undefined && /^Bearer +[\w.~+/-]+=*$/i.test(authorization)
    ? authorization
    : undefined;
}
