/** The calls of the REST service that fields and writes make. */
import { truncate } from '../domain/json.js';
import type { QueryParameters } from '../domain/parameters.js';
import {
  type WrittenNotification,
  type ExceptionParameters,
  type NotificationRecord,
  type NotificationEnvelope,
  type NotificationRequest,
  type TrackingParameters,
} from './contract.js';
import { createEndpoint, type EndpointOptions, type RequestClient } from './endpoint.js';
import { operations, type RestOperation } from './operations.js';
import { isSameInstant } from './vocabulary.js';
import { dateOf } from '../transport/responseHeaders.js';
import { ServiceError } from '../transport/serviceError.js';

export type ServiceClient = ReturnType<typeof createServiceClient>;

/** A list, and the time of its response by the clock of the service. */
export interface DatedList extends NotificationEnvelope {
  /** Milliseconds since 1970, truncated to seconds; undefined if the response does not tell. */
  dateMs: number | undefined;
}

/** Every `deadline` is on the clock of performance.now(). */
export function createServiceClient(options: EndpointOptions) {
  const call = createEndpoint(options);
  let hasReadNotification = false;

  /** Resolves with null if the service's response has no such notification; rejects if its status says so. */
  const readNotification = async (
    notificationGuid: string,
    client: RequestClient,
    deadline?: number,
  ): Promise<NotificationRecord | null> => {
    const notification = await call(operations.readNotification, { notificationGuid }, client, { deadline });
    if (notification) hasReadNotification = true;
    return notification;
  };

  return {
    readNotification,

    /** Whether the service has returned a notification to a read since the process started: the path is right. */
    get hasReadNotification() {
      return hasReadNotification;
    },

    createNotification: (body: NotificationRequest, client: RequestClient): Promise<WrittenNotification> =>
      call(operations.createNotification, body, client),

    replaceNotification: (
      notificationGuid: string,
      body: NotificationRequest,
      client: RequestClient,
      deadline: number,
    ) => call(operations.replaceNotification, { ...body, notificationGuid }, client, { deadline }),

    /** Reads what a write depends on, which is not sent if this rejects. */
    async readBeforeWrite(
      notificationGuid: string,
      client: RequestClient,
      deadline: number,
      ifLastUpdateDate: string | null | undefined,
    ): Promise<NotificationRecord> {
      const current = await readNotification(notificationGuid, client, deadline).catch(asPrecedingRead);
      if (current === null) throw new ServiceError('notFound');
      if (ifLastUpdateDate != null) requireLastUpdateDate(current, ifLastUpdateDate);
      return current;
    },

    listNotifications: (parameters: QueryParameters, client: RequestClient): Promise<NotificationEnvelope> =>
      call(operations.listNotifications, parameters, client),

    /** The list without parameters. Does not share a call. */
    listAll: (client: RequestClient, deadline: number): Promise<DatedList> =>
      call(datedList, {}, client, { deadline }),

    deleteNotification: (
      notificationGuid: string,
      client: RequestClient,
      deadline: number,
    ): Promise<{ messages: unknown[] }> =>
      call(operations.deleteNotification, { notificationGuid }, client, { deadline }),

    trackShipment: (parameters: TrackingParameters, client: RequestClient): Promise<true> =>
      call(operations.trackShipment, parameters, client),

    deleteException: (parameters: ExceptionParameters, client: RequestClient): Promise<void> =>
      call(operations.deleteException, parameters, client),
  };
}

const datedList: RestOperation<QueryParameters, DatedList> = {
  ...operations.listNotifications,
  read: async (response, parameters) => ({
    ...(await operations.listNotifications.read(response, parameters)),
    dateMs: dateOf(response),
  }),
};

/** Whatever the effect of a write with that failure, this one was not sent. */
function asPrecedingRead(error: unknown): never {
  throw error instanceof ServiceError ? error.withEffect('none') : error;
}

function requireLastUpdateDate({ lastUpdateDate }: NotificationRecord, expectedDate: string): void {
  if (lastUpdateDate != null && isSameInstant(lastUpdateDate, expectedDate)) return;
  throw new ServiceError('conflict', {
    message: `Expected the last update of the notification at ${truncate(expectedDate)}, got ${truncate(lastUpdateDate ?? 'none')}`,
  });
}
