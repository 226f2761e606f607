/** The REST service, with one method per operation. */
import { truncate } from '../domain/json.js';
import type { QueryParameters } from '../domain/parameters.js';
import { isSameInstant } from './vocabulary.js';
import { createCalls, type CallOptions } from './calls.js';
import {
  NotificationResponse,
  NotificationEnvelope,
  serviceMessagesIn,
  TrackingConfirmation,
  type WrittenNotification,
  type ExceptionParameters,
  type NotificationRecord,
  type NotificationRequest,
  type TrackingParameters,
} from './contract.js';
import {
  createEndpoints,
  type RequestClient,
  type EndpointCall,
  type EndpointsOptions,
} from './endpoints.js';
import {
  ConflictError,
  InvalidResponseError,
  NotFoundError,
  PrecedingReadError,
  ServiceError,
} from '../transport/errors.js';
import { dateOf } from '../transport/responseHeaders.js';
import { parseBody, type JsonResponse } from '../transport/response.js';

export type ServiceClientOptions = EndpointsOptions & CallOptions;
export type ServiceClient = ReturnType<typeof createServiceClient>;

/** A list, and the time of its response by the clock of the service. */
export interface DatedList extends NotificationEnvelope {
  /** Milliseconds since 1970, truncated to seconds; undefined if the response does not tell. */
  dateMs: number | undefined;
}

/** Every `deadline` is on the clock of performance.now(). */
export function createServiceClient(options: ServiceClientOptions) {
  const { paths } = options;
  const { notifications, shipments } = createEndpoints(options);
  const { notificationCall, listCall, trackingCall, exceptionCall, targetBytes } = createCalls(options);
  let hasReadNotification = false;

  const readNotification = (
    notificationGuid: string,
    client: RequestClient,
    deadline?: number,
  ): Promise<NotificationRecord | null> => {
    // A read with its own deadline cannot share a call.
    const dedupeAs = deadline === undefined ? 'notification' : undefined;
    const call: EndpointCall = { ...notificationCall('GET', notificationGuid), dedupeAs, deadline };
    return notifications(call, client, async (response) => {
      const { data } = parseBody(NotificationResponse, await response.json(), response.status);
      const notification = findRequested(data, notificationGuid, response);
      if (notification) hasReadNotification = true;
      return notification ?? null;
    });
  };

  return {
    targetBytes,

    /** Whether the service has returned a notification to a read since the process started: the path is right. */
    get hasReadNotification() {
      return hasReadNotification;
    },

    /** POST. */
    createNotification(body: NotificationRequest, client: RequestClient): Promise<WrittenNotification> {
      const route = paths.notifications;
      return notifications({ method: 'POST', route, path: route, body }, client, async (response) => {
        const { data, messages } = parseBody(NotificationResponse, await response.json(), response.status);
        const [notification] = data;
        if (notification === undefined) throw missingField('/data/0', 'the created notification', response);
        return { notificationGuid: notification.notificationGuid, notification, messages };
      });
    },

    /** PUT. Resolves without a notification if the service confirms the update without returning one. */
    replaceNotification(
      notificationGuid: string,
      body: NotificationRequest,
      client: RequestClient,
      deadline: number,
    ): Promise<{ notification: NotificationRecord | undefined; messages: unknown[] }> {
      const call: EndpointCall = { ...notificationCall('PUT', notificationGuid, body), deadline };
      return notifications(call, client, async (response) => {
        const value = await response.json();
        if (value === undefined) return { notification: undefined, messages: [] };
        const { data, messages } = parseBody(NotificationResponse, value, response.status);
        return { notification: findRequested(data, notificationGuid, response), messages };
      });
    },

    /** Resolves with null if the service's response has no such notification; rejects if its status says so. */
    readNotification,

    /** Reads what a write depends on, which is not sent if this rejects. */
    async readBeforeWrite(
      notificationGuid: string,
      client: RequestClient,
      deadline: number,
      ifLastUpdateDate: string | null | undefined,
    ): Promise<NotificationRecord> {
      const current = await readNotification(notificationGuid, client, deadline).catch(asPrecedingRead);
      if (current === null) throw new NotFoundError('No resource matches these identifiers');
      if (ifLastUpdateDate != null) requireLastUpdateDate(current, ifLastUpdateDate);
      return current;
    },

    listNotifications: (parameters: QueryParameters, client: RequestClient): Promise<NotificationEnvelope> =>
      notifications(listCall(parameters), client, async (response) =>
        parseBody(NotificationEnvelope, await response.json(), response.status),
      ),

    /** The list without parameters. Does not share a call. */
    listAll(client: RequestClient, deadline: number): Promise<DatedList> {
      const call: EndpointCall = { ...listCall({}), dedupeAs: undefined, deadline };
      return notifications(call, client, async (response) => ({
        ...parseBody(NotificationEnvelope, await response.json(), response.status),
        dateMs: dateOf(response),
      }));
    },

    deleteNotification(
      notificationGuid: string,
      client: RequestClient,
      deadline: number,
    ): Promise<{ messages: unknown[] }> {
      const call: EndpointCall = {
        ...notificationCall('DELETE', notificationGuid),
        statusIsConclusive: true,
        deadline,
      };
      return notifications(call, client, async (response) => {
        const body = await response.json().catch(() => undefined);
        return { messages: serviceMessagesIn(body) ?? [] };
      });
    },

    async trackShipment(parameters: TrackingParameters, client: RequestClient): Promise<void> {
      await shipments(trackingCall(parameters), client, async (response) =>
        parseBody(TrackingConfirmation, await response.json(), response.status),
      );
    },

    async deleteException(parameters: ExceptionParameters, client: RequestClient): Promise<void> {
      await shipments({ ...exceptionCall(parameters), statusIsConclusive: true }, client, () =>
        Promise.resolve(),
      );
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

function asPrecedingRead(error: unknown): never {
  throw error instanceof ServiceError ? new PrecedingReadError(error) : error;
}

function requireLastUpdateDate({ lastUpdateDate }: NotificationRecord, expectedDate: string): void {
  if (lastUpdateDate != null && isSameInstant(lastUpdateDate, expectedDate)) return;
  throw new ConflictError(
    `Expected the last update of the notification at ${truncate(expectedDate)}, got ${truncate(lastUpdateDate ?? 'none')}`,
  );
}
