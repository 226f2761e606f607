/** The addresses of the REST service: where they are, who may call with a token, and what stays secret. */
import { ACCEPTED_CODINGS } from './transport/response.js';
import type { Cancellation } from './transport/cancellation.js';
import { DryRunError, ServiceError, TokenMissingError } from './transport/errors.js';
import type { CallObserver } from './transport/events.js';
import { tokenOf } from '../domain/bearerToken.js';
import { previewRequest } from './requestPreview.js';
import { truncateMessages, collectScalars, hostForms, redact } from './redact.js';
import type { RestRequest } from './transport/exchange.js';
import {
  deduplicate,
  type DedupeSendOptions,
  type DeduplicatingTransport,
} from './transport/deduplication.js';
import { createTransport, type SendOptions, type TransportOptions } from './transport/transport.js';

/** For whom a call is made. */
export interface Client {
  /** The caller's Authorization header as it came, when it holds a well-formed bearer token. */
  readonly authorization: string | undefined;
  /** Happens when the caller's connection closes. */
  readonly cancellation: Cancellation;
  readonly requestId: string;
  readonly observer: CallObserver;
  /** Whether nothing but a GET is to be sent. */
  readonly isDryRun: boolean;
}

export interface EndpointCall extends Pick<
  DedupeSendOptions<unknown>,
  'deadline' | 'statusIsConclusive' | 'dedupeAs'
> {
  method: RestRequest['method'];
  /** Path with the query. */
  path: string;
  /** Template of the path. */
  route: string;
  /** Value of the JSON body; none when undefined. */
  body?: unknown;
  /** Path and body with placeholders for secrets. @default those above */
  redactedRequest?: () => { path: string; body?: unknown };
}

/** Makes a call and reads its 2xx answer. */
export type Endpoint = <T>(call: EndpointCall, client: Client, read: SendOptions<T>['read']) => Promise<T>;

export interface EndpointsOptions extends Omit<TransportOptions, 'origin'> {
  /** Address of the notification operations. */
  notificationServiceUrl: URL;
  /** Address of the tracking and exception operations. */
  shipmentServiceUrl: URL;
  /** Whether the caller's token goes to a shipment service of another origin, too. */
  forwardTokenToShipmentService: boolean;
  /** Parameters of every tracking and exception call; secrets. */
  shipmentParameters: Readonly<Record<string, unknown>>;
}

export interface Endpoints {
  notifications: Endpoint;
  shipments: Endpoint;
  stop(): Promise<void>;
}

/** The two addresses, over one transport where they are of one origin. */
export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { notificationServiceUrl, shipmentServiceUrl, forwardTokenToShipmentService, shipmentParameters } =
    options;
  const isOneOrigin = notificationServiceUrl.origin === shipmentServiceUrl.origin;
  const transportTo = ({ origin }: URL) =>
    deduplicate(createTransport({ ...options, origin }), options.observer);
  const transport = transportTo(notificationServiceUrl);
  const shipmentTransport = isOneOrigin ? transport : transportTo(shipmentServiceUrl);
  const secrets = collectScalars(shipmentParameters);
  return {
    notifications: createEndpoint({
      transport,
      url: notificationServiceUrl,
      urlVariable: 'SERVICE_URL',
      token: 'required',
      secrets,
    }),
    shipments: createEndpoint({
      transport: shipmentTransport,
      url: shipmentServiceUrl,
      urlVariable: 'SHIPMENT_SERVICE_URL',
      token: isOneOrigin || forwardTokenToShipmentService ? 'optional' : 'withheld',
      secrets,
    }),
    async stop() {
      await Promise.all([...new Set([transport, shipmentTransport])].map((each) => each.stop()));
    },
  };
}

interface EndpointOptions {
  transport: DeduplicatingTransport;
  /** Its path goes before that of every call. */
  url: URL;
  /** The environment variable that it is in. */
  urlVariable: string;
  /** What happens to the caller's token: a call without one is not made, it is sent where there is one, or never. */
  token: 'required' | 'optional' | 'withheld';
  /** Values that must not reach a caller. */
  secrets: readonly string[];
}

function createEndpoint({ transport, url, urlVariable, token, secrets }: EndpointOptions): Endpoint {
  const basePath = url.pathname.replace(/\/$/, '');
  return async (call, client, read) => {
    const { method, path, body, route, redactedRequest, dedupeAs, statusIsConclusive, deadline } = call;
    const { authorization, cancellation, requestId, observer } = client;
    if (token === 'required' && authorization === undefined) {
      throw new TokenMissingError('Expected the header "Authorization: Bearer <token>"');
    }
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_CODINGS,
      'user-agent': 'shipment-graphql-gateway',
      'x-request-id': requestId,
    };
    if (authorization !== undefined && token !== 'withheld') headers['authorization'] = authorization;
    const request: RestRequest = { method, path: basePath + path, headers };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      request.body = JSON.stringify(body);
    }
    const callInfo = {
      route,
      preview: () => {
        const { path: shownPath, body: shownBody } = redactedRequest?.() ?? { path, body };
        return previewRequest({ method, path: shownPath, headers, body: shownBody }, urlVariable);
      },
    };
    if (client.isDryRun && method !== 'GET') {
      observer.skippedByDryRun({ method, ...callInfo });
      throw new DryRunError('Dry run: the REST call was not sent');
    }
    try {
      return await transport.send(request, {
        cancellation,
        observer,
        call: callInfo,
        read,
        dedupeAs,
        statusIsConclusive,
        deadline,
      });
    } catch (error) {
      if (error instanceof ServiceError && error.serviceMessages !== undefined) {
        error.serviceMessages = redact(truncateMessages(error.serviceMessages), [
          ...secrets,
          ...hostForms(url),
          ...(authorization === undefined ? [] : [tokenOf(authorization)]),
        ]) as unknown[];
      }
      throw error;
    }
  };
}
