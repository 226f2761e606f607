/** A notification as the values of its form, and back. The values have the shape of the input, so that errors find their fields. */
import type {
  NotificationDetailsFragment as Notification,
  NotificationInput,
  ShipmentStatus,
  UpdateNotificationInput,
} from '../generated/graphql';

export const STATUSES: Record<ShipmentStatus, string> = {
  EN_ROUTE: 'On the way to the shipper',
  AT_SHIPPER: 'At the shipper',
  IN_TRANSIT: 'In transit',
  AT_CONSIGNEE: 'At the consignee',
  DELIVERED: 'Delivered',
};

export interface Values {
  notificationName: string;
  /** `keep`: a type that this app has no form for. */
  recipientKind: 'shipmentLevel' | 'stopLevel' | 'keep';
  recipient: {
    // Objects, because React Hook Form's field arrays have no texts.
    shipmentLevel: { emailList: { value: string }[]; smsList: { value: string }[] };
    stopLevel: { notifyStopContactsByEmail: boolean; notifyStopContactsBySms: boolean };
  };
  triggerKind: 'shipmentStatusChange' | 'keep';
  trigger: { shipmentStatusChange: ShipmentStatus[] };
}

const EMPTY: Values = {
  notificationName: '',
  recipientKind: 'shipmentLevel',
  recipient: {
    shipmentLevel: { emailList: [{ value: '' }], smsList: [] },
    stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false },
  },
  triggerKind: 'shipmentStatusChange',
  trigger: { shipmentStatusChange: [] },
};

export function toValues(notification: Notification | undefined): Values {
  if (!notification) return EMPTY;
  const { notificationName, recipient, notificationTypes, shipmentStatuses } = notification;
  const values: Values = {
    ...EMPTY,
    notificationName,
    recipientKind: 'keep',
    triggerKind: notificationTypes.length === shipmentStatuses.length ? 'shipmentStatusChange' : 'keep',
    trigger: { shipmentStatusChange: shipmentStatuses },
  };
  if (recipient.__typename === 'ShipmentLevelRecipient') {
    const shipmentLevel = { emailList: items(recipient.emailList), smsList: items(recipient.smsList) };
    return { ...values, recipientKind: 'shipmentLevel', recipient: { ...values.recipient, shipmentLevel } };
  }
  if (recipient.__typename === 'StopLevelRecipient') {
    const { notifyStopContactsByEmail, notifyStopContactsBySms } = recipient;
    const stopLevel = { notifyStopContactsByEmail, notifyStopContactsBySms };
    return { ...values, recipientKind: 'stopLevel', recipient: { ...values.recipient, stopLevel } };
  }
  return values;
}

const items = (list: string[]) => list.map((value) => ({ value }));

/** Without what is kept. */
export function toChanges({ notificationName, recipientKind, recipient, triggerKind, trigger }: Values) {
  const { emailList, smsList } = recipient.shipmentLevel;
  const texts = (list: { value: string }[]) => list.map(({ value }) => value);
  return {
    notificationName,
    ...(recipientKind === 'stopLevel' && { recipient: { stopLevel: recipient.stopLevel } }),
    ...(recipientKind === 'shipmentLevel' && {
      recipient: { shipmentLevel: { emailList: texts(emailList), smsList: texts(smsList) } },
    }),
    ...(triggerKind !== 'keep' && { trigger }),
  } satisfies UpdateNotificationInput;
}

/** A new notification keeps nothing. */
export const toInput = (values: Values) => toChanges(values) as NotificationInput;

/** What differs from a version of the notification. The service replaces recipient and trigger as a whole. */
export function changesSince(version: Notification, values: Values): UpdateNotificationInput {
  const before = toChanges(toValues(version)) as UpdateNotificationInput;
  return Object.fromEntries(
    Object.entries(toChanges(values)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
    ),
  );
}

/** For people: name, recipients, trigger. What is kept is described by the notification. */
export function describe(values: Values, kept?: Notification): Record<'Name' | 'Who' | 'When', string> {
  const { notificationName, recipientKind, recipient, triggerKind, trigger } = values;
  const { emailList, smsList } = recipient.shipmentLevel;
  const { notifyStopContactsByEmail, notifyStopContactsBySms } = recipient.stopLevel;
  const channels = [notifyStopContactsByEmail && 'email', notifyStopContactsBySms && 'text message'];
  const who = {
    shipmentLevel: [...emailList, ...smsList].map(({ value }) => value).join(', ') || 'Nobody yet',
    stopLevel: `Contacts of the stops, by ${channels.filter(Boolean).join(' and ') || 'no channel'}`,
    keep: kept?.recipient.notificationRecipientType ?? '',
  };
  const statuses = trigger.shipmentStatusChange.map((status) => STATUSES[status]).join(', ');
  const types = `${kept?.notificationTypeLabel}: ${kept?.notificationTypes.join(', ')}`;
  return { Name: notificationName, Who: who[recipientKind], When: triggerKind === 'keep' ? types : statuses };
}

/** `recipient.shipmentLevel.emailList.0` is `recipient.shipmentLevel.emailList.0.value` in the form. */
export function nameOf(name: string): string {
  return name.replace(/List\.\d+$/, '$&.value');
}

export function formatUpdate({ lastUpdateDate, lastUpdateUserName }: Notification): string {
  const date = lastUpdateDate && new Date(lastUpdateDate);
  const text = date && date.toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' });
  return [text, lastUpdateUserName && `by ${lastUpdateUserName}`].filter(Boolean).join(' ');
}
