/** Whether a notification is as a write asked for, in spite of the spellings in which the service stores it. */
import { isDeepStrictEqual } from 'node:util';
import { formatPhoneNumber } from './vocabulary.js';
import type { NotificationRecord, NotificationRequest } from './contract.js';

/** The parts of a definition that a write sent; null and undefined were not. */
export type SentFields = {
  readonly [Field in keyof NotificationRequest]?: NotificationRequest[Field] | null | undefined;
};

/** Compares each field that was sent. A value that the service masks or rewrites makes the two differ. */
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

/** Phone numbers are the same in any notation, recipient types in any letter case. */
function normalize(field: keyof NotificationRequest, value: unknown): unknown {
  if (field === 'notificationRecipientType') return String(value).toLowerCase();
  if (field === 'smsList') return (value as readonly string[] | null | undefined)?.map(formatPhoneNumber);
  return value;
}
