/** A quick look at notifications in the service's answers, nearly all of which are just as the contract has them. */
import { z } from 'zod';
import type { NotificationRecord } from './contract.js';
import { isJsonValue } from '../domain/jsonValue.js';
import { knownRecipientType, recipientFields } from '../domain/recipientType.js';

const timestamp = z.regexes.datetime({ offset: true });

/**
 * Whether the contract's schema would take a value of JSON, and leave it as it is but for fields that the contract does
 * not name. Of a value of which this is not true the schema has to tell: it may change it, or say what is wrong.
 */
export function isPlainNotification(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Partial<Record<keyof NotificationRecord, unknown>>;
  return (
    isText(record.notificationGuid) &&
    record.notificationGuid !== '' &&
    isText(record.notificationName) &&
    isText(record.notificationTypeLabel) &&
    isTextList(record.notificationTypes) &&
    (record.notifyStopContactsByEmail == null || typeof record.notifyStopContactsByEmail === 'boolean') &&
    (record.notifyStopContactsBySms == null || typeof record.notifyStopContactsBySms === 'boolean') &&
    (record.emailList == null || isTextList(record.emailList)) &&
    (record.smsList == null || isTextList(record.smsList)) &&
    Array.isArray(record.filters) &&
    record.filters.every((filter) => filter !== null && isJsonValue(filter)) &&
    isJsonValue(record.notificationMetaData ?? null) &&
    (record.lastUpdateUserName == null || isText(record.lastUpdateUserName)) &&
    (record.lastUpdateDate == null ||
      (isText(record.lastUpdateDate) && timestamp.test(record.lastUpdateDate))) &&
    isText(record.notificationRecipientType) &&
    hasFieldsOf(record.notificationRecipientType, record)
  );
}

function hasFieldsOf(spelling: string, record: Partial<Record<keyof NotificationRecord, unknown>>): boolean {
  const type = knownRecipientType(spelling);
  return type === undefined || recipientFields[type].every((field) => record[field] != null);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
