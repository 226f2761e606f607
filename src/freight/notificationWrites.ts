/** The writes of notifications: the calls that each makes, and what is read if its outcome is unknown. */
import type { ServiceClient } from './client.js';
import type { DeletedNotification, NotificationRequest, WrittenNotification } from './contract.js';
import type { RequestClient } from './endpoint.js';
import {
  changedFields,
  isWholeDefinition,
  mergeChanges,
  toRequest,
  type NotificationChanges,
} from './notificationChanges.js';
import type { ReadBack } from './readBack.js';
import { ServiceError } from '../transport/serviceError.js';
import type { Write } from './write.js';

export interface NotificationWriteOptions {
  service: ServiceClient;
  readBack: ReadBack;
  /** Timeout in milliseconds of a write together with the reads before and after it, the read-back excepted. */
  timeoutMs: number;
}

export class Creation implements Write<WrittenNotification> {
  readonly isIdempotent = false;

  constructor(
    private readonly options: NotificationWriteOptions,
    private readonly body: NotificationRequest,
    private readonly client: RequestClient,
  ) {}

  send(): Promise<WrittenNotification> {
    return this.options.service.createNotification(this.body, this.client);
  }

  guidOf({ notificationGuid }: WrittenNotification): string {
    return notificationGuid;
  }

  async replay(client: RequestClient, notificationGuid: string | undefined): Promise<WrittenNotification> {
    if (notificationGuid === undefined) throw new Error('Expected a record with the created notification');
    return readAgain(this.options, notificationGuid, client);
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

export class Update implements Write<WrittenNotification> {
  readonly isIdempotent = true;
  /** Body of the PUT, once it is sent. */
  private body: NotificationRequest | undefined;

  constructor(
    private readonly options: NotificationWriteOptions,
    private readonly parameters: UpdateParameters,
    private readonly client: RequestClient,
  ) {}

  async send(): Promise<WrittenNotification> {
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

  async readBack(client: RequestClient): Promise<WrittenNotification | undefined> {
    const { notificationGuid, changes } = this.parameters;
    const sent = this.body ?? changedFields(changes);
    const notification = await this.options.readBack.findUpdated(notificationGuid, sent, client);
    return notification && { notificationGuid, notification, messages: [] };
  }

  replay(client: RequestClient): Promise<WrittenNotification> {
    return readAgain(this.options, this.parameters.notificationGuid, client);
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

export class Deletion implements Write<DeletedNotification> {
  readonly isIdempotent = true;

  constructor(
    private readonly options: NotificationWriteOptions,
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

  replay(): Promise<DeletedNotification> {
    return Promise.resolve({ notificationGuid: this.parameters.notificationGuid, messages: [] });
  }

  async readBack(client: RequestClient): Promise<DeletedNotification | undefined> {
    const { notificationGuid } = this.parameters;
    const isDeleted = await this.options.readBack.isDeleted(notificationGuid, client);
    return isDeleted ? { notificationGuid, messages: [] } : undefined;
  }
}

/** The notification that a write has left, or null if it cannot be read. */
async function readAgain(
  { service }: NotificationWriteOptions,
  notificationGuid: string,
  client: RequestClient,
): Promise<WrittenNotification> {
  const notification = await service.readNotification(notificationGuid, client).catch(nullIfServiceFailed);
  return { notificationGuid, notification, messages: [] };
}

function nullIfServiceFailed(error: unknown): null {
  if (error instanceof ServiceError) return null;
  throw error;
}
