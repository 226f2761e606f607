/** The errors of a write for a form: those that stand at a field of it, and the rest. */
import type { InputRule } from '../errors.js';
import { errorsOf, type GatewayError } from './result.js';
import { objectOf } from './source.js';

export interface InputError {
  /** The `inputPath` in the notation of form libraries, such as `recipient.shipmentLevel.emailList.0`. */
  readonly name: string;
  /**
   * The violated rule, one of `InputRule`, for a text of your own; undefined for an objection of the service, and if the operation does not
   * select it.
   */
  readonly rule: GatewayError['rule'];
  /** The number in the rule, such as the maximum length, if there is one. */
  readonly limit: number | undefined;
  /**
   * For developers: what was expected, and what arrived; or what the service objects to, if the operation selects `serviceMessages`. Show
   * `inputTextOf(error)` to users.
   */
  readonly message: string;
}

/** What users read, by the rule that their input violates; `{limit}` stands for the number in the rule. */
export const inputTexts: Readonly<Record<InputRule, string>> = {
  REQUIRED: 'This is missing.',
  NOT_EMPTY: 'This is missing.',
  TYPE: 'This cannot be used here.',
  ENUM: 'Choose one of the possible values.',
  ONE_OF: 'Fill in exactly one of these.',
  UNKNOWN_FIELD: 'This is not known.',
  EMAIL: 'Enter one email address, such as dispatch@example.com.',
  PHONE_NUMBER:
    'Enter one phone number with all its digits and without an extension, such as (303) 555-0100. Outside of North America, it begins with + and the country code.',
  DATE_TIME: 'Enter a date and a time.',
  UUID: 'This is no valid identifier.',
  CHARACTERS: 'This contains line breaks, or characters that cannot be used.',
  MAX_LENGTH: 'Enter at most {limit} characters.',
  MIN_ITEMS: 'Choose at least {limit}.',
  MAX_ITEMS: 'Choose at most {limit}.',
  MAX_BYTES: 'This is too long.',
  JSON: 'This cannot be used here.',
  RESERVED_NAME: 'Choose another name: this one is reserved.',
  UNIQUE: 'This is the same as an earlier one.',
};

export interface InputErrorOptions {
  /** Index of an item of a bulk field. */
  index?: number;
  /**
   * The argument that the values of the form are, usually `input`: names leave it out, and errors of other arguments stand at no field.
   * Without it, names start with the argument.
   */
  below?: string;
}

/**
 * The errors of a write that stand at a field of the form, all at once.
 * @param source what {@link errorsOf} takes, or the result of `resultOf`, or an item of a batch
 * @param field response key of the mutation field
 */
export function inputErrorsOf(source: unknown, field: string, options: InputErrorOptions = {}): InputError[] {
  return find(source, field, options).flatMap((error) => {
    const name = nameOf(error, options);
    const { rule, limit } = error;
    return name === undefined ? [] : { name, rule, limit, message: messageOf(error) };
  });
}

/**
 * What users read of an invalid value: the text of its rule, or else the `message`, which is the reason of the service where that objects.
 * @param texts texts of your own, such as `{ ...inputTexts, NOT_EMPTY: 'Bitte ausfüllen.' }`
 */
export function inputTextOf(
  { rule = '', limit, message }: { rule?: string | undefined; limit?: number | undefined; message: string },
  texts: Readonly<Record<string, string>> = inputTexts,
): string {
  const text = new Map(Object.entries(texts)).get(rule);
  return text?.replace('{limit}', String(limit)) ?? message;
}

/** The errors that {@link inputErrorsOf} leaves out for the same options: show them above the form. */
export function otherErrorsOf(
  source: unknown,
  field: string,
  options: InputErrorOptions = {},
): GatewayError[] {
  return find(source, field, options).filter((error) => nameOf(error, options) === undefined);
}

function find(source: unknown, field: string, { index }: InputErrorOptions): readonly GatewayError[] {
  const { nextStep, errors } = objectOf(source);
  return nextStep === undefined ? errorsOf(source, field, index) : (errors as readonly GatewayError[]);
}

/** What the service says of a value, a line for each reason; the message of the gateway if it says nothing in words. */
function messageOf({ message, serviceMessages = [] }: GatewayError): string {
  const reasons = serviceMessages.flatMap((said) => {
    const text = typeof said === 'string' ? said : objectOf(said)['message'];
    return typeof text === 'string' ? text : [];
  });
  return reasons.join('\n') || message;
}

function nameOf({ inputPath = [] }: GatewayError, { below }: InputErrorOptions): string | undefined {
  const [argument, ...rest] = inputPath;
  const path = below === undefined ? inputPath : argument === below ? rest : [];
  return path.join('.') || undefined;
}
