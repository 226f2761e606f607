/** Every root field, with arguments that break no rule: tests break them, one place at a time. */

export type Arguments = Readonly<Record<string, unknown>>;

export interface Operation {
  query: string;
  variables?: Record<string, unknown>;
}

interface RootField {
  operation: 'mutation' | 'query';
  types: Readonly<Record<string, string>>;
  selection: string;
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
    operation: 'query',
    types: { notificationGuid: 'ID!' },
    selection: '{ notificationGuid }',
    valid: [{ notificationGuid: SEED_GUID }],
  },
  notificationsByGuid: {
    operation: 'query',
    types: { notificationGuids: '[ID!]!' },
    selection: '{ notificationGuid }',
    valid: [{ notificationGuids: [SEED_GUID] }],
  },
  notifications: {
    operation: 'query',
    types: { additionalParameters: 'JSONObject' },
    selection: '{ messages }',
    valid: [{}],
  },
  createNotification: {
    operation: 'mutation',
    types: { input: 'NotificationInput!' },
    selection: '{ messages }',
    valid: [{ input: byName }, { input: byStop }],
  },
  updateNotification: {
    operation: 'mutation',
    types: { notificationGuid: 'ID!', input: 'NotificationInput!' },
    selection: '{ messages }',
    valid: [byName, byStop].map((input) => ({ notificationGuid: SEED_GUID, input })),
  },
  deleteNotification: {
    operation: 'mutation',
    types: { notificationGuid: 'ID!' },
    selection: '{ messages }',
    valid: [{ notificationGuid: SEED_GUID }],
  },
  trackShipment: {
    operation: 'mutation',
    types: { input: 'TrackShipmentInput!' },
    selection: '{ tracked }',
    valid: [byHauler, byPlate].map((shipment) => ({ input: { ...shipment, ...tracking } })),
  },
  deleteException: {
    operation: 'mutation',
    types: { input: 'DeleteExceptionInput!' },
    selection: '{ deleted }',
    valid: [byHauler, byPlate].map((shipment) => ({ input: { ...shipment, target } })),
  },
} as const satisfies Record<string, RootField>;

export type FieldName = keyof typeof rootFields;
export const fieldNames = Object.keys(rootFields) as FieldName[];

/** The fields with the guid of a notification, where it is in their arguments, and the REST method that it goes to. */
export const guidFields: [field: FieldName, place: string, method: string][] = [
  ['notification', 'notificationGuid', 'GET'],
  ['notificationsByGuid', 'notificationGuids[0]', 'GET'],
  ['updateNotification', 'notificationGuid', 'PUT'],
  ['deleteNotification', 'notificationGuid', 'DELETE'],
];

export function isMutation(field: FieldName): boolean {
  return rootFields[field].operation === 'mutation';
}

/** Whether the status of an answer says all: the service documents no body for it. */
export function isDeletion(field: FieldName): boolean {
  return field.startsWith('delete');
}

/** Arguments that break no rule. */
export function validArguments(field: FieldName): Arguments {
  return rootFields[field].valid[0];
}

/** Arguments of every shape that break no rule. */
export function allValidArguments(field: FieldName): readonly [Arguments, ...Arguments[]] {
  return rootFields[field].valid as readonly Arguments[] as readonly [Arguments, ...Arguments[]];
}

/**
 * Sound arguments with a value put in a place; an undefined value takes the place out. Where the field has several
 * valid arguments, those that have the place go before those that have room for it.
 */
export function withInvalidValue(field: FieldName, place: string, value: unknown): Arguments {
  const parts = place.split(/[.[\]]+/).filter((part) => part !== '');
  const last = parts.pop() ?? '';
  const candidates = structuredClone<readonly Arguments[]>(rootFields[field].valid).flatMap((args) => {
    const parent = parts.reduce<unknown>((at, part) => (at as Arguments | undefined)?.[part], args);
    return typeof parent === 'object' && parent !== null ? [{ args, parent }] : [];
  });
  const [first] = candidates;
  const chosen = candidates.find(({ parent }) => last in parent) ?? first;
  if (chosen === undefined) throw new Error(`Expected arguments of ${field} that have room for ${place}`);
  if (value === undefined) Reflect.deleteProperty(chosen.parent, last);
  else Object.assign(chosen.parent, { [last]: value });
  return chosen.args;
}

/** One field whose arguments are one variable each. */
export function asVariables(field: FieldName, args: Arguments): Operation {
  const { operation, types, selection }: RootField = rootFields[field];
  const names = Object.keys(types);
  const definitions = names.map((name) => `$${name}: ${types[name] ?? ''}`).join(', ');
  const uses = names.map((name) => `${name}: $${name}`).join(', ');
  return { query: `${operation} (${definitions}) { ${field}(${uses}) ${selection} }`, variables: args };
}

/** One field whose arguments stand in the document. */
export function asLiterals(field: FieldName, args: Arguments): Operation {
  const { operation, selection }: RootField = rootFields[field];
  const list = Object.keys(args).length === 0 ? '' : `(${membersOf(args)})`;
  return { query: `${operation} { ${field}${list} ${selection} }` };
}

/** A JSON value as a literal of GraphQL; shipment statuses are the one enum there is. */
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
