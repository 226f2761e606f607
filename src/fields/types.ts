/** The object types and the scalars of the schema. */
import {
  GraphQLError,
  GraphQLID,
  GraphQLScalarType,
  Kind,
  print,
  valueFromASTUntyped,
  type ValueNode,
} from 'graphql';
import { isRecord, preview } from '../domain/json.js';
import { truncate } from '../domain/text.js';
import type { WriteOutcome } from '../errors.js';
import {
  formatPhoneNumber,
  isShipmentStatusChange,
  knownRecipientType,
  RecipientType,
  toShipmentStatus,
} from '../freight/vocabulary.js';
import type { Resolvers } from '../generated/resolvers.js';

const recipientTypeNames = {
  [RecipientType.ShipmentLevel]: 'ShipmentLevelRecipient',
  [RecipientType.StopLevel]: 'StopLevelRecipient',
} as const;

/** Field resolvers that map REST shapes; a field without one has the value of the same name. */
export const typeResolvers = {
  Notification: {
    id: ({ notificationGuid }) => notificationGuid,
    recipient: (notification) => notification,
    shipmentStatuses: ({ notificationTypeLabel, notificationTypes }) =>
      isShipmentStatusChange(notificationTypeLabel)
        ? notificationTypes.map(toShipmentStatus).filter((status) => status !== undefined)
        : [],
  },
  NotificationList: {
    notifications: ({ data }) => data,
    unreadable: ({ unreadable }) => unreadable ?? [],
  },
  NotificationRecipient: {
    __resolveType: ({ notificationRecipientType }) => {
      const type = knownRecipientType(notificationRecipientType);
      return type === undefined ? 'OtherRecipient' : recipientTypeNames[type];
    },
  },
  ShipmentLevelRecipient: {
    emailList: ({ emailList }) => emailList ?? [],
    smsList: ({ smsList }) => smsList ?? [],
  },
  TrackShipmentPayload: { tracked: isApplied },
  DeleteExceptionPayload: { deleted: isApplied },
  WriteError: {
    inputPath: ({ inputPath }) => inputPath?.map(String) ?? null,
    serviceMessages: ({ serviceMessages }) => serviceMessages?.map((message) => message.toJSON()) ?? [],
  },
} satisfies Resolvers;

/** Whether the write was applied; null if that is unknown. */
function isApplied({ outcome }: { outcome: WriteOutcome }): boolean | null {
  return outcome === 'UNKNOWN' ? null : outcome === 'APPLIED';
}

/**
 * `ID` that rejects integers beyond MAX_SAFE_INTEGER: JSON.parse has rounded `12345678901234567891` to another integer, which would name
 * another object. Literals are exact because graphql-js keeps their text.
 */
export const ExactId = new GraphQLScalarType({
  ...GraphQLID.toConfig(),
  parseValue(value) {
    const { MAX_SAFE_INTEGER, isInteger, isSafeInteger } = Number;
    if (isInteger(value) && (!isSafeInteger(value) || Object.is(value, -0)))
      throw new GraphQLError(
        `ID expected a string, or an integer of at most ${MAX_SAFE_INTEGER}, got ${preview(value)}`,
      );
    return GraphQLID.parseValue(value);
  },
});

/** Coercion of a scalar; its description is in the SDL. */
type Coercion = Pick<GraphQLScalarType, 'parseLiteral' | 'parseValue' | 'serialize'>;

const asIs = (value: unknown) => value;
const string: Coercion = {
  serialize: asIs,
  parseValue(value) {
    if (typeof value === 'string') return value;
    throw new GraphQLError(`Expected a string, got ${preview(value)}`);
  },
  parseLiteral(node) {
    if (node.kind === Kind.STRING) return node.value;
    throw new GraphQLError(`Expected a string, got ${truncate(print(node))}`, { nodes: node });
  },
};
export const json: Coercion = { serialize: asIs, parseValue: asIs, parseLiteral: parseJson };

/** Strings are validated elsewhere: by input schemas, so that one response lists all errors, and by the REST contract for the service. */
export const scalars: Readonly<Record<string, Coercion>> = {
  DateTime: string,
  EmailAddress: string,
  PhoneNumber: { ...string, serialize: (value) => formatPhoneNumber(String(value)) },
  JSON: json,
  JSONObject: {
    serialize: asIs,
    parseValue: (value) => requireObject(value),
    parseLiteral: (node, variables) => requireObject(parseJson(node, variables), node),
  },
};

function requireObject(value: unknown, nodes: ValueNode | null = null): unknown {
  if (isRecord(value)) return value;
  throw new GraphQLError(`Expected an object, got ${preview(value)}`, { nodes });
}

/** An enum value, which JSON does not have, is undefined: the input schemas reject that. */
function parseJson(node: ValueNode, variables?: Readonly<Record<string, unknown>> | null): unknown {
  switch (node.kind) {
    case Kind.ENUM:
      return undefined;
    case Kind.LIST:
      return node.values.map((each) => parseJson(each, variables));
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, parseJson(value, variables)]),
      );
    default:
      return valueFromASTUntyped(node, variables);
  }
}
