/**
 * The REST operations, one entry each: all that the gateway knows about an operation stands in its entry. What the service's
 * interface document (seeds/interface.md, sections Endpoints and Authentication) leaves open is a setting.
 */
import { appendQuery, fillPath, hasGuidPlaceholder, type QueryParameters } from '../domain/parameters.js';
import type {
  CreatedNotification,
  NotificationRecord,
  NotificationRequest,
  ShipmentParameters,
  WrittenNotification,
} from './contract.js';
import { documentedNameOf } from './deviations.js';
import { readNotificationList, type NotificationList } from './notificationBodies.js';
import { inSpellingOf } from './notificationChanges.js';
import {
  contentOf,
  readCreated,
  readReplaced,
  readRequested,
  type NotificationKey,
  type NotificationTarget,
  type Replacement,
} from './notificationResponses.js';
import { requireProof, type CallKind } from './proof.js';
import { messagesIn } from './messages.js';
import type { PhoneFormat } from './vocabulary.js';
import type { ReadBackKind, MeteredOperation } from '../telemetry/requestSummary.js';
import type { Call } from '../transport/calls.js';
import type { JsonResponse } from '../transport/response.js';
import type { GatewayError } from '../gatewayError.js';

/** The paths of the calls on shipments, unless their variables say otherwise; each is named as these variables begin. */
export const shipmentPaths = {
  TRACKING: '/atlas/frexapi/shipment/track/',
  EXCEPTION: '/atlas/frexapi/shipment/exception',
} as const;

export type ShipmentCall = keyof typeof shipmentPaths;

export function forShipmentCalls<Value>(create: (call: ShipmentCall) => Value) {
  const calls = Object.keys(shipmentPaths) as ShipmentCall[];
  return Object.fromEntries(calls.map((call) => [call, create(call)])) as Record<ShipmentCall, Value>;
}

/** Where the service is, and what its interface document leaves open; each is a variable of the same name. */
export interface ServiceSettings {
  readonly serviceUrl: URL;
  /** Base URL of the shipment operations. @default serviceUrl */
  readonly shipmentServiceUrl?: URL | undefined;
  readonly forwardTokenToShipmentService: boolean;
  readonly notificationsPath: string;
  readonly notificationPath: string;
  /** Whether an update has the identifier in its body, as well as in its path. */
  readonly notificationGuidInBody: boolean;
  /** Settings of each call on shipments, from variables such as `TRACKING_PATH`. */
  readonly shipmentCalls: Readonly<Record<ShipmentCall, { path: string; parametersIn: 'body' | 'query' }>>;
  /** The spelling of stop level in requests. */
  readonly stopLevelRecipientType: string;
  readonly driverPhoneFormat: PhoneFormat;
  /** The service's name for the contract's PortalLicensePlate. */
  readonly licensePlateParameter: string;
  /** Fixed parameters of every shipment operation; secret. */
  readonly shipmentParameters: QueryParameters;
  /** Fixed headers of every call, by their names in lower case; secret. */
  readonly serviceHeaders: Readonly<Record<string, string>>;
}

/** The variables with secrets of the operator, which calls without a token of their own (`token: 'optional'`) use. */
export function fixedSecretsIn({
  shipmentParameters,
  serviceHeaders,
  clientKey,
}: Pick<ServiceSettings, 'serviceHeaders' | 'shipmentParameters'> & { clientKey?: unknown }): string[] {
  const headers = Object.keys(serviceHeaders).filter((name) => name !== 'user-agent'); // which is not secret
  return [
    ...(Object.keys(shipmentParameters).length > 0 ? ['SHIPMENT_PARAMETERS'] : []),
    ...(headers.length > 0 ? ['SERVICE_HEADERS'] : []),
    ...(clientKey === undefined ? [] : ['SERVICE_CLIENT_KEY']),
  ];
}

export interface RestOperation<Parameters, Result> {
  readonly method: Call['method'];
  /** Path template; with the method, it labels the metrics of the operation. */
  readonly path: (settings: ServiceSettings) => string;
  /** The environment variable of the path template. */
  readonly pathVariable: string;
  readonly baseUrl: 'serviceUrl' | 'shipmentServiceUrl';
  /** Whether the service requires the client's bearer token. An optional one is forwarded unless the settings withhold it. */
  readonly token: 'optional' | 'required';
  /** The parameters by the service's names, apart from those in the path. */
  readonly parameters: (parameters: Parameters, settings: ServiceSettings) => QueryParameters;
  readonly parametersIn: (settings: ServiceSettings) => 'body' | 'query';
  /** Parses a complete 2xx response, and throws unless it proves success. Not called for 206, nor for 202 and 207 of a write. */
  readonly read: (response: JsonResponse, parameters: Parameters) => Result;
  /** Concurrent reads of one kind with the same path and token share one REST call. @default no sharing */
  readonly dedupeAs?: string;
  /** Advice for the log on a rejection that a variable can prevent; undefined for any other. */
  readonly adviceOn?: (
    rejection: GatewayError,
    settings: ServiceSettings,
    parameters: Parameters,
  ) => string | undefined;
  /** Message for clients after a 404. @default that no resource matches the identifiers */
  readonly notFoundMessage?: string;
}

/** Everything that sends or repeats a write derives from its operation. */
export interface WriteOperation<Parameters, Result> extends RestOperation<Parameters, Result> {
  readonly method: Exclude<Call['method'], 'GET'>;
  /** Kind of the read after an unknown outcome; undefined where nothing can be read. */
  readonly readBack: ReadBackKind | undefined;
}

/** Whether the same call has the same effect when it is sent twice (RFC 9110 section 9.2.2). */
export function isIdempotent({ method }: Pick<WriteOperation<never, unknown>, 'method'>): boolean {
  return method === 'PUT' || method === 'DELETE';
}

/** An operation on one notification. The identifier is a parameter where the path has no placeholder for it. */
const oneNotification = {
  baseUrl: 'serviceUrl',
  token: 'required',
  path: ({ notificationPath }: ServiceSettings) => notificationPath,
  pathVariable: 'NOTIFICATION_PATH',
  parameters: ({ notificationGuid }: NotificationKey, { notificationPath }: ServiceSettings) =>
    hasGuidPlaceholder(notificationPath) ? {} : { notificationGuid },
  readBack: 'state',
} as const;

const allNotifications = {
  baseUrl: 'serviceUrl',
  token: 'required',
  path: ({ notificationsPath }: ServiceSettings) => notificationsPath,
  pathVariable: 'NOTIFICATIONS_PATH',
  notFoundMessage: 'The service found nothing at the path of its notifications',
  adviceOn: ({ failure }: GatewayError) =>
    failure === 'notFound' ? 'found nothing at the path; NOTIFICATIONS_PATH may be wrong' : undefined,
  readBack: 'candidates',
} as const;

/** The service validates these requests by their parameters. */
const onShipment = (call: ShipmentCall) =>
  ({
    baseUrl: 'shipmentServiceUrl',
    token: 'optional',
    path: ({ shipmentCalls }: ServiceSettings) => shipmentCalls[call].path,
    pathVariable: `${call}_PATH`,
    parameters: (
      { PortalLicensePlate, ...others }: ShipmentParameters,
      { licensePlateParameter, shipmentParameters }: ServiceSettings,
    ) => ({
      ...others,
      ...(PortalLicensePlate !== undefined && { [licensePlateParameter]: PortalLicensePlate }),
      ...shipmentParameters,
    }),
    parametersIn: ({ shipmentCalls }: ServiceSettings) => shipmentCalls[call].parametersIn,
    readBack: undefined,
  }) as const;

export const operations = {
  listNotifications: {
    ...allNotifications,
    method: 'GET',
    parameters: (parameters) => parameters,
    parametersIn: () => 'query',
    read: readNotificationList,
    dedupeAs: 'list',
  } satisfies RestOperation<QueryParameters, NotificationList>,

  createNotification: {
    ...allNotifications,
    method: 'POST',
    parameters: (body) => ({ ...body }),
    parametersIn: () => 'body',
    read: readCreated,
  } satisfies WriteOperation<NotificationRequest, CreatedNotification>,

  /** Null if the response has no such notification; the call fails if the status says so. */
  readNotification: {
    ...oneNotification,
    method: 'GET',
    parametersIn: () => 'query',
    read: readRequested,
    dedupeAs: 'record',
  } satisfies RestOperation<NotificationKey, NotificationRecord | null>,

  /** The request has the spelling of the current notification. The body repeats the identifier unless it must not. */
  replaceNotification: {
    ...oneNotification,
    method: 'PUT',
    parameters: ({ current, notificationGuid, ...body }, { notificationGuidInBody, notificationPath }) => {
      const isRepeated = notificationGuidInBody || !hasGuidPlaceholder(notificationPath);
      return inSpellingOf(current, { ...body, ...(isRepeated && { notificationGuid }) });
    },
    parametersIn: () => 'body',
    adviceOn: ({ serviceMessages = [] }, { notificationGuidInBody }) =>
      notificationGuidInBody &&
      serviceMessages.some(({ field = '' }) => documentedNameOf(field) === 'notificationGuid')
        ? 'rejected the notificationGuid of an update; NOTIFICATION_GUID_IN_BODY=false leaves it out of the body'
        : undefined,
    read: readReplaced,
  } satisfies WriteOperation<Replacement, WrittenNotification>,

  deleteNotification: {
    ...oneNotification,
    method: 'DELETE',
    parametersIn: () => 'body',
    read: (response) => readConfirmation(response, 'deletion'),
  } satisfies WriteOperation<NotificationTarget, Confirmation>,

  trackShipment: {
    ...onShipment('TRACKING'),
    method: 'POST',
    read: (response) => readConfirmation(response),
  } satisfies WriteOperation<ShipmentParameters, Confirmation>,

  deleteException: {
    ...onShipment('EXCEPTION'),
    method: 'DELETE',
    read: (response) => readConfirmation(response, 'deletion'),
  } satisfies WriteOperation<ShipmentParameters, Confirmation>,
};

/** All that a response says of a write without a record. */
export interface Confirmation {
  messages: unknown[];
}

function readConfirmation(response: JsonResponse, of?: CallKind): Confirmation {
  const body = contentOf(response);
  requireProof(body, response, of);
  return { messages: messagesIn(body) };
}

export function operationLabels(settings: ServiceSettings): MeteredOperation[] {
  return Object.values(operations).map((each) => ({
    method: each.method,
    route: each.path(settings),
    baseUrl: baseUrlOf(each, settings),
  }));
}

export function originsOf(settings: ServiceSettings): string[] {
  return [...new Set(Object.values(operations).map((each) => baseUrlOf(each, settings).origin))];
}

export function baseUrlOf(
  { baseUrl }: Pick<RestOperation<never, unknown>, 'baseUrl'>,
  settings: ServiceSettings,
): URL {
  return settings[baseUrl] ?? settings.serviceUrl;
}

/** The path of a base URL, to which the path of each call is appended. */
export function basePathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}

/** What a call sends: path and query, percent-encoded, and the value of its body, or undefined. */
export function requestOf<Parameters extends object>(
  { path: template, parameters: parametersOf, parametersIn }: RestOperation<Parameters, unknown>,
  parameters: Parameters,
  settings: ServiceSettings,
) {
  const { notificationGuid = '' }: { notificationGuid?: string } = parameters;
  const path = fillPath(template(settings), notificationGuid);
  const others = parametersOf(parameters, settings);
  if (Object.keys(others).length === 0) return { path, body: undefined };
  if (parametersIn(settings) === 'query') return { path: appendQuery(path, others), body: undefined };
  return { path, body: others };
}

/** All parameters of a call by the service's names, the one in its path included. */
export function sentParameters<Parameters extends object>(
  { parameters: parametersOf }: RestOperation<Parameters, unknown>,
  parameters: Parameters,
  settings: ServiceSettings,
): QueryParameters {
  const { notificationGuid }: { notificationGuid?: string } = parameters;
  return {
    ...(notificationGuid !== undefined && { notificationGuid }),
    ...parametersOf(parameters, settings),
  };
}
