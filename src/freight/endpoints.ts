/** The two base URLs of the service: which token they get, and which secrets their errors must not expose. */
import { tokenOf } from '../domain/parameters.js';
import { serviceMessagesIn } from './contract.js';
import { truncateMessages, collectScalars, hostForms, redact } from './redact.js';
import { previewRequest } from './requestPreview.js';
import type { ClientIdentity } from '../transport/clientIdentity.js';
import type { DedupeSendOptions, DeduplicatingTransport } from '../transport/deduplication.js';
import {
  DryRunError,
  RejectedError,
  ServiceError,
  TokenMissingError,
  TooManyReadsError,
} from '../transport/errors.js';
import type { CallObserver } from '../transport/events.js';
import type { RestRequest } from '../transport/exchange.js';
import { ACCEPTED_CODINGS } from '../transport/response.js';
import type { CallScope, SendOptions } from '../transport/transport.js';

/** The client on whose behalf a call is made. */
export interface RequestClient extends ClientIdentity, CallScope {
  readonly observer: CallObserver;
  /** Whether only GETs may be sent. */
  readonly isDryRun: boolean;
  readonly marks: ResponseMarks;
}

/** What the response says about how fields came about: lists of their response keys. */
export interface ResponseMarks {
  /** Mutations whose success was found by reading. */
  readonly readBack: string[];
  /** Mutations that an earlier request with the same idempotency key had applied. */
  readonly replayed: string[];
}

export interface EndpointCall extends Pick<
  DedupeSendOptions<unknown>,
  'deadline' | 'dedupeAs' | 'mayBeLarge' | 'statusIsConclusive'
> {
  method: RestRequest['method'];
  /** Path and query. */
  path: string;
  /** Path template. */
  route: string;
  /** Value of the JSON body; undefined for none. */
  body?: unknown;
  /** Path and body with placeholders for secrets. @default the real ones */
  redactedRequest?: () => { path: string; body?: unknown };
}

/** Makes a call and reads its 2xx response. */
export type Endpoint = <T>(
  call: EndpointCall,
  client: RequestClient,
  read: SendOptions<T>['read'],
) => Promise<T>;

export interface EndpointsOptions {
  /** Base URL of the notification operations. */
  notificationServiceUrl: URL;
  /** Base URL of the tracking and exception operations. */
  shipmentServiceUrl: URL;
  /** The transport for the origin of a URL. */
  transportTo: (url: URL) => DeduplicatingTransport;
  /** Whether to forward the client's token to a shipment service on a different origin. */
  forwardTokenToShipmentService: boolean;
  /** Fixed parameters of every tracking and exception call; secret. */
  shipmentParameters: Readonly<Record<string, unknown>>;
}

/** Throws a TokenMissingError unless the client sent a well-formed bearer token. */
export function requireToken({ authorization }: Pick<RequestClient, 'authorization'>): void {
  if (authorization === undefined) throw tokenMissing();
}

export function tokenMissing(): TokenMissingError {
  return new TokenMissingError('Expected the header "Authorization: Bearer <token>"');
}

export function tooManyReads(maxReads: number): TooManyReadsError {
  return new TooManyReadsError(`Expected an operation of at most ${maxReads} notifications, got more`);
}

/** Whether the service responded that it has no such resource. */
export function isNotFound(error: unknown): error is RejectedError {
  return error instanceof RejectedError && error.status === 404;
}

export interface Endpoints {
  notifications: Endpoint;
  shipments: Endpoint;
}

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { notificationServiceUrl, shipmentServiceUrl, transportTo } = options;
  const isSameOrigin = notificationServiceUrl.origin === shipmentServiceUrl.origin;
  const isSameUrl = notificationServiceUrl.href === shipmentServiceUrl.href;
  const secrets = collectScalars(options.shipmentParameters);
  return {
    notifications: createEndpoint({
      transport: transportTo(notificationServiceUrl),
      url: notificationServiceUrl,
      urlVariable: 'SERVICE_URL',
      tokenPolicy: 'required',
      secrets,
    }),
    shipments: createEndpoint({
      transport: transportTo(shipmentServiceUrl),
      url: shipmentServiceUrl,
      urlVariable: isSameUrl ? 'SERVICE_URL' : 'SHIPMENT_SERVICE_URL',
      tokenPolicy: isSameOrigin || options.forwardTokenToShipmentService ? 'optional' : 'withheld',
      secrets,
    }),
  };
}

/** The path of a base URL, to which that of each call is appended. */
export function basePathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}

interface EndpointOptions {
  transport: DeduplicatingTransport;
  /** Its path prefixes that of every call. */
  url: URL;
  /** The environment variable that holds the URL. */
  urlVariable: string;
  /** `required` rejects calls without a token, `optional` forwards it if present, `withheld` never does. */
  tokenPolicy: 'required' | 'optional' | 'withheld';
  /** Values that must not reach a client. */
  secrets: readonly string[];
}

function createEndpoint({ transport, url, urlVariable, tokenPolicy, secrets }: EndpointOptions): Endpoint {
  const basePath = basePathOf(url);
  return async (call, client, read) => {
    const { method, path, body, route, redactedRequest, dedupeAs, statusIsConclusive, deadline } = call;
    const { authorization, ids, observer } = client;
    if (tokenPolicy === 'required') requireToken(client);
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_CODINGS,
      'user-agent': 'shipment-graphql-gateway',
      'x-request-id': ids.requestId,
    };
    if (authorization !== undefined && tokenPolicy !== 'withheld') headers['authorization'] = authorization;
    const request: RestRequest = { method, path: basePath + path, headers };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      request.body = JSON.stringify(body);
    }
    const preview = () => {
      const redacted = redactedRequest?.() ?? { path, body };
      return previewRequest({ method, headers, path: redacted.path, body: redacted.body }, urlVariable);
    };
    if (client.isDryRun && method !== 'GET') {
      observer.skippedByDryRun({ method, route, preview });
      throw new DryRunError('Dry run: the REST call was not sent');
    }
    try {
      const options = {
        client,
        observer,
        baseUrl: url,
        route,
        preview,
        read,
        messagesOf: serviceMessagesIn,
        dedupeAs,
        statusIsConclusive,
        mayBeLarge: call.mayBeLarge,
        deadline,
      };
      return await transport.send(request, options, client);
    } catch (error) {
      if (error instanceof RejectedError) error.isTokenWithheld = tokenPolicy === 'withheld';
      if (error instanceof ServiceError && error.serviceMessages !== undefined) {
        error.serviceMessages = redact(
          truncateMessages(error.serviceMessages),
          [...secrets, ...hostForms(url)],
          authorization === undefined ? [] : [tokenOf(authorization)],
        ) as unknown[];
      }
      throw error;
    }
  };
}
