/** An operation on every root field about one subject, by which the fault server recognizes its REST call. */
import { expect } from 'vitest';
import {
  asVariables,
  fieldNames,
  isMutation,
  validArguments,
  type Arguments,
  type FieldName,
  type Operation,
} from './rootFields.js';

const ROW = '{ notificationGuid notificationName lastUpdateUserName }';

const row = (subject: string, user: string) => ({
  notificationGuid: subject,
  notificationName: `About ${subject}`,
  lastUpdateUserName: user,
});

interface SubjectOperation {
  argumentsFor: (subject: string) => Arguments;
  /** @default that of the table of root fields */
  selection?: string;
  /** The value of the field when the call succeeds. */
  value: (subject: string, user: string) => unknown;
  /** The value of the field when the call fails. */
  failed: unknown;
}

const operations: Readonly<Record<FieldName, SubjectOperation>> = {
  notification: {
    argumentsFor: (notificationGuid) => ({ notificationGuid }),
    selection: ROW,
    value: row,
    failed: null,
  },
  notificationsByGuid: {
    argumentsFor: (subject) => ({ notificationGuids: [subject] }),
    selection: ROW,
    value: (subject, user) => [row(subject, user)],
    failed: [null],
  },
  notifications: {
    argumentsFor: (subject) => ({ additionalParameters: { subject } }),
    selection: `{ notifications ${ROW} totalPossibleCount messages }`,
    value: (subject, user) => ({ notifications: [row(subject, user)], totalPossibleCount: 1, messages: [] }),
    failed: null,
  },
  createNotification: {
    argumentsFor: (subject) => inputOf('createNotification', { notificationName: subject }),
    selection: `{ notification ${ROW} messages }`,
    value: (subject, user) => ({ notification: row(subject, user), messages: [] }),
    failed: null,
  },
  updateNotification: {
    argumentsFor: (notificationGuid) => ({ ...validArguments('updateNotification'), notificationGuid }),
    selection: `{ notification ${ROW} messages }`,
    value: (subject, user) => ({ notification: row(subject, user), messages: [] }),
    failed: null,
  },
  deleteNotification: {
    argumentsFor: (notificationGuid) => ({ notificationGuid }),
    selection: '{ notificationGuid messages }',
    value: (notificationGuid) => ({ notificationGuid, messages: [] }),
    failed: null,
  },
  trackShipment: {
    argumentsFor: (subject) => inputOf('trackShipment', { shipment: shipmentOf(subject) }),
    value: () => ({ tracked: true }),
    failed: null,
  },
  deleteException: {
    argumentsFor: (subject) => inputOf('deleteException', { shipment: shipmentOf(subject) }),
    value: () => ({ deleted: true }),
    failed: null,
  },
};

export const reads = fieldNames.filter((field) => !isMutation(field));
export const writes = fieldNames.filter(isMutation);

export function about(field: FieldName, subject: string): Required<Operation> {
  const { argumentsFor, selection } = operations[field];
  const { query, variables = {} } = asVariables(field, argumentsFor(subject), selection);
  return { query, variables };
}

/** The whole `data` and `errors` when the call succeeds. */
export function success(field: FieldName, subject: string, user = 'robin.planner') {
  return { data: { [field]: operations[field].value(subject, user) }, errors: undefined };
}

/** The whole `data` and `errors` when the call fails. */
export function failure(
  field: FieldName,
  { message, ...extensions }: Failure,
  requestId = expect.any(String) as string,
) {
  const { failed } = operations[field];
  const { query } = about(field, 'any');
  const { outcome, retryable, ...others } = extensions;
  const isWrite = isMutation(field);
  return {
    data: { [field]: failed },
    errors: [
      {
        message,
        locations: [{ line: 1, column: query.indexOf(`{ ${field}`) + 3 }],
        path: field === 'notificationsByGuid' ? [field, 0] : [field],
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

/** Valid arguments with some members of `input` replaced. */
function inputOf(field: FieldName, members: object): Arguments {
  const { input } = validArguments(field);
  return { input: { ...(input as object), ...members } };
}

function shipmentOf(freightProviderReferenceNumber: string) {
  return { hauler: { freightProviderReferenceNumber, freightHaulerProviderXid: 'XID-1' } };
}
