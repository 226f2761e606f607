/** A value of the wrong type, or none, at every place that the schema has in the arguments: each is reported without a REST call. */
import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { executeAndRecord, rejectedRequest } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import {
  allValidArguments,
  argumentsOf,
  asVariables,
  fieldNames,
  withInvalidValue,
  type FieldName,
} from '../support/graphql/rootFields.js';
import { nullFor, type Row } from '../support/graphql/validationTables.js';

const gateway = useGateway();

/** Values that a scalar rejects, behind its words. */
const wrongValues: Readonly<Record<string, [message: string, ...values: unknown[]]>> = {
  String: ['String cannot represent a non string value: ', 5, true, {}, ['text']],
  ID: ['ID cannot represent value: ', 1.5, true, {}, ['a']],
  Boolean: ['Boolean cannot represent a non boolean value: ', 'true', 1, 0, {}],
  EmailAddress: ['Expected a string, got ', 3035550100, {}, ['text']],
  PhoneNumber: ['Expected a string, got ', 3035550100, {}, ['text']],
  DateTime: ['Expected a string, got ', 5, {}, ['text']],
  JSONObject: ['Expected an object, got ', 'text', 5, true, ['text', 5]],
  JSON: [''],
};

describe.each(fieldNames)('%s', (field) => {
  const rows = argumentsOf(field).flatMap((argument): Row[] => [
    ...(isRequiredArgument(argument)
      ? [[argument.name, undefined, nullFor(String(argument.type))] satisfies Row]
      : []),
    ...rowsOf(field, argument.name, argument.type),
  ]);

  test.each(rows)('%s is %j', async (path, value, message, inputPath = path) => {
    const operation = asVariables(field, withInvalidValue(field, path, value));
    expect(await executeAndRecord(gateway, operation)).toEqual(
      rejectedRequest(field, [[inputPath, message]]),
    );
  });
});

function rowsOf(field: FieldName, path: string, type: GraphQLInputType): Row[] {
  if (isNonNullType(type)) return [[path, null, nullFor(String(type))], ...rowsOf(field, path, type.ofType)];
  if (isListType(type))
    return rowsOf(field, path, type.ofType).map(([, value, message]) => [
      path,
      [value],
      message,
      `${path}[0]`,
    ]);
  if (isEnumType(type))
    return [
      [path, 5, `Enum "${type.name}" cannot represent non-string value: 5.`],
      ...['LOST', 'delivered', 'ShipmentStatusDelivered', ''].map((text): Row => [
        path,
        text,
        `Value "${text}" does not exist in "${type.name}" enum.`,
      ]),
    ];
  if (isInputObjectType(type))
    return [
      ...['text', 5, true, []].map((value): Row => [
        path,
        value,
        `Expected type "${type.name}" to be an object.`,
      ]),
      ...(type.isOneOf ? rowsOfOneOf(field, path, type) : rowsOfMembers(field, path, type)),
    ];
  const [message = `no words of ${type.name}`, ...values] = wrongValues[type.name] ?? [];
  return values.map((value) => [path, value, `${message}${JSON.stringify(value)}`]);
}

function rowsOfMembers(field: FieldName, path: string, type: GraphQLInputObjectType): Row[] {
  return [
    [`${path}.color`, 'red', `Field "color" is not defined by type "${type.name}".`],
    ...Object.values(type.getFields()).flatMap((member): Row[] => {
      const place = `${path}.${member.name}`;
      const absent = `Field "${member.name}" of required type "${String(member.type)}" was not provided.`;
      return [
        ...(isRequiredInputField(member) ? [[place, undefined, absent] satisfies Row] : []),
        ...rowsOf(field, place, member.type),
      ];
    }),
  ];
}

function rowsOfOneOf(field: FieldName, path: string, type: GraphQLInputObjectType): Row[] {
  const notOne = `Exactly one key must be specified for OneOf type "${type.name}".`;
  const valid = allValidArguments(field).map((args) =>
    path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], args),
  );
  const several = Object.assign({}, ...valid) as object;
  const [last = ''] = Object.keys(several).slice(-1);
  return [
    ...[{}, several, { ...several, [last]: null }].map((value): Row => [path, value, notOne]),
    ...Object.values(type.getFields()).flatMap((member): Row[] => {
      const place = `${path}.${member.name}`;
      return [
        [path, { [member.name]: null }, `Field "${member.name}" must be non-null.`, place],
        // The member alone, and what is within it in the valid arguments that have it.
        ...rowsOf(field, place, member.type).map(([at, value, message, inputPath = at]): Row =>
          at === place
            ? [path, { [member.name]: value }, message, inputPath]
            : [at, value, message, inputPath],
        ),
      ];
    }),
  ];
}
