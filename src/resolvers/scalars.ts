import { GraphQLError, Kind, type GraphQLScalarType } from 'graphql';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { formatPhoneNumber } from '../domain/phoneNumber.js';

/** Coercion of a scalar; its description is in the SDL. */
type Coercion = Pick<GraphQLScalarType, 'parseLiteral' | 'parseValue' | 'serialize'>;

/*
 * String scalars accept any string. The input schemas validate client values, which lets one response list all errors;
 * the REST contract validates those of the service.
 */
export const scalars: Readonly<Record<string, Coercion>> = {
  DateTime: stringScalar('DateTime'),
  EmailAddress: stringScalar('EmailAddress'),
  PhoneNumber: stringScalar('PhoneNumber', formatPhoneNumber),
  JSON: coercionOf(GraphQLJSON),
  JSONObject: coercionOf(GraphQLJSONObject),
};

function coercionOf({ parseLiteral, parseValue, serialize }: GraphQLScalarType): Coercion {
  return { parseLiteral, parseValue, serialize };
}

function stringScalar(name: string, format: (value: string) => string = (value) => value): Coercion {
  const requireString = (value: unknown): string => {
    if (typeof value === 'string') return value;
    throw new GraphQLError(`${name} expected a string, got ${JSON.stringify(value)}`);
  };
  return {
    parseValue: requireString,
    serialize: (value) => format(requireString(value)),
    parseLiteral: (node) => {
      if (node.kind === Kind.STRING) return node.value;
      throw new GraphQLError(`${name} expected a string`, { nodes: node });
    },
  };
}
