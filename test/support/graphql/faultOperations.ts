/** An operation on every root field about one subject, by which the fault server recognizes its REST call. */
import { expect } from 'vitest';
import { operations, type RestOperation, type WriteOperation } from '../../../src/freight/operations.js';
import type { ReadBackKind } from '../../../src/telemetry/requestSummary.js';
import { settings } from '../service/settings.js';
import {
  asVariables,
  entryOf,
  fieldNames,
  isMutation,
  methodOf,
  subjectPathOf,
  successOf,
  withInvalidValue,
  type FieldName,
  type WriteField,
  type Operation,
} from './rootFields.js';

export const reads = fieldNames.filter((field) => !isMutation(field));
export const writes = fieldNames.filter(isMutation) as WriteField[];
/** Those that may be sent again (RFC 9110 section 9.2.2), and those that may not. */
export const idempotentWrites = writes.filter((field) => methodOf(field) !== 'POST');
export const otherWrites = writes.filter((field) => methodOf(field) === 'POST');

/** What is read if the outcome of a write is unknown; undefined for nothing. */
export function readBackOf(field: FieldName): ReadBackKind | undefined {
  return (entryOf(field).operation as WriteOperation<never, unknown>).readBack;
}

/** The REST call of a field, as the service receives it. */
export function callOf(field: FieldName, subject: string): string {
  return calling(entryOf(field).operation, subject);
}

/** The reads after a write of unknown outcome. */
export function readBackCalls(field: FieldName, subject: string): string[] {
  const reads = { candidates: operations.listNotifications, state: operations.readNotification };
  const kind = readBackOf(field);
  return kind === undefined ? [] : [calling(reads[kind], subject)];
}

/** The reads of a replay: of the notification that a write has left. The service gives a created one its name as identifier. */
export function replayCalls(field: FieldName, subject: string): string[] {
  const leavesNotification = readBackOf(field) !== undefined && methodOf(field) !== 'DELETE';
  return leavesNotification ? [calling(operations.readNotification, subject)] : [];
}

function calling({ method, path }: Pick<RestOperation<never, unknown>, 'method' | 'path'>, subject: string) {
  return `${method} ${path(settings).replace('{notificationGuid}', subject)}`;
}

export function about(field: FieldName, subject: string): Required<Operation> {
  const args = withInvalidValue(field, subjectPathOf(field), subject);
  const { query, variables = {} } = asVariables(field, args, successOf(field).selection);
  return { query, variables };
}

/** The whole `data` and `errors` when the call succeeds. */
export function success(field: FieldName, subject: string, user = 'robin.planner') {
  return { data: { [field]: successOf(field).value(subject, user) }, errors: undefined };
}

/** The whole `data` and `errors` when the call fails. */
export function failure(
  field: FieldName,
  { message, ...extensions }: Failure,
  requestId = expect.any(String) as string,
) {
  const { failsByElement } = entryOf(field);
  const { query } = about(field, 'any');
  const { outcome, retryable, ...others } = extensions;
  const isWrite = isMutation(field);
  return {
    data: { [field]: failsByElement ? [null] : null },
    errors: [
      {
        message,
        locations: [{ line: 1, column: query.indexOf(`{ ${field}`) + 3 }],
        path: failsByElement ? [field, 0] : [field],
        extensions: {
          ...others,
          ...(isWrite && { outcome }),
          retryable: retryable && (!isWrite || outcome === 'NOT_APPLIED'),
          requestId,
        },
      },
    ],
  };
}

/** The message and extensions of an error. */
export interface Failure {
  message: string;
  code: string;
  /** Reported for mutations only. */
  outcome: 'NOT_APPLIED' | 'UNKNOWN';
  /** As for a read; a failed mutation is retryable only if it was not applied, too. */
  retryable: boolean;
  status?: number;
  retryAfterSeconds?: number;
  serviceMessages?: unknown[];
}
