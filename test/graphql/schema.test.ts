import { readdirSync, readFileSync } from 'node:fs';
import {
  astFromValue,
  buildSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  print,
  printSchema,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import type { FieldEntry } from '../../src/fields/field.js';
import { settings } from '../support/service/settings.js';
import { createSchema } from '../../src/graphql/schema.js';
import { createSubgraphSchema } from '../../src/graphql/subgraph.js';
import { contract, type Operation } from '../support/service/contract.js';

const schema = createSchema();

test('the public schema has exactly these types and fields', () => {
  expect(listing(lexicographicSortSchema(schema))).toBe(`
input CarrierInput @oneOf
  dot: String
  mc: String
  scac: String
type CreateNotificationPayload
  messages: [JSON!]!
  notification: Notification
  notificationGuid: ID!
scalar DateTime
input DeleteExceptionInput
  additionalParameters: JSONObject
  carrier: CarrierInput!
  shipment: ShipmentIdentityInput!
  target: ExceptionTargetInput!
type DeleteExceptionPayload
  deleted: Boolean!
  exceptionFileGuid: ID
  exceptionGuid: ID
  messages: [JSON!]!
  shipment: ShipmentIdentity!
type DeleteNotificationPayload
  messages: [JSON!]!
  notificationGuid: ID!
scalar EmailAddress
input ExceptionTargetInput @oneOf
  exceptionFileGuid: ID
  exceptionGuid: ID
input HaulerShipmentInput
  freightHaulerProviderXid: String!
  freightProviderReferenceNumber: String!
scalar JSON
scalar JSONObject
input LicensePlateShipmentInput
  freightProviderReferenceNumber: String!
  portalLicensePlate: String!
type Mutation
  createNotification(idempotencyKey: ID, input: NotificationInput!): CreateNotificationPayload
  deleteException(idempotencyKey: ID, input: DeleteExceptionInput!): DeleteExceptionPayload
  deleteNotification(idempotencyKey: ID, ifLastUpdateDate: DateTime, notificationGuid: ID!): DeleteNotificationPayload
  trackShipment(idempotencyKey: ID, input: TrackShipmentInput!): TrackShipmentPayload
  updateNotification(idempotencyKey: ID, ifLastUpdateDate: DateTime, input: UpdateNotificationInput!, notificationGuid: ID!): UpdateNotificationPayload
type Notification
  filters: [JSON!]!
  lastUpdateDate: DateTime
  lastUpdateUserName: String
  notificationGuid: ID!
  notificationMetaData: JSON
  notificationName: String!
  notificationTypeLabel: String!
  notificationTypes: [String!]!
  recipient: NotificationRecipient!
  shipmentStatuses: [ShipmentStatus!]!
input NotificationInput
  filters: [JSON!]
  notificationName: String!
  recipient: NotificationRecipientInput!
  trigger: NotificationTriggerInput!
type NotificationList
  messages: [JSON!]!
  notifications: [Notification!]!
  totalPossibleCount: Int
  unreadable: [UnreadableNotification!]!
interface NotificationRecipient
  notificationRecipientType: String!
input NotificationRecipientInput @oneOf
  shipmentLevel: ShipmentLevelRecipientInput
  stopLevel: StopLevelRecipientInput
input NotificationTriggerInput @oneOf
  other: OtherTriggerInput
  shipmentStatusChange: [ShipmentStatus!]
type OtherRecipient implements NotificationRecipient
  notificationRecipientType: String!
input OtherTriggerInput
  notificationTypeLabel: String!
  notificationTypes: [String!]!
scalar PhoneNumber
type Query
  notification(notificationGuid: ID!): Notification
  notifications(additionalParameters: JSONObject): NotificationList
  notificationsByGuid(notificationGuids: [ID!]!): [Notification]
type ShipmentIdentity
  freightHaulerProviderXid: String
  freightProviderReferenceNumber: String!
  portalLicensePlate: String
input ShipmentIdentityInput @oneOf
  hauler: HaulerShipmentInput
  licensePlate: LicensePlateShipmentInput
type ShipmentLevelRecipient implements NotificationRecipient
  emailList: [String!]!
  notificationRecipientType: String!
  smsList: [PhoneNumber!]!
input ShipmentLevelRecipientInput
  emailList: [EmailAddress!]!
  smsList: [PhoneNumber!]!
enum ShipmentStatus
  AT_CONSIGNEE
  AT_SHIPPER
  DELIVERED
  EN_ROUTE
  IN_TRANSIT
type StopLevelRecipient implements NotificationRecipient
  notificationRecipientType: String!
  notifyStopContactsByEmail: Boolean!
  notifyStopContactsBySms: Boolean!
input StopLevelRecipientInput
  notifyStopContactsByEmail: Boolean!
  notifyStopContactsBySms: Boolean!
input TrackShipmentInput
  additionalParameters: JSONObject
  carrier: CarrierInput!
  driverPhoneNumber: PhoneNumber!
  shipment: ShipmentIdentityInput!
  shipmentTrackingType: String!
type TrackShipmentPayload
  shipment: ShipmentIdentity!
  tracked: Boolean!
type UnreadableNotification
  index: Int!
  notificationGuid: ID
  problem: String!
input UpdateNotificationInput
  filters: [JSON!]
  notificationName: String
  recipient: NotificationRecipientInput
  trigger: NotificationTriggerInput
type UpdateNotificationPayload
  messages: [JSON!]!
  notification: Notification
  notificationGuid: ID!
`);
});

test('clients see the schema as written in its files, including descriptions', () => {
  const folder = new URL('../../schema/', import.meta.url);
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));
  expect(printSchema(schema)).toBe(printSchema(buildSchema(files.join('\n'))));
});

// This is why there is no limit on the depth of an operation.
test.each([
  ['clients', schema],
  ['supergraph gateways', createSubgraphSchema()],
])('the types that %s see have no cycle, and their deepest field is on level 4', (_who, target) => {
  const paths = [target.getQueryType(), target.getMutationType()].map(
    (type) => type && deepestPath(target, type),
  );
  expect(paths.map((path) => path?.length)).toEqual([4, 4]);
  expect(paths[0]).toEqual(['notifications', 'notifications', 'recipient', expect.any(String)]);
});

// The compiler of operations would recurse for ever.
test('input types have no cycle', () => {
  const inputTypes = ownTypes(schema).filter(isInputObjectType);
  expect(Math.max(...inputTypes.map((type) => deepestPath(schema, type).length))).toBe(3);
});

test('supergraph gateways additionally see only these fields and types', () => {
  const publicLines = new Set(listing(schema).split('\n'));
  const subgraphLines = listing(createSubgraphSchema()).split('\n');
  expect(subgraphLines.filter((line) => !publicLines.has(line))).toEqual([
    '  _service: _Service!',
    '  _entities(representations: [_Any!]!): [_Entity]!',
    '  _sdl: String!',
    'scalar _Any',
    'union _Entity',
    'type _Service',
    '  sdl: String!',
  ]);
  expect(subgraphLines).toEqual(expect.arrayContaining([...publicLines]));
});

describe('descriptions', () => {
  test.each([
    ['clients', schema],
    ['supergraph gateways', createSubgraphSchema()],
  ])('exist for everything that %s can see', (_who, visibleSchema) => {
    expect(undescribed(visibleSchema)).toEqual([]);
  });

  test('are detected as missing or blank in every position', () => {
    const undocumented = buildSchema(`
      directive @d(a: Int) on FIELD
      type Query { f(a: Int): E }
      interface I { f: U }
      union U = Query
      enum E { V }
      input In { f: S }
      """ """ scalar S
    `);
    expect(undescribed(undocumented)).toEqual(
      [
        '@d',
        '@d(a:)',
        'E',
        'E.V',
        'I',
        'I.f',
        'In',
        'In.f',
        'Query',
        'Query.f',
        'Query.f(a:)',
        'S',
        'U',
      ].sort(),
    );
  });
});

describe('root fields', () => {
  const operations = new Map<string, Operation>(
    Object.entries(contract.paths).flatMap(([path, item]) =>
      (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
        const operation = item[method];
        return operation ? [[`${method.toUpperCase()} ${path}`, operation] as const] : [];
      }),
    ),
  );
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  );
  const documented = fields.map(({ name, description }) => ({
    name,
    rest: /\bREST: `([^`]+)`/.exec(description ?? '')?.[1],
    requiresToken: /\bRequires a bearer token\./.test(description ?? ''),
  }));

  test('document their REST operations and together cover the whole contract', () => {
    expect(
      Object.fromEntries(documented.map(({ name, rest }) => [name, operations.get(rest ?? '')?.operationId])),
    ).toEqual({
      notification: 'readNotification',
      notificationsByGuid: 'readNotification',
      notifications: 'listNotifications',
      createNotification: 'createNotification',
      updateNotification: 'updateNotification',
      deleteNotification: 'deleteNotification',
      trackShipment: 'trackShipment',
      deleteException: 'deleteException',
    });
    expect(new Set(documented.map(({ rest }) => rest))).toEqual(new Set(operations.keys()));
  });

  test('are documented to require a token exactly if their REST operation does', () => {
    expect(documented.filter(({ requiresToken }) => requiresToken).map(({ name }) => name)).toEqual(
      documented.filter(({ rest }) => operations.get(rest ?? '')?.security?.length).map(({ name }) => name),
    );
  });

  test('are all nullable, so that a failed one does not affect its siblings', () => {
    expect(fields.map(({ type }) => String(type)).filter((type) => type.endsWith('!'))).toEqual([]);
  });

  test.each(fields)('have rules for all their arguments: $name', ({ args, extensions }) => {
    const invalidArgs = Object.fromEntries(
      args.map((argument) => [argument.name, Symbol('invalid for every argument')]),
    );
    expect(
      new Set((extensions['entry'] as FieldEntry).validate(invalidArgs, settings).map(({ path }) => path[0])),
    ).toEqual(new Set(args.map((argument) => argument.name)));
  });
});

/** Lists the types of a schema with their fields, without descriptions. */
function listing(target: GraphQLSchema): string {
  const lines = ownTypes(target).flatMap((type) => [
    headOf(type),
    ...membersOf(type).map(
      ({ name, args = [], ...member }) => `  ${name}${argumentsOf(args)}${typeOf(member)}`,
    ),
  ]);
  return `\n${lines.join('\n')}\n`;
}

function headOf(type: GraphQLNamedType): string {
  const kind = String(type.astNode?.kind).replace(/TypeDefinition$/, '');
  const keyword = { Object: 'type', InputObject: 'input' }[kind] ?? kind.toLowerCase();
  const interfaces = 'getInterfaces' in type ? type.getInterfaces().map(({ name }) => name) : [];
  const isOneOf = isInputObjectType(type) && type.isOneOf;
  return [
    `${keyword} ${type.name}`,
    ...(interfaces.length > 0 ? [`implements ${interfaces.join(' & ')}`] : []),
    ...(isOneOf ? ['@oneOf'] : []),
  ].join(' ');
}

function argumentsOf(args: readonly GraphQLArgument[]): string {
  const texts = args.map((argument) => `${argument.name}${typeOf(argument)}`);
  return texts.length === 0 ? '' : `(${texts.join(', ')})`;
}

function typeOf({ type, defaultValue }: Partial<GraphQLInputField>): string {
  if (type === undefined) return '';
  const value = defaultValue === undefined ? undefined : astFromValue(defaultValue, type);
  return `: ${String(type)}${value ? ` = ${print(value)}` : ''}`;
}

/** Schema coordinates of everything without a description. */
function undescribed(target: GraphQLSchema): string[] {
  const directives = target.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  const elements = [
    ...directives.flatMap(({ name, description, args }) => [
      { coordinate: `@${name}`, description },
      ...args.map((argument) => ({ coordinate: `@${name}(${argument.name}:)`, ...argument })),
    ]),
    ...ownTypes(target).flatMap((type) => [
      { coordinate: type.name, description: type.description },
      ...membersOf(type).flatMap(({ args = [], ...member }) => [
        { coordinate: `${type.name}.${member.name}`, ...member },
        ...args.map((argument) => ({
          coordinate: `${type.name}.${member.name}(${argument.name}:)`,
          ...argument,
        })),
      ]),
    ]),
  ];
  return elements
    .filter(({ description }) => !description?.trim())
    .map(({ coordinate }) => coordinate)
    .sort();
}

interface Member {
  name: string;
  description?: string | null | undefined;
  type?: GraphQLInputField['type'];
  defaultValue?: unknown;
  args?: readonly GraphQLArgument[];
}

/** Fields, input fields or enum values. */
function membersOf(type: GraphQLNamedType): Member[] {
  if (isEnumType(type)) return type.getValues().map(({ name, description }) => ({ name, description }));
  if ('getFields' in type) return Object.values(type.getFields()) as Member[];
  return [];
}

/** The names of the fields on the way to the deepest field below a type. Throws for a type within itself. */
function deepestPath(
  target: GraphQLSchema,
  type: GraphQLNamedType,
  above: readonly GraphQLNamedType[] = [],
): string[] {
  if (above.includes(type)) throw new Error(`Expected no cycle, got ${[...above, type].join(' > ')}`);
  const hasFields = isObjectType(type) || isInputObjectType(type);
  const types = isAbstractType(type) ? target.getPossibleTypes(type) : hasFields ? [type] : [];
  const paths = types
    .flatMap((each) => Object.values(each.getFields()))
    .map(({ name, type: of }: { name: string; type: GraphQLType }) => [
      name,
      ...deepestPath(target, getNamedType(of), [...above, type]),
    ]);
  return paths.reduce<string[]>((deepest, path) => (path.length > deepest.length ? path : deepest), []);
}

/** Types that the schema itself defines, sorted by name. */
function ownTypes(target: GraphQLSchema): GraphQLNamedType[] {
  return Object.values(target.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
