/**
 * Reads single notifications, and learns two facts from the responses: whether the path is right, and what the service's own 404 looks
 * like. Only then does a 404 prove that a notification is gone: with a wrong path, or while a proxy cannot reach the service, 404 is the
 * response to every read.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { QueryParameters } from '../domain/parameters.js';
import { isNotFound, type MakeCall, type RequestClient } from './restCall.js';
import { readCurrent, type NotificationKey } from './notificationResponses.js';
import { operations } from './operations.js';
import type { JsonResponse } from '../transport/response.js';
import { GatewayError, type ResponseForm } from '../gatewayError.js';

export type NotificationReader = ReturnType<typeof createNotificationReader>;

/** Maximum elements of the latest list whose identifiers are kept. */
const MAX_LISTED = 100;

export function createNotificationReader(call: MakeCall) {
  /** Whether the service has returned a notification to a read since the process started. */
  let isPathProven = false;
  /** The form of the service's own 404: the first one with a JSON body. Until there is one, the first without, which may be a proxy's. */
  let ownForm: ResponseForm | undefined;
  /** The first identifiers of the latest list, until the path is proven. */
  let listed: readonly string[] = [];

  /** Advice for the log on a path that finds nothing for a notification of the list. */
  const adviceOn = (error: GatewayError, _settings: unknown, { notificationGuid }: NotificationKey) =>
    isNotFound(error) && !isPathProven && listed.includes(notificationGuid.toLowerCase())
      ? `found nothing for a notification of the list; ${operations.readNotification.pathVariable} may be wrong`
      : undefined;

  /** Resolves with null if the response has no such notification. Each one found proves the path; with `learnsForm`, a 404 shows its form. */
  const reader = <Result>(
    read: (response: JsonResponse, key: NotificationKey) => Result | null,
    { learnsForm = true } = {},
  ) => {
    // After a deletion of unknown outcome, a notification of the list is expected to be gone.
    const operation = { ...operations.readNotification, read, ...(learnsForm && { adviceOn }) };
    return (notificationGuid: string, client: RequestClient, deadline?: number) =>
      call(operation, { notificationGuid }, client, deadline).then(
        (notification) => {
          if (notification !== null) isPathProven = true;
          return notification;
        },
        (error: unknown) => {
          const form = learnsForm && isNotFound(error) ? error.form : undefined;
          if (form !== undefined && (ownForm === undefined || (ownForm.isEmpty && !form.isEmpty)))
            ownForm = form;
          throw error;
        },
      );
  };

  const readBack = reader(operations.readNotification.read, { learnsForm: false });

  /**
   * Reads a notification that cannot exist. The service may be unreachable at that time, so an empty 404 could be a proxy's and is not
   * learned. Returns false if the service responds in another way than with a 404 of this form, and true if the read fails.
   */
  const matchesControlRead = async (form: ResponseForm, client: RequestClient, deadline: number) => {
    try {
      await readBack(randomUUID(), client, deadline);
      return false;
    } catch (error) {
      if (isNotFound(error)) {
        if (error.form?.isEmpty === false) ownForm = error.form;
        return isDeepStrictEqual(form, error.form);
      }
      if (error instanceof GatewayError) return error.failure !== 'foreignNotFound';
      throw error;
    }
  };

  const listOperation: typeof operations.listNotifications = {
    ...operations.listNotifications,
    read(response) {
      const list = operations.listNotifications.read(response);
      if (!isPathProven)
        listed = list.data.slice(0, MAX_LISTED).map(({ notificationGuid }) => notificationGuid.toLowerCase());
      return list;
    },
  };

  return {
    /** The list; its first identifiers are kept to find out a wrong path of single notifications. */
    list: (parameters: QueryParameters, client: RequestClient, deadline?: number) =>
      call(listOperation, parameters, client, deadline),
    read: reader(operations.readNotification.read),
    /** The same before an update, whose result keeps the filters byte for byte. */
    readCurrent: reader(readCurrent),
    /** The same after a write of unknown outcome: the service's own 404 is not learned from such a read. */
    readBack,
    /**
     * Whether the failure of a read-back proves that the notification is gone: the service has returned a notification to a read
     * through that path, and the 404 looks like its own. If it is not known yet how that looks, one control read finds out.
     */
    async provesAbsence(error: unknown, client: RequestClient, deadline: number): Promise<boolean> {
      if (!isNotFound(error)) return false;
      if (error.status === 410) return true; // RFC 9110 §15.5.11: no wrong path has it
      if (error.form === undefined || !isPathProven) return false;
      if (ownForm !== undefined) return isDeepStrictEqual(error.form, ownForm);
      return !error.form.isEmpty && matchesControlRead(error.form, client, deadline);
    },
  };
}
