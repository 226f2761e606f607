import { randomUUID } from 'node:crypto';
import { phoneDigits } from './phoneDigits.js';
import type { Notification, NotificationFields } from './types.js';
import { timestamp } from './timestamp.js';

export interface NotificationStore {
  /** In the order of their creation. */
  all(): Notification[];
  find(guid: string): Notification | undefined;
  create(fields: NotificationFields): Notification;
  /** Replaces every field; undefined where there is no such notification. */
  update(guid: string, fields: NotificationFields): Notification | undefined;
  /** False where there was none. */
  remove(guid: string): boolean;
}

// Tokens are opaque here, so nothing tells one user from another.
const USER_NAME = 'reference.user';

export function createNotificationStore(options: {
  notifications: Notification[];
  now: () => Date;
}): NotificationStore {
  const byKey = new Map(options.notifications.map((each) => [key(each.notificationGuid), each]));

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
  };
}

/** GUIDs are compared without regard to letter case (RFC 9562, section 4). */
function key(guid: string): string {
  return guid.toLowerCase();
}

/** Fields that do not belong to the recipient type come back empty or false, whatever was sent. */
function toStoredForm(fields: NotificationFields): Required<NotificationFields> {
  const recipientType = fields.notificationRecipientType.toLowerCase();
  const byList = recipientType !== 'stoplevel';
  const byStop = recipientType !== 'shipmentlevel';
  return {
    notificationName: fields.notificationName,
    notificationRecipientType: fields.notificationRecipientType,
    notificationTypeLabel: fields.notificationTypeLabel,
    notificationTypes: fields.notificationTypes,
    notifyStopContactsByEmail: byStop && fields.notifyStopContactsByEmail === true,
    notifyStopContactsBySms: byStop && fields.notifyStopContactsBySms === true,
    emailList: (byList && fields.emailList) || [],
    smsList: ((byList && fields.smsList) || []).map(phoneDigits),
    filters: fields.filters ?? [],
  };
}
