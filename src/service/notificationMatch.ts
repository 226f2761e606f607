/** Whether a notification is as a write asked for, in spite of the spellings in which the service stores it. */
import { isDeepStrictEqual } from 'node:util';
import { formatPhoneNumber } from '../domain/phoneNumber.js';
import type { NotificationRecord, NotificationRequest } from './contract.js';

/** The parts of a definition that a write sent; null and undefined were not. */
export type SentFields = {
  readonly [Field in keyof NotificationRequest]?: NotificationRequest[Field] | null | undefined;
};

/** Compares each field that was sent. A value that the service masks or rewrites makes the two differ. */
export function hasFields(record: NotificationRecord, sent: SentFields): boolean {
  return Object.entries(sent).every(
    ([name, value]) => value == null || isEqual(name as keyof NotificationRequest, record, value),
  );
}

function isEqual(name: keyof NotificationRequest, record: NotificationRecord, sent: unknown): boolean {
  if (name === 'notificationRecipientType')
    return record.notificationRecipientType.toLowerCase() === String(sent).toLowerCase();
  if (name === 'smsList')
    return isDeepStrictEqual(
      record.smsList?.map(formatPhoneNumber),
      (sent as readonly string[]).map(formatPhoneNumber),
    );
  // As it arrived at the service: inputs have objects without a prototype, and -0 is sent as 0.
  return isDeepStrictEqual(record[name], JSON.parse(JSON.stringify(sent)) as unknown);
}
