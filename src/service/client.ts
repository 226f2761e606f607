/** The REST service, with one method per operation. */
import { truncate } from '../domain/preview.js';
import type { QueryParameters } from '../domain/queryString.js';
import { isSameInstant } from '../domain/timestamp.js';
import { createCalls, type CallOptions } from './calls.js';
import {
  NotificationResponse,
  NotificationEnvelope,
  serviceMessagesIn,
  TrackingConfirmation,
  type CreatedNotification,
  type ExceptionParameters,
  type NotificationRecord,
  type NotificationRequest,
  type TrackingParameters,
  type UpdatedNotification,
} from './contract.js';
import {
  createEndpoints,
  type RequestClient,
  type EndpointCall,
  type EndpointsOptions,
} from './endpoints.js';
import {
  isWholeDefinition,
  mergeChanges,
  toRequest,
  type NotificationChanges,
} from './notificationChanges.js';
import {
  ConflictError,
  InvalidResponseError,
  NotFoundError,
  PrecedingReadError,
  ServiceError,
} from './transport/errors.js';
import { parseBody, type JsonResponse } from './transport/response.js';

export interface ServiceOptions extends EndpointsOptions, CallOptions {
  /** Timeout in milliseconds of a write together with the reads before and after it. */
  timeoutMs: number;
}

export type ServiceClient = ReturnType<typeof createServiceClient>;

export function createServiceClient(options: ServiceOptions) {
  const { paths } = options;
  const { notifications, shipments } = createEndpoints(options);
  const { notificationCall, listCall, trackingCall, exceptionCall, targetBytes } = createCalls(options);

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
      return findRequested(data, notificationGuid, response) ?? null;
    });
  };

  /** Reads what a write depends on. The write is not sent if that fails. */
  const readBeforeWrite = async (
    notificationGuid: string,
    client: RequestClient,
    deadline: number,
    ifLastUpdateDate: string | null | undefined,
  ): Promise<NotificationRecord> => {
    const current = await readNotification(notificationGuid, client, deadline).catch(asPrecedingRead);
    if (current === null) throw new NotFoundError('No resource matches these identifiers');
    if (ifLastUpdateDate != null) requireLastUpdateDate(current, ifLastUpdateDate);
    return current;
  };

  return {
    targetBytes,

    createNotification(body: NotificationRequest, client: RequestClient): Promise<CreatedNotification> {
      const route = paths.notifications;
      return notifications({ method: 'POST', route, path: route, body }, client, async (response) => {
        const { data, messages } = parseBody(NotificationResponse, await response.json(), response.status);
        const [notification] = data;
        if (notification === undefined) throw missingField('/data/0', 'the created notification', response);
        return { notificationGuid: notification.notificationGuid, notification, messages };
      });
    },

    async updateNotification(
      notificationGuid: string,
      changes: NotificationChanges,
      client: RequestClient,
      ifLastUpdateDate?: string | null,
    ): Promise<UpdatedNotification> {
      const deadline = performance.now() + options.timeoutMs; // shared by the update and its reads
      const body =
        isWholeDefinition(changes) && ifLastUpdateDate == null
          ? toRequest(changes)
          : mergeChanges(
              await readBeforeWrite(notificationGuid, client, deadline, ifLastUpdateDate),
              changes,
            );
      const call: EndpointCall = { ...notificationCall('PUT', notificationGuid, body), deadline };
      const { data, messages } = await notifications(call, client, async (response) => {
        const value = await response.json();
        if (value === undefined) return { data: undefined, messages: [] };
        const { data, messages } = parseBody(NotificationResponse, value, response.status);
        return { data: findRequested(data, notificationGuid, response), messages };
      });
      const reRead = () => readNotification(notificationGuid, client, deadline).catch(nullIfServiceFailed);
      return { notificationGuid, notification: data ?? (await reRead()), messages };
    },

    /** Resolves with null if the service's response has no such notification; rejects if its status says so. */
    readNotification: (notificationGuid: string, client: RequestClient) =>
      readNotification(notificationGuid, client),

    listNotifications(parameters: QueryParameters, client: RequestClient): Promise<NotificationEnvelope> {
      return notifications(listCall(parameters), client, async (response) =>
        parseBody(NotificationEnvelope, await response.json(), response.status),
      );
    },

    async deleteNotification(
      notificationGuid: string,
      client: RequestClient,
      ifLastUpdateDate?: string | null,
    ): Promise<{ messages: unknown[] }> {
      const deadline = performance.now() + options.timeoutMs; // shared by the deletion and the read
      if (ifLastUpdateDate != null)
        await readBeforeWrite(notificationGuid, client, deadline, ifLastUpdateDate);
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

function nullIfServiceFailed(error: unknown): null {
  if (error instanceof ServiceError) return null;
  throw error;
}
