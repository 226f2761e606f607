/** A quick look at the values of variables, nearly all of which are just as the schema has them. */
import {
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
} from 'graphql';

/**
 * Whether input coercion (GraphQL specification, section 3) would accept a value of JSON, or one that is not given, and
 * leave it as it is. Of a value of which this is not true graphql-js has to tell: it may change it, or say what is
 * wrong.
 */
export type InputLook = (value: unknown) => boolean;

/** Made once for a type, as reading the type takes most of the time; throws for one that holds itself. */
export function createInputLook(type: GraphQLInputType): InputLook {
  if (isNonNullType(type)) return present(createInputLook(type.ofType));
  if (isListType(type)) return orNull(listOf(createInputLook(type.ofType)));
  return orNull(isInputObjectType(type) ? object(type) : leaf(type));
}

function present(look: InputLook): InputLook {
  return (value) => value !== undefined && value !== null && look(value);
}

function orNull(look: InputLook): InputLook {
  return (value) => value === undefined || value === null || look(value);
}

function listOf(look: InputLook): InputLook {
  return (value) => Array.isArray(value) && value.every(look);
}

function object(type: GraphQLInputObjectType): InputLook {
  const fields = Object.values(type.getFields()).map(({ name, type: fieldType, defaultValue }) => {
    const look = createInputLook(fieldType);
    return { name, look: defaultValue === undefined ? look : present(look) };
  });
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const given = value as Record<string, unknown>;
    let known = 0;
    for (const { name, look } of fields) {
      const field = given[name];
      if (!look(field) || (type.isOneOf && field === null)) return false;
      if (field !== undefined) known += 1;
    }
    return known === Object.keys(given).length && (!type.isOneOf || known === 1);
  };
}

function leaf(type: GraphQLLeafType): InputLook {
  return (value) => {
    try {
      return type.parseValue(value) === value;
    } catch {
      return false;
    }
  };
}
