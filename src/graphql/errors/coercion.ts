/** Coerces input like graphql-js, but finds further errors after the first one. */
import {
  coerceInputValue,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
  type GraphQLError,
  type GraphQLInputType,
} from 'graphql';
import { InputRule } from '../../errors.js';
import { preview, truncate } from '../../domain/json.js';
import type { InputError } from '../../fields/argumentParser.js';
import { MAX_INPUT_ERRORS } from '../../fields/valueSchemas.js';
import { shortenMessage } from './messages.js';

export interface CoercionOptions {
  /** Whether messages omit "Did you mean" suggestions, which name parts of the schema. */
  hideSuggestions: boolean;
}

/** Stops the coercion of a value: enough errors were found. */
class ErrorLimitReached extends Error {}

/** The coerced value, in which whatever does not fit is undefined, and its errors: one more than a response lists at most. */
export function coerce(
  name: string,
  rawValue: unknown,
  type: GraphQLInputType,
  { hideSuggestions }: CoercionOptions,
): { value: unknown; errors: InputError[] } {
  const errors: InputError[] = [];
  const onCoercionError = (path: readonly PropertyKey[], _value: unknown, { message }: GraphQLError) => {
    const { rule, member } = classify(message);
    const parts = member === undefined ? path : [...path, member];
    errors.push({ path: [name, ...parts], rule, message: shortenMessage(message) });
    if (errors.length > MAX_INPUT_ERRORS) throw new ErrorLimitReached();
  };
  try {
    const quotable = withQuotableValues(rawValue, type);
    const value: unknown = coerceInputValue(quotable, type, onCoercionError, hideSuggestions);
    return { value, errors };
  } catch (error) {
    if (error instanceof ErrorLimitReached) return { value: undefined, errors };
    throw error;
  }
}

/** The rules behind the messages of graphql-js. Those of scalars are all about types. */
const MESSAGES: readonly (readonly [pattern: RegExp, rule: InputRule])[] = [
  [/^Expected non-nullable type /, InputRule.Required],
  [/^Field "(\w+)" of required type ".+" was not provided\.$/, InputRule.Required],
  [/^Field "([^]*)" is not defined by type "\w+"\./, InputRule.UnknownField],
  [/^Exactly one key must be specified for OneOf type "|^Field "\w+" must be non-null\.$/, InputRule.OneOf],
  [/^Value "[^]*" does not exist in "\w+" enum\.|^Enum "\w+" cannot represent /, InputRule.Enum],
];

/** The rule that a message of graphql-js is about, and the name of the member if that is not in the path. */
function classify(message: string): { rule: InputRule; member?: string | undefined } {
  for (const [pattern, rule] of MESSAGES) {
    const match = pattern.exec(message);
    if (match) return { rule, member: match[1] };
  }
  return { rule: InputRule.Type };
}

/**
 * A value that is coerced with the same errors, but whose invalid parts are short: graphql-js prints them in full, again for
 * each field that uses the same variable.
 */
function withQuotableValues(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return withQuotableValues(value, type.ofType);
  if (value === undefined || value === null) return value;
  if (isListType(type)) {
    const { ofType } = type;
    return Array.isArray(value)
      ? value.map((element) => withQuotableValues(element, ofType))
      : withQuotableValues(value, ofType);
  }
  if (isInputObjectType(type)) {
    if (typeof value !== 'object' || Array.isArray(value)) return value; // never quoted
    const fields = type.getFields();
    const members = Object.entries(value).map(([name, member]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return field ? [name, withQuotableValues(member, field.type)] : [truncate(name), true];
    });
    return Object.fromEntries(members);
  }
  return isEnumType(type) || isSpecifiedScalarType(type) ? quotable(value, type.name) : value;
}

/** Specified scalars and enums accept no objects, and most of them no long strings. */
function quotable(value: unknown, typeName: string): unknown {
  if (typeof value === 'object') return { toJSON: () => preview(value) };
  if (typeof value === 'string' && typeName !== 'String' && typeName !== 'ID') return truncate(value);
  return value;
}
