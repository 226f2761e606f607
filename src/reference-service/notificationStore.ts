import { randomUUID } from 'node:crypto';
import { phoneDigits } from './phoneDigits.js';
import type { Notification, NotificationFields } from './types.js';
import { timestamp } from './timestamp.js';

export interface NotificationStore {
  /** In creation order. */
  all(): Notification[];
  find(guid: string): Notification | undefined;
  create(fields: NotificationFields): Notification;
  /** Replaces every field; returns undefined if the notification does not exist. */
  update(guid: string, fields: NotificationFields): Notification | undefined;
  /** Returns false if the notification does not exist. */
  remove(guid: string): boolean;
  /** Replaces all notifications. */
  reset(notifications: Notification[]): void;
}

/** Tokens are opaque to this service, so all clients are one user. */
const USER_NAME = 'reference.user';

export function createNotificationStore(options: {
  notifications: Notification[];
  now: () => Date;
}): NotificationStore {
  const byKey = new Map<string, Notification>();
  const reset = (notifications: Notification[]) => {
    byKey.clear();
    for (const each of notifications) byKey.set(key(each.notificationGuid), each);
  };
  reset(options.notifications);

  const put = (
    fields: NotificationFields,
    preserved: Pick<Notification, 'notificationGuid' | 'notificationMetaData'>,
  ) => {
    const notification = {
      ...preserved,
      ...toStoredForm(fields),
      lastUpdateUserName: USER_NAME,
      lastUpdateDate: timestamp(options.now()),
    };
    byKey.set(key(preserved.notificationGuid), notification);
    return notification;
  };

  return {
    all: () => [...byKey.values()],
    find: (guid) => byKey.get(key(guid)),
    create: (fields) => put(fields, { notificationGuid: randomUUID(), notificationMetaData: null }),
    update: (guid, fields) => {
      const { notificationGuid, notificationMetaData } = byKey.get(key(guid)) ?? {};
      return notificationGuid === undefined
        ? undefined
        : put(fields, { notificationGuid, notificationMetaData });
    },
    remove: (guid) => byKey.delete(key(guid)),
    reset,
  };
}

/** GUIDs are case-insensitive (RFC 9562 §4). */
function key(guid: string): string {
  return guid.toLowerCase();
}

/** Clears the fields that do not apply to the recipient type, even if the client sent them. */
function toStoredForm(fields: NotificationFields): Required<NotificationFields> {
  const recipientType = fields.notificationRecipientType.toLowerCase();
  const hasContactLists = recipientType !== 'stoplevel';
  const hasStopContacts = recipientType !== 'shipmentlevel';
  return {
    notificationName: fields.notificationName,
    notificationRecipientType: fields.notificationRecipientType,
    notificationTypeLabel: fields.notificationTypeLabel,
    notificationTypes: fields.notificationTypes,
    notifyStopContactsByEmail: hasStopContacts && fields.notifyStopContactsByEmail === true,
    notifyStopContactsBySms: hasStopContacts && fields.notifyStopContactsBySms === true,
    emailList: (hasContactLists && fields.emailList) || [],
    smsList: ((hasContactLists && fields.smsList) || []).map(phoneDigits),
    filters: fields.filters ?? [],
  };
}
