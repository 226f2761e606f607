/** How the notifications of the list deviate from the interface document, and what that means for clients. No variable changes that. */
import { quote } from '../domain/text.js';
import type { NotificationRecord } from '../freight/contract.js';
import type { NotificationList } from '../freight/notificationBodies.js';
import {
  formatPhoneNumber,
  knownRecipientType,
  RecipientType,
  toShipmentStatus,
} from '../freight/vocabulary.js';
import type { Probe } from './calls.js';

export function reportDeviations(probe: Probe, list: Omit<NotificationList, 'messages'>): void {
  const { data, unreadable = [], totalPossibleCount } = list;
  const [violation] = unreadable;
  const total = data.length + unreadable.length;
  if (total === 0) probe.found('open', 'notifications', 'the list is empty');
  if (totalPossibleCount == null)
    probe.found('noted', 'totalPossibleCount', 'is not there: clients get null');
  if (violation !== undefined) {
    const meaning = 'they are errors, and a list that has them needs the field `unreadable`';
    const saw = `${unreadable.length} of ${total}, ${quote(violation.problem)}: ${meaning}`;
    probe.found('noted', 'unreadable notifications', saw);
  }
  for (const [name, isDeviating, meaning] of deviations) {
    const affected = data.filter(isDeviating).length;
    if (affected > 0) probe.found('noted', name, `${meaning} (${affected} of ${total} notifications)`);
  }
  // What the service has stored is what it accepts.
  const types = new Set(data.map(({ notificationRecipientType }) => notificationRecipientType));
  const spellings = [...types].filter((type) => knownRecipientType(type) === RecipientType.StopLevel);
  const [spelling] = spellings;
  if (spelling === undefined) return;
  const saw = `read as ${spellings.join(', ')}`;
  if (types.has(probe.settings().stopLevelRecipientType))
    probe.found('proven', 'STOP_LEVEL_RECIPIENT_TYPE', saw);
  else probe.set('STOP_LEVEL_RECIPIENT_TYPE', spelling, saw);
}

const EMAIL = /^[^\s@*]+@[^\s@*]+$/;
const isPhoneNumber = (text: string) => /^\+\d+$/.test(formatPhoneNumber(text));
const isUnreadable = (value: unknown) => value instanceof Error;
const typeOf = (record: NotificationRecord) => knownRecipientType(record.notificationRecipientType);
const isShipmentLevel = (record: NotificationRecord) => typeOf(record) === RecipientType.ShipmentLevel;
const isNewStatus = (subtype: string) => toShipmentStatus(subtype) === undefined;

const UNREADABLE = 'cannot be read: clients get null and an error';
const MISSING = 'is missing: clients read it as empty, and an update must bring its own';
const MASKED = 'has other texts: clients read them as they are, and an update must bring its own list';

/** Members, in which notifications they deviate, and what that means. */
const deviations: readonly [string, (record: NotificationRecord) => boolean, string][] = [
  ['lastUpdateDate', (each) => isUnreadable(each.lastUpdateDate), UNREADABLE],
  [
    'lastUpdateDate',
    (each) => each.lastUpdateDate == null,
    'is null for clients: no `ifLastUpdateDate` matches',
  ],
  ['lastUpdateUserName', (each) => isUnreadable(each.lastUpdateUserName), UNREADABLE],
  ['lastUpdateUserName', (each) => each.lastUpdateUserName == null, 'is null for clients'],
  ['notificationMetaData', (each) => isUnreadable(each.notificationMetaData), UNREADABLE],
  ['emailList', (each) => each.emailList === undefined && isShipmentLevel(each), MISSING],
  ['smsList', (each) => each.smsList === undefined && isShipmentLevel(each), MISSING],
  ['emailList', ({ emailList }) => emailList?.some((text) => !EMAIL.test(text)) === true, MASKED],
  ['smsList', ({ smsList }) => smsList?.some((text) => !isPhoneNumber(text)) === true, MASKED],
  ['notificationRecipientType', (each) => !typeOf(each), 'is a new one: clients get `OtherRecipient`'],
  [
    'notificationTypes',
    (each) => each.notificationTypes.some(isNewStatus),
    'has some without a `ShipmentStatus`',
  ],
];
