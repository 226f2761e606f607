/**
 * Deviations of services from the documented values of a notification, and what they mean. A value that can only mean one thing is
 * read as that. An optional value that cannot be read costs its field, and not the notification.
 */
import { z } from 'zod';
import { isJsonValue, isRecord, toText } from '../domain/json.js';
import { GatewayError } from '../gatewayError.js';
import { canonicalName, type Member } from './fieldNames.js';
import { knownRecipientType, recipientFields } from './vocabulary.js';

/** ISO 8601 with a UTC offset and fractional seconds of any length; stays a string. (Notification, as returned: lastUpdateDate.) */
export const Timestamp = z.iso.datetime({ offset: true });

const unreadable = (problem: string) =>
  new GatewayError('valueUnreadable', {
    message: `The response does not match the contract: ${problem}`,
    problem,
  });
/** What takes the place of an optional value that cannot be read. */
const unreadableValues = {
  lastUpdateDate: unreadable(
    '/lastUpdateDate: expected a date and time in ISO 8601 format with a UTC offset',
  ),
  lastUpdateUserName: unreadable('/lastUpdateUserName: expected a string'),
  notificationMetaData: unreadable(
    '/notificationMetaData: expected JSON nested at most 100 levels deep, with finite numbers',
  ),
};

/** The path of the first value of a notification that cannot be read, and what is expected there. */
export function unreadableValueOf(record: object): string | undefined {
  const values: unknown[] = Object.values(record);
  return values.find((value) => value instanceof GatewayError)?.problem;
}

const readings = {
  notificationGuid: toText,
  notificationName: toText,
  notificationRecipientType: toText,
  notificationTypeLabel: toText,
  notificationTypes: toTexts,
  notifyStopContactsByEmail: toBoolean,
  notifyStopContactsBySms: toBoolean,
  emailList: toTexts,
  smsList: toTexts,
  filters: toList,
  notificationMetaData: (value: unknown) =>
    isJsonValue(value) ? value : unreadableValues.notificationMetaData,
  lastUpdateUserName: (value: unknown) => {
    const text = toText(value);
    return typeof text === 'string' ? text : unreadableValues.lastUpdateUserName;
  },
  lastUpdateDate: toTimestamp,
};

const documentedNames = new Map(Object.keys(readings).map((name) => [canonicalName(name), name]));

/** The documented name that a name stands for, whatever its letter case and separators; undefined for none. */
export function documentedNameOf(name: string): string | undefined {
  return Object.hasOwn(readings, name) ? name : documentedNames.get(canonicalName(name));
}

/** Whether an object is a notification, and not only names one: `{"message":"Created","notificationGuid":"…"}` confirms a call. */
export function isNotification(members: readonly Member[]): boolean {
  const names = new Set(members.map(({ name }) => documentedNames.get(name)));
  names.delete(undefined);
  return names.has('notificationGuid') && names.size > 1;
}

/** The spelling of each documented name in an object. A name that is spelled as documented goes before any other. */
export function spellingsIn(object: Readonly<Record<string, unknown>>): Map<string, string> {
  const spellings = new Map<string, string>();
  for (const name of Object.keys(object)) {
    const documented = documentedNameOf(name);
    if (documented !== undefined && (documented === name || !spellings.has(documented)))
      spellings.set(documented, name);
  }
  return spellings;
}

/**
 * A notification with the documented names, and the documented values in place of those that mean the same. Others stay, for the contract
 * to reject, but for fields that recipients of its type do not have.
 */
export function toDocumented(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const spellings = spellingsIn(value);
  const type = value[spellings.get('notificationRecipientType') ?? ''];
  const known = typeof type === 'string' ? knownRecipientType(type) : undefined;
  const ownFields: readonly string[] = known === undefined ? [] : recipientFields[known];
  const documented: Record<string, unknown> = {};
  for (const [name, spelling] of spellings) {
    const received = value[spelling];
    const read = received == null ? received : readings[name as keyof typeof readings](received);
    if (ownFields.includes(name) || isRecipientValue(name, read)) documented[name] = read;
  }
  return documented;
}

/** Whether a value has the documented type, if it is one of a recipient. */
function isRecipientValue(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (name === 'emailList' || name === 'smsList')
    return Array.isArray(value) && value.every((element) => typeof element === 'string');
  return !name.startsWith('notifyStopContacts') || typeof value === 'boolean';
}

/** A list, without nulls. A value alone stands for a list of one, and `{}` for an empty list, as PHP and Lua write it. */
export function toList(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.filter((element) => element !== null);
  return isRecord(value) && Object.keys(value).length === 0 ? [] : [value];
}

/** Texts up to the first element that is none: it is enough to reject a list, and a long one stays cheap. */
function toTexts(value: unknown): unknown[] {
  const texts = toList(value).map(toText);
  const invalid = texts.findIndex((text) => typeof text !== 'string');
  return invalid < 0 ? texts : texts.slice(0, invalid + 1);
}

/** A flag as a number or a word, in any letter case: .NET writes `True`. */
export function toBoolean(value: unknown): unknown {
  const word =
    typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : value;
}

/** What RFC 3339 and ISO 8601 leave open: separators, seconds, fraction and minutes of the offset; and the name of a zone (RFC 9557). */
const DATE_TIME =
  /^(\d{4})(-?)(\d\d)\2(\d\d)[Tt ](\d\d)(?::?(\d\d))(?::?(\d\d)(?:[.,](\d+))?)? ?(?:[Zz]|UTC|GMT|([+-]\d\d)(?::?(\d\d))?)(?:\[[\w/+-]+\])?$/;
/** How .NET serialized dates before it had ISO 8601: milliseconds since 1970, and the offset that they were displayed with. */
const DOTNET_DATE = /^\\?\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\\?\/$/;

/** Writes a timestamp in the form of RFC 3339, with all fractional digits. */
function toTimestamp(value: unknown): GatewayError | string {
  if (typeof value !== 'string') return unreadableValues.lastUpdateDate;
  const text = value.trim();
  const { data } = Timestamp.safeParse(fromIso(text) ?? fromDate(text));
  return data ?? unreadableValues.lastUpdateDate;
}

function fromIso(text: string): string | undefined {
  const [match, year, , month, day, hour, minute, second, fraction, hours, minutes = '00'] =
    DATE_TIME.exec(text) ?? [];
  if (match === undefined) return undefined;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const seconds = `${second ?? '00'}${fraction === undefined ? '' : `.${fraction}`}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${seconds}${offset}`;
}

/** .NET's dates, or HTTP's own (RFC 9110 §5.6.7). JavaScript would read others, and a day that the month does not have as one of the next. */
function fromDate(text: string): string | undefined {
  const [, milliseconds] = DOTNET_DATE.exec(text) ?? [];
  const date = new Date(milliseconds === undefined ? text : Number(milliseconds));
  if (Number.isNaN(date.getTime())) return undefined;
  if (milliseconds !== undefined) return date.toISOString();
  return date.toUTCString() === text ? date.toISOString().replace('.000', '') : undefined;
}
