/** Definitions of notifications: updates of parts, although the service replaces whole ones, and whether a record has what was sent. */
import { isDeepStrictEqual } from 'node:util';
import type { RawJson } from '../domain/json.js';
import { toBoolean } from './deviations.js';
import { formatPhoneNumber } from './vocabulary.js';
import type { NotificationRecord, NotificationRequest, RecipientFields, TriggerFields } from './contract.js';

interface NotificationParts {
  notificationName: string;
  recipient: RecipientFields;
  trigger: TriggerFields;
  filters: RawJson | readonly unknown[];
}

/** A notification as it is before an update, with its recipient as the service wrote it, and the text of its filters. */
export interface CurrentNotification extends NotificationRecord {
  readonly received: RecipientFields;
  readonly filtersJson: RawJson;
}

/** A part that is missing or null stays as it is. */
export type NotificationChanges = {
  readonly [Part in keyof NotificationParts]?: NotificationParts[Part] | null | undefined;
};

/** Whether the changes are a whole definition, which can be sent without reading the current one. */
export function isWholeDefinition(changes: NotificationChanges): changes is NotificationParts {
  const { notificationName, recipient, trigger, filters } = changes;
  return notificationName != null && recipient != null && trigger != null && filters != null;
}

/** The definition of the current notification with the changes; what they leave out is sent back as it was received. */
export function mergeChanges(current: CurrentNotification, changes: NotificationChanges) {
  return toRequest({
    notificationName: changes.notificationName ?? current.notificationName,
    recipient: changes.recipient ?? recipientOf(current),
    trigger: changes.trigger ?? triggerOf(current),
    filters: changes.filters ?? current.filtersJson,
  });
}

export function toRequest({ notificationName, recipient, trigger, filters }: NotificationParts) {
  return { notificationName, ...recipient, ...trigger, filters } satisfies NotificationRequest;
}

/**
 * What has a value, as the service wrote it. The documented form of phone numbers differs, though: E.164 in requests, digits alone in
 * responses. Sent back as they are, the digits of other countries would be read as US numbers.
 */
function recipientOf({ received, ...current }: CurrentNotification): RecipientFields {
  const { notificationRecipientType } = current;
  const asReceived = <Name extends keyof RecipientFields>(name: Name) =>
    current[name] == null ? undefined : received[name];
  const smsList = asReceived('smsList');
  return {
    notificationRecipientType,
    notifyStopContactsByEmail: asReceived('notifyStopContactsByEmail'),
    notifyStopContactsBySms: asReceived('notifyStopContactsBySms'),
    emailList: asReceived('emailList'),
    smsList: smsList?.map((each) => (typeof each === 'string' ? formatPhoneNumber(each) : each)) ?? smsList,
  };
}

/** The fields of a definition that the changes give values to. */
export function changedFields({ notificationName, recipient, trigger, filters }: NotificationChanges) {
  return { notificationName, ...recipient, ...trigger, filters } satisfies SentFields;
}

function triggerOf({ notificationTypeLabel, notificationTypes }: NotificationRecord): TriggerFields {
  return { notificationTypeLabel, notificationTypes };
}

/** The parts of a definition that a write sent; null and undefined were not. */
export type SentFields = {
  readonly [Field in keyof NotificationRequest]?: NotificationRequest[Field] | null | undefined;
};

/**
 * Creates a function that compares the fields that were sent with a notification, whatever spelling the service stores them in. If it masks
 * or rewrites a value, the two differ.
 */
export function createMatcher(sent: SentFields): (record: NotificationRecord) => boolean {
  // As it arrives at the service: inputs have objects without a prototype, and -0 is sent as 0.
  const arrived = JSON.parse(JSON.stringify(sent)) as SentFields;
  const fields = Object.entries(arrived)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const field = name as keyof NotificationRequest;
      return [field, normalize(field, value)] as const;
    });
  return (record) =>
    fields.every(([field, value]) => isDeepStrictEqual(normalize(field, record[field]), value));
}

/** Phone numbers are the same in any notation, recipient types and labels in any letter case; records have no filters that are null. */
function normalize(field: keyof NotificationRequest, value: unknown): unknown {
  if (field === 'notificationRecipientType' || field === 'notificationTypeLabel')
    return String(value).toLowerCase();
  if (field === 'smsList')
    return (value as RecipientFields['smsList'])?.map((number) => formatPhoneNumber(String(number)));
  if (field === 'notifyStopContactsByEmail' || field === 'notifyStopContactsBySms') return toBoolean(value);
  if (field === 'filters') return (value as readonly unknown[]).filter((filter) => filter !== null);
  return value;
}
