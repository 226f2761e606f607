/** The five mutations as writes: the calls that each makes, and what is read if its outcome is unknown. */
import type { ServiceClient } from './client.js';
import type {
  CreatedNotification,
  DeletedNotification,
  ExceptionParameters,
  NotificationRequest,
  TrackingParameters,
  UpdatedNotification,
} from './contract.js';
import type { RequestClient } from './endpoints.js';
import {
  changedFields,
  isWholeDefinition,
  mergeChanges,
  toRequest,
  type NotificationChanges,
} from './notificationChanges.js';
import { sendWithReadBack, type ReadBack } from './readBack.js';
import { ServiceError } from './transport/errors.js';
import type { Write, WriteRequest } from './write.js';

export interface WritesOptions {
  service: ServiceClient;
  readBack: ReadBack;
  /** Timeout in milliseconds of a write together with the reads before and after it, the read-back excepted. */
  timeoutMs: number;
}

export function createWrites(options: WritesOptions) {
  const { service } = options;
  return {
    createNotification: (body: NotificationRequest, request: WriteRequest): Promise<CreatedNotification> =>
      sendWithReadBack(new Creation(options, body, request.client), request),

    updateNotification: (
      notificationGuid: string,
      changes: NotificationChanges,
      request: WriteRequest,
      ifLastUpdateDate?: string | null,
    ): Promise<UpdatedNotification> =>
      sendWithReadBack(
        new Update(options, { notificationGuid, changes, ifLastUpdateDate }, request.client),
        request,
      ),

    deleteNotification: (
      notificationGuid: string,
      request: WriteRequest,
      ifLastUpdateDate?: string | null,
    ): Promise<DeletedNotification> =>
      sendWithReadBack(
        new Deletion(options, { notificationGuid, ifLastUpdateDate }, request.client),
        request,
      ),

    trackShipment: (parameters: TrackingParameters, request: WriteRequest): Promise<TrackingParameters> =>
      sendWithReadBack(
        { send: () => service.trackShipment(parameters, request.client).then(() => parameters) },
        request,
      ),

    deleteException: (parameters: ExceptionParameters, request: WriteRequest): Promise<ExceptionParameters> =>
      sendWithReadBack(
        { send: () => service.deleteException(parameters, request.client).then(() => parameters) },
        request,
      ),
  };
}

class Creation implements Write<CreatedNotification> {
  constructor(
    private readonly options: WritesOptions,
    private readonly body: NotificationRequest,
    private readonly client: RequestClient,
  ) {}

  send(): Promise<CreatedNotification> {
    return this.options.service.createNotification(this.body, this.client);
  }

  findCandidates(client: RequestClient, sinceMs: number): Promise<string[] | undefined> {
    return this.options.readBack.findCreated(this.body, client, sinceMs);
  }
}

interface UpdateParameters {
  notificationGuid: string;
  changes: NotificationChanges;
  ifLastUpdateDate: string | null | undefined;
}

class Update implements Write<UpdatedNotification> {
  /** Body of the PUT, once it is sent. */
  private body: NotificationRequest | undefined;

  constructor(
    private readonly options: WritesOptions,
    private readonly parameters: UpdateParameters,
    private readonly client: RequestClient,
  ) {}

  async send(): Promise<UpdatedNotification> {
    const { client, options, parameters } = this;
    const { notificationGuid } = parameters;
    const deadline = performance.now() + options.timeoutMs; // shared by the update and its reads
    this.body = await this.completeChanges(deadline);
    const { notification, messages } = await options.service.replaceNotification(
      notificationGuid,
      this.body,
      client,
      deadline,
    );
    const reRead = () =>
      options.service.readNotification(notificationGuid, client, deadline).catch(nullIfServiceFailed);
    return { notificationGuid, notification: notification ?? (await reRead()), messages };
  }

  async readBack(client: RequestClient): Promise<UpdatedNotification | undefined> {
    const { notificationGuid, changes } = this.parameters;
    const sent = this.body ?? changedFields(changes);
    const notification = await this.options.readBack.findUpdated(notificationGuid, sent, client);
    return notification && { notificationGuid, notification, messages: [] };
  }

  /** The definition to send: the service replaces whole ones. */
  private async completeChanges(deadline: number): Promise<NotificationRequest> {
    const { notificationGuid, changes, ifLastUpdateDate } = this.parameters;
    if (isWholeDefinition(changes) && ifLastUpdateDate == null) return toRequest(changes);
    const { service } = this.options;
    return mergeChanges(
      await service.readBeforeWrite(notificationGuid, this.client, deadline, ifLastUpdateDate),
      changes,
    );
  }
}

class Deletion implements Write<DeletedNotification> {
  constructor(
    private readonly options: WritesOptions,
    private readonly parameters: Omit<UpdateParameters, 'changes'>,
    private readonly client: RequestClient,
  ) {}

  async send(): Promise<DeletedNotification> {
    const { client, options, parameters } = this;
    const { notificationGuid, ifLastUpdateDate } = parameters;
    const deadline = performance.now() + options.timeoutMs; // shared by the deletion and the read
    if (ifLastUpdateDate != null)
      await options.service.readBeforeWrite(notificationGuid, client, deadline, ifLastUpdateDate);
    const { messages } = await options.service.deleteNotification(notificationGuid, client, deadline);
    return { notificationGuid, messages };
  }

  async readBack(client: RequestClient): Promise<DeletedNotification | undefined> {
    const { notificationGuid } = this.parameters;
    const isDeleted = await this.options.readBack.isDeleted(notificationGuid, client);
    return isDeleted ? { notificationGuid, messages: [] } : undefined;
  }
}

function nullIfServiceFailed(error: unknown): null {
  if (error instanceof ServiceError) return null;
  throw error;
}
