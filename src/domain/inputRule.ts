/** The rules that input can violate, for programs: a form chooses its own words by the rule and its limit. */

/** The closed list of values of `extensions.rule`. */
export const InputRule = {
  /** A value is missing or null. */
  Required: 'REQUIRED',
  /** A text is empty or blank. */
  NotEmpty: 'NOT_EMPTY',
  /** A value has the wrong type. */
  Type: 'TYPE',
  /** A value is not one of the enum's. */
  Enum: 'ENUM',
  /** A `@oneOf` input does not have exactly one member. */
  OneOf: 'ONE_OF',
  /** An input object has no such field. */
  UnknownField: 'UNKNOWN_FIELD',
  /** A text is not an email address. */
  Email: 'EMAIL',
  /** A text is not a phone number. */
  PhoneNumber: 'PHONE_NUMBER',
  /** A text is not a date and time with a UTC offset. */
  DateTime: 'DATE_TIME',
  /** A text is not a UUID of version 4 or 7. */
  Uuid: 'UUID',
  /** A text has characters that cannot be sent to the service. */
  Characters: 'CHARACTERS',
  /** A text has more characters than the limit. */
  MaxLength: 'MAX_LENGTH',
  /** There are fewer list elements than the limit. */
  MinItems: 'MIN_ITEMS',
  /** There are more list elements than the limit. */
  MaxItems: 'MAX_ITEMS',
  /** The values together take more bytes in the REST call than the limit. */
  MaxBytes: 'MAX_BYTES',
  /** A value is not JSON, or is nested deeper than the limit. */
  Json: 'JSON',
  /** The name of a parameter is reserved. */
  ReservedName: 'RESERVED_NAME',
} as const;
export type InputRule = (typeof InputRule)[keyof typeof InputRule];

/** The violation of a rule by a value. */
export interface Violation {
  rule: InputRule;
  /** The number in the rule, such as the maximum length, if there is one. */
  limit?: number | undefined;
  /** States what was expected and what arrived. */
  message: string;
}
