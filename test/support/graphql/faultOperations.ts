/** Every root field as an operation about one subject, by which the fault server knows it. */
import { expect } from 'vitest';

export interface OperationText {
  query: string;
  variables: Record<string, unknown>;
}

const ROW = '{ notificationGuid notificationName lastUpdateUserName }';
const INPUT =
  'recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } }, trigger: { shipmentStatusChange: [DELIVERED] }';
const SHIPMENT =
  'shipment: { hauler: { freightProviderReferenceNumber: $subject, freightHaulerProviderXid: "XID-1" } }, carrier: { scac: "EXMA" }';

const row = (subject: string, user: string) => ({
  notificationGuid: subject,
  notificationName: `About ${subject}`,
  lastUpdateUserName: user,
});

interface Operation {
  method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  query: string;
  variables?: (subject: string) => Record<string, unknown>;
  /** The value of the field when all goes well. */
  value: (subject: string, user: string) => unknown;
  /** The value of the field when it failed; undefined where the whole answer is null then. */
  failed?: unknown;
}

const operations = {
  notification: {
    method: 'GET',
    query: `query ($subject: ID!) { notification(notificationGuid: $subject) ${ROW} }`,
    value: row,
    failed: null,
  },
  notificationsByGuid: {
    method: 'GET',
    query: `query ($subject: ID!) { notificationsByGuid(notificationGuids: [$subject]) ${ROW} }`,
    value: (subject, user) => [row(subject, user)],
    failed: [null],
  },
  notifications: {
    method: 'GET',
    query: `query ($parameters: JSONObject) { notifications(additionalParameters: $parameters) { notifications ${ROW} totalPossibleCount messages } }`,
    variables: (subject) => ({ parameters: { subject } }),
    value: (subject, user) => ({ notifications: [row(subject, user)], totalPossibleCount: 1, messages: [] }),
  },
  createNotification: {
    method: 'POST',
    query: `mutation ($subject: String!) { createNotification(input: { notificationName: $subject, ${INPUT} }) { notification ${ROW} messages } }`,
    value: (subject, user) => ({ notification: row(subject, user), messages: [] }),
    failed: null,
  },
  updateNotification: {
    method: 'PUT',
    query: `mutation ($subject: ID!) { updateNotification(notificationGuid: $subject, input: { notificationName: "New", ${INPUT} }) { notification ${ROW} messages } }`,
    value: (subject, user) => ({ notification: row(subject, user), messages: [] }),
    failed: null,
  },
  deleteNotification: {
    method: 'DELETE',
    query:
      'mutation ($subject: ID!) { deleteNotification(notificationGuid: $subject) { notificationGuid messages } }',
    value: (notificationGuid) => ({ notificationGuid, messages: [] }),
    failed: null,
  },
  trackShipment: {
    method: 'POST',
    query: `mutation ($subject: String!) { trackShipment(input: { ${SHIPMENT}, driverPhoneNumber: "+13035550110", shipmentTrackingType: "Mobile" }) { tracked } }`,
    value: () => ({ tracked: true }),
    failed: null,
  },
  deleteException: {
    method: 'DELETE',
    query: `mutation ($subject: String!) { deleteException(input: { ${SHIPMENT}, target: { exceptionGuid: "E-1" } }) { deleted } }`,
    value: () => ({ deleted: true }),
    failed: null,
  },
} as const satisfies Record<string, Operation>;

export type FieldName = keyof typeof operations;

export const fieldNames = Object.keys(operations) as FieldName[];
export const reads = fieldNames.filter((field) => operations[field].method === 'GET');
export const writes = fieldNames.filter((field) => operations[field].method !== 'GET');

/** Method of the REST call that a field makes. */
export function methodOf(field: FieldName): string {
  return operations[field].method;
}

export function about(field: FieldName, subject: string): OperationText {
  const { query, variables = () => ({ subject }) }: Operation = operations[field];
  return { query, variables: variables(subject) };
}

/** The whole of data and errors when all goes well. */
export function success(field: FieldName, subject: string, user = 'robin.planner') {
  const { value }: Operation = operations[field];
  return { data: { [field]: value(subject, user) }, errors: undefined };
}

/** The whole of data and errors when the field failed. */
export function failure(
  field: FieldName,
  { message, ...extensions }: Failure,
  requestId = expect.any(String) as string,
) {
  const { query, failed, method }: Operation = operations[field];
  const path = field === 'notificationsByGuid' ? [field, 0] : [field];
  const { outcome, retryable, ...others } = extensions;
  const isWrite = method !== 'GET';
  return {
    data: failed === undefined ? null : { [field]: failed },
    errors: [
      {
        message,
        locations: [{ line: 1, column: query.indexOf(field) + 1 }],
        path,
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

/** The extensions of an error with its message. */
export interface Failure {
  message: string;
  code: string;
  /** It is told of writes alone. */
  outcome: 'NOT_APPLIED' | 'UNKNOWN';
  /** As it is for a read; a write may be sent again only when it was not applied, too. */
  retryable: boolean;
  status?: number;
  retryAfterSeconds?: number;
  serviceMessages?: unknown[];
}
