/** Definitions of notifications: updates of parts, although the service replaces whole ones, and whether a record has what was sent. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord, type RawJson } from '../domain/json.js';
import { GatewayError } from '../gatewayError.js';
import type { NotificationRecord, NotificationRequest, RecipientFields } from './contract.js';
import { toBoolean, toList } from './deviations.js';
import { formatPhoneNumber, knownRecipientType, recipientFields, RecipientType } from './vocabulary.js';

/** The fields of a definition that a write sends. An update leaves those that are missing, or null, as they are. */
export type SentFields = Partial<NotificationRequest>;

/** A notification as it is before an update. */
export interface CurrentNotification extends NotificationRecord {
  /** How the service spells the documented names. */
  readonly spellings: ReadonlyMap<string, string>;
  /** Documented names whose values have no documented type. */
  readonly unreadFields: readonly string[];
  /** The text of its filters; undefined for none. */
  readonly filtersJson: RawJson | undefined;
}

/** The definition, if the changes are a whole one, which can be sent without reading the current one. */
export function wholeDefinition(changes: SentFields): NotificationRequest | undefined {
  const { notificationName, notificationRecipientType, notificationTypeLabel, filters } = changes;
  const parts = [notificationName, notificationRecipientType, notificationTypeLabel, filters];
  return parts.every((part) => part != null) ? (changes as NotificationRequest) : undefined;
}

/**
 * The definition of the current notification with the changes. Throws a GatewayError if it would have to keep what the service does not
 * return as a value of the documented type: sent back, it would destroy what the service has.
 */
export function mergeChanges(current: CurrentNotification, changes: SentFields): NotificationRequest {
  const { notificationName, notificationTypeLabel, notificationTypes, filtersJson: filters } = current;
  const kept = {
    notificationName,
    ...(changes.notificationRecipientType == null && recipientOf(current)),
    ...(changes.notificationTypeLabel == null && { notificationTypeLabel, notificationTypes }),
    filters,
  };
  return { ...kept, ...changes } as NotificationRequest;
}

/** A definition with the names that the service has used for the notification. */
export function inSpellingOf(current: CurrentNotification | undefined, definition: object) {
  const members = Object.entries(definition) as [string, unknown][];
  return Object.fromEntries(members.map(([name, value]) => [current?.spellings.get(name) ?? name, value]));
}

/** The fields with a value, in the documented form of requests: phone numbers are E.164 there, while responses have digits alone. */
function recipientOf(current: CurrentNotification): RecipientFields {
  const { notificationRecipientType, notifyStopContactsByEmail, notifyStopContactsBySms } = current;
  const type = knownRecipientType(notificationRecipientType);
  const isRequired = type === RecipientType.ShipmentLevel;
  const unread = current.unreadFields.find((name) => recipientNames.includes(name));
  if (unread !== undefined) throw cannotKeep('recipient', `the service returns ${unread} in another form`);
  const list = (name: 'emailList' | 'smsList', read: (text: string) => string | undefined) => {
    const received = current[name];
    if (received === undefined && isRequired)
      throw cannotKeep('recipient', `the service does not return ${name}`);
    if (!isRequired && !received?.length) return undefined;
    return (received ?? []).map((text) => {
      const value = read(text);
      if (value === undefined)
        throw cannotKeep('recipient', `the service masks ${name}, or returns it in another form`);
      return value;
    });
  };
  return {
    notificationRecipientType,
    notifyStopContactsByEmail: notifyStopContactsByEmail ?? undefined,
    notifyStopContactsBySms: notifyStopContactsBySms ?? undefined,
    emailList: list('emailList', emailAddressIn),
    smsList: list('smsList', phoneNumberIn),
  };
}

const recipientNames: readonly string[] = Object.values(recipientFields).flat();

function cannotKeep(part: string, reason: string): GatewayError {
  return new GatewayError('valueUnreadable', {
    message: `Expected a new ${part} in the input: the update cannot keep the current one, because ${reason}`,
    outcome: 'NOT_APPLIED',
  });
}

/** A phone number of the service in E.164 format; undefined for any other text, such as a masked number. */
function phoneNumberIn(text: string): string | undefined {
  const number = formatPhoneNumber(text);
  return /^\+\d+$/.test(number) ? number : undefined;
}

/** Asterisks are allowed in addresses, but where services have them, they hide characters. Separators and `mailto:` are no part of one. */
function emailAddressIn(text: string): string | undefined {
  return /^[^\s@*•●…:;,<>]+@[^\s@*•●…:;,<>]+$/.test(text) ? text : undefined;
}

export type Comparison = 'different' | 'equal' | 'incomplete';

/**
 * Creates a function that compares the fields that were sent with those of a notification, in whatever spelling the service has them.
 * `incomplete`: nothing differs, but a value is missing, masked or in another form, so that it cannot be compared.
 */
export function createComparison(sent: object) {
  // As it arrives at the service: inputs have objects without a prototype, and -0 is sent as 0.
  const arrived = JSON.parse(JSON.stringify(sent)) as Record<string, unknown>;
  const fields = Object.entries(arrived).map(([name, value]) => [name, normalize(name, value)] as const);
  return (documented: unknown): Comparison => {
    let result: 'equal' | 'incomplete' = 'equal';
    for (const [name, value] of fields) {
      const received = isRecord(documented) ? documented[name] : undefined;
      const comparable = received === undefined ? undefined : normalize(name, received);
      if (received === undefined && isDeepStrictEqual(value, [])) continue; // services leave out empty lists
      if (comparable === undefined) result = 'incomplete';
      else if (!isDeepStrictEqual(comparable, value)) return 'different';
    }
    return result;
  };
}

/**
 * The forms in which values are compared; undefined if a value has none. Phone numbers are the same in any notation, types, labels and email
 * addresses in any letter case, lists of recipients and statuses in any order; records have no filters that are null.
 */
const forms: Readonly<Record<string, (value: unknown) => unknown>> = {
  emailList: (value) => setOf(value, (text) => emailAddressIn(text)?.toLowerCase()),
  smsList: (value) => setOf(value, phoneNumberIn),
  notificationTypes: (value) => setOf(value, (text) => text),
  notifyStopContactsByEmail: flagOf,
  notifyStopContactsBySms: flagOf,
  filters: (value) => (value === null || Array.isArray(value) ? toList(value) : undefined),
  notificationName: (value) => (typeof value === 'string' ? value : undefined),
};

function normalize(name: string, value: unknown): unknown {
  const { [name]: form = lowerCaseOf } = forms;
  return form(value);
}

function flagOf(value: unknown): boolean | undefined {
  const flag = toBoolean(value);
  return typeof flag === 'boolean' ? flag : undefined;
}

function lowerCaseOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}

/** The distinct elements of a list in order; undefined if one of them cannot be read. Null is an empty list. */
function setOf(value: unknown, read: (text: string) => string | undefined): string[] | undefined {
  if (value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const elements = value.map((element) => (typeof element === 'string' ? read(element) : undefined));
  return elements.every((element) => element !== undefined) ? [...new Set(elements)].sort() : undefined;
}
