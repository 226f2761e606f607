/** The REST service, with one method per operation. */
import { hasGuidPlaceholder, fillPath } from '../domain/pathTemplate.js';
import { appendQuery, type QueryParameters } from '../domain/queryString.js';
import {
  NotificationResponse,
  NotificationEnvelope,
  serviceMessagesIn,
  TrackingConfirmation,
  type CreatedNotification,
  type ExceptionParameters,
  type NotificationRecord,
  type NotificationRequest,
  type ShipmentParameters,
  type TrackingParameters,
} from './contract.js';
import {
  createEndpoints,
  type RequestClient,
  type EndpointCall,
  type EndpointsOptions,
} from './endpoints.js';
import { InvalidResponseError, RejectedError, ServiceError } from './transport/errors.js';
import { parseBody, type JsonResponse } from './transport/response.js';

export interface ServiceOptions extends EndpointsOptions {
  /** Path templates. */
  paths: { notifications: string; notification: string; tracking: string; exception: string };
  trackingParametersIn: ParameterLocation;
  exceptionParametersIn: ParameterLocation;
  /** The service's name for the contract's PortalLicensePlate. */
  licensePlateParameter: string;
  /** Timeout in milliseconds of an update together with the read that may follow it. */
  timeoutMs: number;
}

export type ParameterLocation = 'body' | 'query';
export type ServiceClient = ReturnType<typeof createServiceClient>;

export function createServiceClient(options: ServiceOptions) {
  const { paths } = options;
  const { notifications, shipments } = createEndpoints(options);

  /** A call for one notification. Without a placeholder in the path, the guid goes into the query or the body. */
  const notificationCall = (
    method: 'DELETE' | 'GET' | 'PUT',
    notificationGuid: string,
    body?: NotificationRequest,
  ): EndpointCall => {
    const route = paths.notification;
    const path = fillPath(route, notificationGuid);
    if (body !== undefined) return { method, route, path, body: { ...body, notificationGuid } };
    if (hasGuidPlaceholder(route)) return { method, route, path };
    return method === 'GET'
      ? { method, route, path: appendQuery(path, { notificationGuid }) }
      : { method, route, path, body: { notificationGuid } };
  };

  const shipmentCall = (
    method: 'DELETE' | 'POST',
    path: string,
    location: ParameterLocation,
    { PortalLicensePlate, ...others }: ShipmentParameters,
  ): EndpointCall => {
    const licensePlate =
      PortalLicensePlate === undefined ? {} : { [options.licensePlateParameter]: PortalLicensePlate };
    const requestWith = (fixed: Readonly<Record<string, unknown>>) => {
      const parameters = { ...others, ...licensePlate, ...fixed };
      return location === 'body' ? { path, body: parameters } : { path: appendQuery(path, parameters) };
    };
    const redactedRequest = () =>
      requestWith(
        Object.fromEntries(Object.keys(options.shipmentParameters).map((name) => [name, `<${name}>`])),
      );
    return { method, route: path, ...requestWith(options.shipmentParameters), redactedRequest };
  };

  const readNotification = (
    notificationGuid: string,
    client: RequestClient,
    deadline?: number,
  ): Promise<NotificationRecord | null> => {
    // A read with its own deadline cannot share a call.
    const sharing = deadline === undefined ? { dedupeAs: 'notification' } : { deadline };
    const call: EndpointCall = { ...notificationCall('GET', notificationGuid), ...sharing };
    return notifications(call, client, async (response) => {
      const { data } = parseBody(NotificationResponse, await response.json(), response.status);
      return findRequested(data, notificationGuid, response) ?? null;
    }).catch(nullIfNotFound);
  };

  return {
    createNotification(body: NotificationRequest, client: RequestClient): Promise<CreatedNotification> {
      const route = paths.notifications;
      return notifications({ method: 'POST', route, path: route, body }, client, async (response) => {
        const { data, messages } = parseBody(NotificationResponse, await response.json(), response.status);
        const [notification] = data;
        if (notification === undefined) throw missingField('/data/0', 'the created notification', response);
        return { notification, messages };
      });
    },

    /** `notification` is null if the service confirms the update without returning it and the re-read fails. */
    async updateNotification(
      notificationGuid: string,
      body: NotificationRequest,
      client: RequestClient,
    ): Promise<{ notification: NotificationRecord | null; messages: unknown[] }> {
      const deadline = performance.now() + options.timeoutMs; // shared by the update and the re-read
      const call: EndpointCall = { ...notificationCall('PUT', notificationGuid, body), deadline };
      const { data, messages } = await notifications(call, client, async (response) => {
        const value = await response.json();
        if (value === undefined) return { data: undefined, messages: [] };
        const { data, messages } = parseBody(NotificationResponse, value, response.status);
        return { data: findRequested(data, notificationGuid, response), messages };
      });
      const reRead = () => readNotification(notificationGuid, client, deadline).catch(nullIfServiceFailed);
      return { notification: data ?? (await reRead()), messages };
    },

    /** Resolves with null if the service has no such notification. */
    readNotification: (notificationGuid: string, client: RequestClient) =>
      readNotification(notificationGuid, client),

    listNotifications(parameters: QueryParameters, client: RequestClient): Promise<NotificationEnvelope> {
      const route = paths.notifications;
      const path = appendQuery(route, parameters);
      return notifications(
        { method: 'GET', route, path, dedupeAs: 'notifications', isUnbounded: true },
        client,
        async (response) => parseBody(NotificationEnvelope, await response.json(), response.status),
      );
    },

    deleteNotification(notificationGuid: string, client: RequestClient): Promise<{ messages: unknown[] }> {
      const call: EndpointCall = {
        ...notificationCall('DELETE', notificationGuid),
        statusIsConclusive: true,
      };
      return notifications(call, client, async (response) => {
        const body = await response.json().catch(() => undefined);
        return { messages: serviceMessagesIn(body) ?? [] };
      });
    },

    async trackShipment(parameters: TrackingParameters, client: RequestClient): Promise<void> {
      const call = shipmentCall('POST', paths.tracking, options.trackingParametersIn, parameters);
      await shipments(call, client, async (response) =>
        parseBody(TrackingConfirmation, await response.json(), response.status),
      );
    },

    async deleteException(parameters: ExceptionParameters, client: RequestClient): Promise<void> {
      const call = shipmentCall('DELETE', paths.exception, options.exceptionParametersIn, parameters);
      await shipments({ ...call, statusIsConclusive: true }, client, () => Promise.resolve());
    },
  };
}

/** The requested notification, if the response contains any. Guids are compared case-insensitively. */
function findRequested(
  data: NotificationRecord[],
  notificationGuid: string,
  response: JsonResponse,
): NotificationRecord | undefined {
  const requestedGuid = notificationGuid.toLowerCase();
  const requested = data.find((record) => record.notificationGuid.toLowerCase() === requestedGuid);
  if (requested === undefined && data.length > 0) {
    throw missingField('/data/0/notificationGuid', 'the requested identifier', response);
  }
  return requested;
}

function missingField(pointer: string, expectation: string, { status }: JsonResponse): InvalidResponseError {
  return new InvalidResponseError(
    `The response does not match the contract: ${pointer}: expected ${expectation}`,
    { status },
  );
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof RejectedError && error.status === 404) return null;
  throw error;
}

function nullIfServiceFailed(error: unknown): null {
  if (error instanceof ServiceError) return null;
  throw error;
}
