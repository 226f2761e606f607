/**
 * The table of root fields that make a REST call: valid arguments, which tests then invalidate one place at a time, and what the field
 * has when the call succeeds. Everything else about a field derives from the schema and its entry.
 */
import { isRequiredArgument, type GraphQLArgument, type GraphQLField } from 'graphql';
import type { FieldEntry } from '../../../src/fields/selections.js';
import type { reads } from '../../../src/fields/reads.js';
import type { writes } from '../../../src/fields/writes.js';
import type { RestOperation } from '../../../src/freight/operations.js';
import { createSchema } from '../../../src/graphql/schema.js';

import { CARRIER, SHIPMENT } from './documents.js';

export type Arguments = Readonly<Record<string, unknown>>;

export interface Operation {
  query: string;
  variables?: Record<string, unknown>;
}

interface RootField {
  /** Valid arguments, one of each shape. */
  valid: readonly [Arguments, ...Arguments[]];
  /** Path in the arguments of what the fault server calls the subject of a request. A blank one is invalid. */
  subject: string;
  selection: string;
  success: {
    /** @default that above */
    selection?: string;
    /** The value of the field when the call about a subject succeeds. */
    value: (subject: string, user: string) => unknown;
  };
}

/** The row of a mutation field. */
interface RootWrite extends RootField {
  /** What the payload has after a failure, apart from what all payloads have, for the first valid arguments. */
  failed: { selection: string; payload: Readonly<Record<string, unknown>> };
}

/** The guid of a notification of the seed data. */
export const SEED_GUID = 'e124b63a-74ab-43ac-abaf-d7512394501a';

const byName = {
  notificationName: 'Dock team',
  recipient: { shipmentLevel: { emailList: ['dock@example.com'], smsList: [] } },
  trigger: { shipmentStatusChange: ['EN_ROUTE'] },
};
const byStop = {
  notificationName: 'Stop contacts',
  recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } },
  trigger: { other: { notificationTypeLabel: 'weather', notificationTypes: ['Storm'] } },
};
const byHauler = {
  shipment: {
    hauler: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' },
  },
  carrier: { mc: '900001' },
};
const byPlate = {
  shipment: {
    licensePlate: { freightProviderReferenceNumber: 'REF-1001', portalLicensePlate: 'PLATE-3001' },
  },
  carrier: { scac: 'EXMA' },
};
const tracking = { driverPhoneNumber: '+13035550110', shipmentTrackingType: 'Mobile' };
const target = { exceptionGuid: 'e0000000-0000-4000-8000-000000000101' };

const ROW = '{ notificationGuid notificationName lastUpdateUserName }';
const row = (subject: string, user: string) => ({
  notificationGuid: subject,
  notificationName: `About ${subject}`,
  lastUpdateUserName: user,
});
/** Without the name, which the response to a write has as it was sent, and a read as the service always has it. */
const written: RootField['success'] = {
  selection: '{ notification { notificationGuid lastUpdateUserName } messages }',
  value: (subject, user) => ({
    notification: { notificationGuid: subject, lastUpdateUserName: user },
    messages: [],
  }),
};
const hauler = { ...byHauler.shipment.hauler, portalLicensePlate: null };
const carrier = { ...byHauler.carrier, dot: null, scac: null };
const BY_HAULER = 'input.shipment.hauler.freightProviderReferenceNumber';

const rootFields: Readonly<Record<Query, RootField> & Record<WriteField, RootWrite>> = {
  notification: {
    valid: [{ notificationGuid: SEED_GUID }],
    subject: 'notificationGuid',
    selection: '{ notificationGuid }',
    success: { selection: ROW, value: row },
  },
  notificationsByGuid: {
    valid: [{ notificationGuids: [SEED_GUID] }],
    subject: 'notificationGuids[0]',
    selection: '{ notificationGuid }',
    success: { selection: ROW, value: (subject, user) => [row(subject, user)] },
  },
  notifications: {
    valid: [{}, { additionalParameters: {} }],
    subject: 'additionalParameters.subject',
    selection: '{ messages }',
    success: {
      selection: `{ notifications ${ROW} totalPossibleCount messages }`,
      value: (subject, user) => ({
        notifications: [row(subject, user)],
        totalPossibleCount: 1,
        messages: [],
      }),
    },
  },
  createNotification: {
    valid: [{ input: byName }, { input: byStop }],
    subject: 'input.notificationName',
    selection: '{ messages }',
    success: written,
    failed: {
      selection: 'notificationGuid notification { notificationName } messages',
      payload: { notificationGuid: null, notification: null, messages: [] },
    },
  },
  updateNotification: {
    // Whole definitions, which are sent without a read.
    valid: [
      { notificationGuid: SEED_GUID, input: { ...byName, filters: [] } },
      { notificationGuid: SEED_GUID, input: { ...byStop, filters: [] } },
    ],
    subject: 'notificationGuid',
    selection: '{ messages }',
    success: written,
    failed: {
      selection: 'notificationGuid notification { notificationName } messages current { notificationName }',
      payload: { notificationGuid: SEED_GUID, notification: null, messages: [], current: null },
    },
  },
  deleteNotification: {
    valid: [{ notificationGuid: SEED_GUID }],
    subject: 'notificationGuid',
    selection: '{ messages }',
    success: {
      selection: '{ notificationGuid messages }',
      value: (notificationGuid) => ({ notificationGuid, messages: [] }),
    },
    failed: {
      selection: 'notificationGuid messages current { notificationName }',
      payload: { notificationGuid: SEED_GUID, messages: [], current: null },
    },
  },
  trackShipment: {
    valid: [{ input: { ...byHauler, ...tracking } }, { input: { ...byPlate, ...tracking } }],
    subject: BY_HAULER,
    selection: '{ tracked }',
    success: { value: () => ({ tracked: true }) },
    failed: {
      selection: `tracked ${SHIPMENT} ${CARRIER} driverPhoneNumber`,
      payload: { tracked: false, shipment: hauler, carrier, driverPhoneNumber: '+13035550110' },
    },
  },
  deleteException: {
    valid: [
      { input: { ...byHauler, target } },
      { input: { ...byPlate, target } },
      { input: { ...byPlate, target: { exceptionFileGuid: 'f0000000-0000-4000-8000-000000000101' } } },
    ],
    subject: BY_HAULER,
    selection: '{ deleted }',
    success: { value: () => ({ deleted: true }) },
    failed: {
      selection: `deleted exceptionGuid exceptionFileGuid messages ${SHIPMENT} ${CARRIER}`,
      payload: {
        deleted: false,
        exceptionGuid: target.exceptionGuid,
        exceptionFileGuid: null,
        messages: [],
        shipment: hauler,
        carrier,
      },
    },
  },
};

type Query = Exclude<keyof typeof reads, 'writeRecords'>;
type Mutation = keyof typeof writes;
/** Bulk fields have a table of their own. */
export type WriteField = Exclude<Mutation, `${Mutation}s`>;
export type FieldName = Query | WriteField;
export const fieldNames = Object.keys(rootFields) as FieldName[];

const schema = createSchema();
const queries = schema.getQueryType()?.getFields() ?? {};
export const mutations = schema.getMutationType()?.getFields() ?? {};

function definitionOf(field: FieldName): GraphQLField<unknown, unknown> {
  const definition = queries[field] ?? mutations[field];
  if (definition === undefined) throw new Error(`Expected the schema to have the field ${field}`);
  return definition;
}

export function argumentsOf(field: FieldName): readonly GraphQLArgument[] {
  return definitionOf(field).args;
}

export function entryOf(field: FieldName) {
  return definitionOf(field).extensions['entry'] as FieldEntry & { operation: RestOperation<never, unknown> };
}

/** Path of the subject in the arguments. */
export function subjectPathOf(field: FieldName): string {
  return rootFields[field].subject;
}

export function successOf(field: FieldName): Required<RootField['success']> {
  const { selection, success } = rootFields[field];
  return { selection, ...success };
}

/** The fields that take the guid of a notification, the path of it in their arguments, and their REST method. */
export const guidFields: [field: FieldName, path: string, method: string][] = fieldNames
  .filter((field) => subjectPathOf(field).startsWith('notificationGuid'))
  .map((field) => [field, subjectPathOf(field), methodOf(field)]);

/** What the payload of a mutation field has after a failure. */
export function failedPayloadOf(field: WriteField): RootWrite['failed'] {
  return rootFields[field].failed;
}

/** The fields whose calls go to the shipment service. */
export const shipmentFields = fieldNames.filter(
  (field) => entryOf(field).operation.baseUrl === 'shipmentServiceUrl',
);

/** Method of the REST call that a field makes. */
export function methodOf(field: FieldName): RestOperation<never, unknown>['method'] {
  return entryOf(field).operation.method;
}

export function isMutation(field: FieldName): boolean {
  return field in mutations;
}

/** Valid arguments of the most common shape. */
export function validArguments(field: FieldName): Arguments {
  return rootFields[field].valid[0];
}

/** Valid arguments of every shape. */
export function allValidArguments(field: FieldName): readonly [Arguments, ...Arguments[]] {
  return rootFields[field].valid;
}

/**
 * Valid arguments with one value replaced, or removed if the value is undefined. Of several valid shapes, one that has
 * the path is preferred over one that merely has room for it.
 */
export function withInvalidValue(field: FieldName, path: string, value: unknown): Arguments {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '');
  const last = parts.pop() ?? '';
  const candidates = structuredClone<readonly Arguments[]>(rootFields[field].valid).flatMap((args) => {
    const parent = parts.reduce<unknown>((at, part) => (at as Arguments | undefined)?.[part], args);
    return typeof parent === 'object' && parent !== null ? [{ args, parent }] : [];
  });
  const [first] = candidates;
  const chosen = candidates.find(({ parent }) => last in parent) ?? first;
  if (chosen === undefined) throw new Error(`Expected arguments of ${field} that have room for ${path}`);
  if (value === undefined) Reflect.deleteProperty(chosen.parent, last);
  else Object.assign(chosen.parent, { [last]: value });
  return chosen.args;
}

/** An operation on one field, with a variable for each of its arguments. */
export function asVariables(
  field: FieldName,
  args: Arguments,
  selection: string = rootFields[field].selection,
): Operation {
  // Optional arguments of a mutation become variables only where they are given: operations without them are compiled.
  const passed = argumentsOf(field).filter(
    (argument) => argument.name in args || isRequiredArgument(argument) || !isMutation(field),
  );
  const definitions = passed.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const uses = passed.map(({ name }) => `${name}: $${name}`).join(', ');
  return {
    query: `${typeOf(field)} (${definitions}) { ${field}(${uses}) ${selection} }`,
    variables: args,
  };
}

/** An operation on one field, its arguments written into the document. */
export function asLiterals(field: FieldName, args: Arguments): Operation {
  const list = Object.keys(args).length === 0 ? '' : `(${membersOf(args)})`;
  return { query: `${typeOf(field)} { ${field}${list} ${rootFields[field].selection} }` };
}

function typeOf(field: FieldName): 'mutation' | 'query' {
  return isMutation(field) ? 'mutation' : 'query';
}

/** A JSON value as a GraphQL literal. Shipment statuses are the only enum of the inputs. */
function literal(value: unknown, name?: string): string {
  if (Array.isArray(value)) return `[${value.map((element) => literal(element, name)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return `{ ${membersOf(value)} }`;
  return name === 'shipmentStatusChange' ? String(value) : JSON.stringify(value);
}

function membersOf(value: object): string {
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${literal(member, name)}`)
    .join(', ');
}
