import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { showPhoneNumber } from '../phoneNumber.js';
import { Timestamp } from '../service/contract.js';

/*
 * As input, the texts are taken as they come: the rules for arguments judge them, so that one answer names all
 * the rules that are broken.
 */
export const EmailAddress = createTextScalar('EmailAddress', (text) => text);
export const PhoneNumber = createTextScalar('PhoneNumber', showPhoneNumber);
export const DateTime = createTextScalar('DateTime', (text) => Timestamp.parse(text));

export { GraphQLJSON as JSON, GraphQLJSONObject as JSONObject };

function createTextScalar(
  name: string,
  serializeText: (text: string) => string,
): GraphQLScalarType<string, string> {
  const requireText = (value: unknown): string => {
    if (typeof value === 'string') return value;
    throw new GraphQLError(`${name} expected a string, got ${JSON.stringify(value)}`);
  };
  return new GraphQLScalarType({
    name,
    serialize: (value) => serializeText(requireText(value)),
    parseValue: requireText,
    parseLiteral: (node: ValueNode) => {
      if (node.kind === Kind.STRING) return node.value;
      throw new GraphQLError(`${name} expected a string`, { nodes: node });
    },
  });
}
