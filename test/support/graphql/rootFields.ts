/** The table of root fields, each with valid arguments, which tests then invalidate one place at a time. */

export type Arguments = Readonly<Record<string, unknown>>;

export interface Operation {
  query: string;
  variables?: Record<string, unknown>;
}

interface RootField {
  /** Method of its REST call. */
  method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  argumentTypes: Readonly<Record<string, string>>;
  /** Of arguments that become variables only where they are given: operations without them are compiled. */
  optionalTypes?: Readonly<Record<string, string>>;
  selection: string;
  /** Valid arguments, one of each shape. */
  valid: readonly Arguments[];
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

const rootFields = {
  notification: {
    method: 'GET',
    argumentTypes: { notificationGuid: 'ID!' },
    selection: '{ notificationGuid }',
    valid: [{ notificationGuid: SEED_GUID }],
  },
  notificationsByGuid: {
    method: 'GET',
    argumentTypes: { notificationGuids: '[ID!]!' },
    selection: '{ notificationGuid }',
    valid: [{ notificationGuids: [SEED_GUID] }],
  },
  notifications: {
    method: 'GET',
    argumentTypes: { additionalParameters: 'JSONObject' },
    selection: '{ messages }',
    valid: [{}],
  },
  createNotification: {
    method: 'POST',
    argumentTypes: { input: 'NotificationInput!' },
    selection: '{ messages }',
    valid: [{ input: byName }, { input: byStop }],
  },
  updateNotification: {
    method: 'PUT',
    argumentTypes: { notificationGuid: 'ID!', input: 'UpdateNotificationInput!' },
    optionalTypes: { ifLastUpdateDate: 'DateTime' },
    selection: '{ messages }',
    // Whole definitions, which are sent without a read.
    valid: [byName, byStop].map((input) => ({
      notificationGuid: SEED_GUID,
      input: { ...input, filters: [] },
    })),
  },
  deleteNotification: {
    method: 'DELETE',
    argumentTypes: { notificationGuid: 'ID!' },
    optionalTypes: { ifLastUpdateDate: 'DateTime' },
    selection: '{ messages }',
    valid: [{ notificationGuid: SEED_GUID }],
  },
  trackShipment: {
    method: 'POST',
    argumentTypes: { input: 'TrackShipmentInput!' },
    selection: '{ tracked }',
    valid: [byHauler, byPlate].map((shipment) => ({ input: { ...shipment, ...tracking } })),
  },
  deleteException: {
    method: 'DELETE',
    argumentTypes: { input: 'DeleteExceptionInput!' },
    selection: '{ deleted }',
    valid: [byHauler, byPlate].map((shipment) => ({ input: { ...shipment, target } })),
  },
} as const satisfies Record<string, RootField>;

export type FieldName = keyof typeof rootFields;
export const fieldNames = Object.keys(rootFields) as FieldName[];

/** The fields that take the guid of a notification, the path of it in their arguments, and their REST method. */
export const guidFields: [field: FieldName, path: string, method: string][] = [
  ['notification', 'notificationGuid', 'GET'],
  ['notificationsByGuid', 'notificationGuids[0]', 'GET'],
  ['updateNotification', 'notificationGuid', 'PUT'],
  ['deleteNotification', 'notificationGuid', 'DELETE'],
];

/** Method of the REST call that a field makes. */
export function methodOf(field: FieldName): RootField['method'] {
  return rootFields[field].method;
}

export function isMutation(field: FieldName): boolean {
  return methodOf(field) !== 'GET';
}

/** Valid arguments of the most common shape. */
export function validArguments(field: FieldName): Arguments {
  return rootFields[field].valid[0];
}

/** Valid arguments of every shape. */
export function allValidArguments(field: FieldName): readonly [Arguments, ...Arguments[]] {
  return rootFields[field].valid as readonly Arguments[] as readonly [Arguments, ...Arguments[]];
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

/** An operation on one field, each of its arguments a variable of the same name. */
export function asVariables(
  field: FieldName,
  args: Arguments,
  selection: string = rootFields[field].selection,
): Operation {
  const { argumentTypes: requiredTypes, optionalTypes = {} }: RootField = rootFields[field];
  const givenTypes = Object.entries(optionalTypes).filter(([name]) => name in args);
  const argumentTypes = [...Object.entries(requiredTypes), ...givenTypes];
  const definitions = argumentTypes.map(([name, type]) => `$${name}: ${type}`).join(', ');
  const uses = argumentTypes.map(([name]) => `${name}: $${name}`).join(', ');
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
