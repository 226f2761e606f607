/** The REST service, one method per operation. */
import { messagesOf, parseBody, readJson } from './transport/response.js';
import {
  NotificationResponse,
  NotificationEnvelope,
  TrackingConfirmation,
  type CreatedNotification,
  type ExceptionParameters,
  type NotificationRecord,
  type NotificationRequest,
  type ShipmentParameters,
  type TrackingParameters,
} from './contract.js';
import { createEndpoints, type Client, type EndpointCall, type EndpointsOptions } from './endpoints.js';
import { InvalidResponseError, RejectedError, ServiceError } from './transport/errors.js';
import { hasGuidPlaceholder, fillPath } from '../domain/pathTemplate.js';
import { appendQuery, type QueryParameters } from '../domain/queryString.js';
import type { RestResponse } from './transport/exchange.js';

export interface ServiceOptions extends EndpointsOptions {
  /** Templates of the paths. */
  paths: { notifications: string; notification: string; tracking: string; exception: string };
  trackingParametersIn: ParameterLocation;
  exceptionParametersIn: ParameterLocation;
  /** What the service calls the contract's PortalLicensePlate. */
  licensePlateParameter: string;
}

export type ParameterLocation = 'body' | 'query';
export type ServiceClient = ReturnType<typeof createServiceClient>;

export function createServiceClient(options: ServiceOptions) {
  const { paths, maxResponseBytes } = options;
  const endpoints = createEndpoints(options);
  const { notifications, shipments } = endpoints;

  const json = (answer: RestResponse) => readJson(answer, maxResponseBytes);

  /** A call about one notification; its guid goes into the query or the body where the path has no place for it. */
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
    place: ParameterLocation,
    { PortalLicensePlate, ...others }: ShipmentParameters,
  ): EndpointCall => {
    const licensePlate =
      PortalLicensePlate === undefined ? {} : { [options.licensePlateParameter]: PortalLicensePlate };
    const buildCall = (fixed: Readonly<Record<string, unknown>>) => {
      const parameters = { ...others, ...licensePlate, ...fixed };
      return place === 'body' ? { path, body: parameters } : { path: appendQuery(path, parameters) };
    };
    const placeholders = () =>
      buildCall(
        Object.fromEntries(Object.keys(options.shipmentParameters).map((name) => [name, `<${name}>`])),
      );
    return { method, route: path, ...buildCall(options.shipmentParameters), redactedRequest: placeholders };
  };

  const readNotification = (
    notificationGuid: string,
    caller: Client,
    deadline?: number,
  ): Promise<NotificationRecord | null> => {
    const bounds = deadline === undefined ? { dedupeAs: 'notification' } : { deadline };
    const call: EndpointCall = { ...notificationCall('GET', notificationGuid), ...bounds };
    return notifications(call, caller, async (answer) => {
      const { data } = parseBody(NotificationResponse, await json(answer), answer.status);
      return findRequested(data, notificationGuid, answer) ?? null;
    }).catch(nullIfNotFound);
  };

  return {
    createNotification(body: NotificationRequest, caller: Client): Promise<CreatedNotification> {
      const route = paths.notifications;
      return notifications({ method: 'POST', route, path: route, body }, caller, async (answer) => {
        const { data, messages } = parseBody(NotificationResponse, await json(answer), answer.status);
        const [notification] = data;
        if (notification === undefined) throw missingField('/data/0', 'the created notification', answer);
        return { notification, messages };
      });
    },

    /** The notification is null when the service confirms without one and it cannot be read either. */
    async updateNotification(
      notificationGuid: string,
      body: NotificationRequest,
      caller: Client,
    ): Promise<{ notification: NotificationRecord | null; messages: unknown[] }> {
      const deadline = performance.now() + options.timeoutMs; // of the update and of the read after it
      const call: EndpointCall = { ...notificationCall('PUT', notificationGuid, body), deadline };
      const { data, messages } = await notifications(call, caller, async (answer) => {
        const value = await json(answer);
        if (value === undefined) return { data: undefined, messages: [] };
        const { data, messages } = parseBody(NotificationResponse, value, answer.status);
        return { data: findRequested(data, notificationGuid, answer), messages };
      });
      const read = () => readNotification(notificationGuid, caller, deadline).catch(nullIfServiceFailed);
      return { notification: data ?? (await read()), messages };
    },

    /** Null when the service has no such notification. */
    readNotification: (notificationGuid: string, caller: Client) =>
      readNotification(notificationGuid, caller),

    listNotifications(parameters: QueryParameters, caller: Client): Promise<NotificationEnvelope> {
      const route = paths.notifications;
      const path = appendQuery(route, parameters);
      return notifications(
        { method: 'GET', route, path, dedupeAs: 'notifications' },
        caller,
        async (answer) => parseBody(NotificationEnvelope, await json(answer), answer.status),
      );
    },

    deleteNotification(notificationGuid: string, caller: Client): Promise<{ messages: unknown[] }> {
      const call: EndpointCall = {
        ...notificationCall('DELETE', notificationGuid),
        statusIsConclusive: true,
      };
      return notifications(call, caller, async (answer) => ({
        messages: (await messagesOf(answer, maxResponseBytes)) ?? [],
      }));
    },

    async trackShipment(parameters: TrackingParameters, caller: Client): Promise<void> {
      const call: EndpointCall = shipmentCall(
        'POST',
        paths.tracking,
        options.trackingParametersIn,
        parameters,
      );
      await shipments(call, caller, async (answer) =>
        parseBody(TrackingConfirmation, await json(answer), answer.status),
      );
    },

    async deleteException(parameters: ExceptionParameters, caller: Client): Promise<void> {
      const call: EndpointCall = shipmentCall(
        'DELETE',
        paths.exception,
        options.exceptionParametersIn,
        parameters,
      );
      await shipments({ ...call, statusIsConclusive: true }, caller, () => Promise.resolve());
    },

    stop: () => endpoints.stop(),
  };
}

/** The notification that was asked for, if there is any; guids are compared without regard to letter case. */
function findRequested(
  data: NotificationRecord[],
  notificationGuid: string,
  answer: RestResponse,
): NotificationRecord | undefined {
  const wanted = notificationGuid.toLowerCase();
  const found = data.find((record) => record.notificationGuid.toLowerCase() === wanted);
  if (found === undefined && data.length > 0) {
    throw missingField('/data/0/notificationGuid', 'the identifier asked for', answer);
  }
  return found;
}

function missingField(pointer: string, expectation: string, { status }: RestResponse): InvalidResponseError {
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
