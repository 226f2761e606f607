import { GraphQLError, Kind, type GraphQLScalarType } from 'graphql';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { formatPhoneNumber } from '../domain/phoneNumber.js';

/** How values of a scalar come in and go out; the rest of it stands in the SDL. */
type Coercion = Pick<GraphQLScalarType, 'parseLiteral' | 'parseValue' | 'serialize'>;

/*
 * Texts are taken as they come: the rules for arguments judge those of callers, so that one answer names all the
 * rules that are broken, and the contract has judged those of the service.
 */
export const scalars: Readonly<Record<string, Coercion>> = {
  DateTime: text('DateTime'),
  EmailAddress: text('EmailAddress'),
  PhoneNumber: text('PhoneNumber', formatPhoneNumber),
  JSON: coercionOf(GraphQLJSON),
  JSONObject: coercionOf(GraphQLJSONObject),
};

function coercionOf({ parseLiteral, parseValue, serialize }: GraphQLScalarType): Coercion {
  return { parseLiteral, parseValue, serialize };
}

function text(name: string, format: (value: string) => string = (value) => value): Coercion {
  const requireText = (value: unknown): string => {
    if (typeof value === 'string') return value;
    throw new GraphQLError(`${name} expected a string, got ${JSON.stringify(value)}`);
  };
  return {
    parseValue: requireText,
    serialize: (value) => format(requireText(value)),
    parseLiteral: (node) => {
      if (node.kind === Kind.STRING) return node.value;
      throw new GraphQLError(`${name} expected a string`, { nodes: node });
    },
  };
}
