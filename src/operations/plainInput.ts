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
 * leave it as it is. True has to be right; false costs time alone, as graphql-js tells of the value then, which it may
 * change, or say what is wrong with.
 */
export type InputLook = (value: unknown) => boolean;

/** The type is read here and not with each value, as that takes most of the time. It must not hold itself. */
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
