/** The REST service, one method per operation. */
import { messagesOf, parseShape, readJson } from './answer.js';
import {
  NotificationAnswer,
  NotificationEnvelope,
  TrackingConfirmation,
  type CreatedNotification,
  type ExceptionParameters,
  type NotificationRecord,
  type NotificationRequest,
  type ShipmentParameters,
  type TrackingParameters,
} from './contract.js';
import { createEndpoints, type Caller, type EndpointCall, type EndpointsOptions } from './endpoint.js';
import { InvalidAnswerError, RefusedError, ServiceError } from './errors.js';
import { carriesGuid, pathOf } from './paths.js';
import { appendQuery, type QueryParameters } from './query.js';
import type { RestAnswer } from './exchange.js';

export interface ServiceOptions extends EndpointsOptions {
  /** Templates of the paths. */
  paths: { notifications: string; notification: string; tracking: string; exception: string };
  trackingParametersIn: ParameterPlace;
  exceptionParametersIn: ParameterPlace;
  /** What the service calls the contract's PortalLicensePlate. */
  licensePlateParameter: string;
}

export type ParameterPlace = 'body' | 'query';
export type ServiceClient = ReturnType<typeof createServiceClient>;

export function createServiceClient(options: ServiceOptions) {
  const { paths, maxResponseBytes } = options;
  const endpoints = createEndpoints(options);
  const { notifications, shipments } = endpoints;

  const json = (answer: RestAnswer) => readJson(answer, maxResponseBytes);

  /** A call about one notification; its guid goes into the query or the body where the path has no place for it. */
  const about = (
    method: 'DELETE' | 'GET' | 'PUT',
    notificationGuid: string,
    body?: NotificationRequest,
  ): EndpointCall => {
    const route = paths.notification;
    const path = pathOf(route, notificationGuid);
    if (body !== undefined) return { method, route, path, body: { ...body, notificationGuid } };
    if (carriesGuid(route)) return { method, route, path };
    return method === 'GET'
      ? { method, route, path: appendQuery(path, { notificationGuid }) }
      : { method, route, path, body: { notificationGuid } };
  };

  const withParameters = (
    method: 'DELETE' | 'POST',
    path: string,
    place: ParameterPlace,
    { PortalLicensePlate, ...others }: ShipmentParameters,
  ): EndpointCall => {
    const licensePlate =
      PortalLicensePlate === undefined ? {} : { [options.licensePlateParameter]: PortalLicensePlate };
    const withFixed = (fixed: Readonly<Record<string, unknown>>) => {
      const parameters = { ...others, ...licensePlate, ...fixed };
      return place === 'body' ? { path, body: parameters } : { path: appendQuery(path, parameters) };
    };
    const placeholders = () =>
      withFixed(
        Object.fromEntries(Object.keys(options.shipmentParameters).map((name) => [name, `<${name}>`])),
      );
    return { method, route: path, ...withFixed(options.shipmentParameters), placeholders };
  };

  const readNotification = (
    notificationGuid: string,
    caller: Caller,
    deadline?: number,
  ): Promise<NotificationRecord | null> => {
    const bounds = deadline === undefined ? { sharedAs: 'notification' } : { deadline };
    const call = { ...about('GET', notificationGuid), ...bounds };
    return notifications(call, caller, async (answer) => {
      const { data } = parseShape(NotificationAnswer, await json(answer), answer.status);
      return requireSame(data, notificationGuid, answer) ?? null;
    }).catch(nullIfNotFound);
  };

  return {
    createNotification(body: NotificationRequest, caller: Caller): Promise<CreatedNotification> {
      const route = paths.notifications;
      return notifications({ method: 'POST', route, path: route, body }, caller, async (answer) => {
        const { data, messages } = parseShape(NotificationAnswer, await json(answer), answer.status);
        const [notification] = data;
        if (notification === undefined) throw missing('/data/0', 'the created notification', answer);
        return { notification, messages };
      });
    },

    /** The notification is null when the service confirms without one and it cannot be read either. */
    async updateNotification(
      notificationGuid: string,
      body: NotificationRequest,
      caller: Caller,
    ): Promise<{ notification: NotificationRecord | null; messages: unknown[] }> {
      const deadline = performance.now() + options.timeoutMs; // of the update and of the read after it
      const call = { ...about('PUT', notificationGuid, body), deadline };
      const { data, messages } = await notifications(call, caller, async (answer) => {
        const value = await json(answer);
        if (value === undefined) return { data: undefined, messages: [] };
        const { data, messages } = parseShape(NotificationAnswer, value, answer.status);
        return { data: requireSame(data, notificationGuid, answer), messages };
      });
      const read = () => readNotification(notificationGuid, caller, deadline).catch(nullIfServiceFailed);
      return { notification: data ?? (await read()), messages };
    },

    /** Null when the service has no such notification. */
    readNotification: (notificationGuid: string, caller: Caller) =>
      readNotification(notificationGuid, caller),

    listNotifications(parameters: QueryParameters, caller: Caller): Promise<NotificationEnvelope> {
      const route = paths.notifications;
      const path = appendQuery(route, parameters);
      return notifications(
        { method: 'GET', route, path, sharedAs: 'notifications' },
        caller,
        async (answer) => parseShape(NotificationEnvelope, await json(answer), answer.status),
      );
    },

    deleteNotification(notificationGuid: string, caller: Caller): Promise<{ messages: unknown[] }> {
      const call = { ...about('DELETE', notificationGuid), isBodyOptional: true };
      return notifications(call, caller, async (answer) => ({
        messages: (await messagesOf(answer, maxResponseBytes)) ?? [],
      }));
    },

    async trackShipment(parameters: TrackingParameters, caller: Caller): Promise<void> {
      const call = withParameters('POST', paths.tracking, options.trackingParametersIn, parameters);
      await shipments(call, caller, async (answer) =>
        parseShape(TrackingConfirmation, await json(answer), answer.status),
      );
    },

    async deleteException(parameters: ExceptionParameters, caller: Caller): Promise<void> {
      const call = withParameters('DELETE', paths.exception, options.exceptionParametersIn, parameters);
      await shipments({ ...call, isBodyOptional: true }, caller, () => Promise.resolve());
    },

    stop: () => endpoints.stop(),
  };
}

/** The notification that was asked for, if there is any; guids are compared without regard to letter case. */
function requireSame(
  data: NotificationRecord[],
  notificationGuid: string,
  answer: RestAnswer,
): NotificationRecord | undefined {
  const wanted = notificationGuid.toLowerCase();
  const found = data.find((record) => record.notificationGuid.toLowerCase() === wanted);
  if (found === undefined && data.length > 0) {
    throw missing('/data/0/notificationGuid', 'the identifier asked for', answer);
  }
  return found;
}

function missing(pointer: string, expectation: string, { status }: RestAnswer): InvalidAnswerError {
  return new InvalidAnswerError(
    `The answer does not have the documented shape: ${pointer}: expected ${expectation}`,
    { status },
  );
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof RefusedError && error.status === 404) return null;
  throw error;
}

function nullIfServiceFailed(error: unknown): null {
  if (error instanceof ServiceError) return null;
  throw error;
}
