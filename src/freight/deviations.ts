/**
 * What services write instead of the documented values of a notification, and what it means. A value that can only mean one thing is
 * read as that. A date that can mean several costs its field, and not the notification.
 */
import { z } from 'zod';
import { isRecord } from '../domain/json.js';
import { ServiceError } from '../transport/serviceError.js';
import { knownRecipientType, recipientFields, RecipientType } from './vocabulary.js';

/** ISO 8601 with a UTC offset and fractional seconds of any length; stays a string. (Notification, as returned: lastUpdateDate.) */
export const Timestamp = z.iso.datetime({ offset: true });

export const DATE_PROBLEM = '/lastUpdateDate: expected a date and time in ISO 8601 format with a UTC offset';

/** In place of a date that cannot be read. As the value of a field, it becomes the error of the field, which is null. */
export const unreadableDate = new ServiceError('valueUnreadable', {
  message: `The response does not match the contract: ${DATE_PROBLEM}`,
});

/** In place of the first of too many such dates in a list. */
export const furtherUnreadableDates = new ServiceError('valueUnreadable', {
  message: `${unreadableDate.message}; further dates of the list that cannot be read are null without an error`,
});

/** A notification with the documented values in place of those that mean the same. Others stay, for the contract to reject. */
export function toDocumented(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const documented = { ...value };
  for (const [name, read] of Object.entries(readings))
    if (value[name] != null) documented[name] = read(value[name]);
  const type = value['notificationRecipientType'];
  if (typeof type === 'string' && knownRecipientType(type) === RecipientType.ShipmentLevel)
    for (const name of recipientFields[RecipientType.ShipmentLevel]) documented[name] ??= [];
  return documented;
}

const readings = {
  notificationGuid: toText,
  notifyStopContactsByEmail: toBoolean,
  notifyStopContactsBySms: toBoolean,
  smsList: (list: unknown) => (Array.isArray(list) ? list.map(toText) : list),
  lastUpdateDate: toTimestamp,
};

/** JSON.parse() has lost the text of a number that is not a safe integer. */
export function toText(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

const booleans = new Map<unknown, boolean>([
  [1, true],
  [0, false],
  ['true', true],
  ['false', false],
]);

/** Names in any letter case: .NET writes `True`. */
export function toBoolean(value: unknown): unknown {
  return booleans.get(typeof value === 'string' ? value.toLowerCase() : value) ?? value;
}

/** Date, time to the minute, seconds, fraction, and the offset in hours and minutes: what RFC 3339 and ISO 8601 leave open. */
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d)?(?:(?<=:\d\d:\d\d)[.,](\d+))?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)$/;

/** In the form of RFC 3339, with all fractional digits. */
function toTimestamp(value: unknown): ServiceError | string {
  if (typeof value !== 'string') return unreadableDate;
  const text = value.replace(
    DATE_TIME,
    (
      _match,
      date: string,
      time: string,
      seconds = ':00',
      fraction?: string,
      hours?: string,
      minutes = '00',
    ) =>
      `${date}T${time}${seconds}${fraction === undefined ? '' : `.${fraction}`}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`,
  );
  return Timestamp.safeParse(text).success ? text : unreadableDate;
}
