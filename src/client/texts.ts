/** Texts for users about invalid input; an application with its own texts does not load these. */
import type { InputRule } from '../errors.js';

/** Texts for users, by the rule that their input violates; `{limit}` stands for the number in the rule. */
export const inputTexts: Readonly<Record<InputRule, string>> = {
  REQUIRED: 'This is missing.',
  NOT_EMPTY: 'This is missing.',
  TYPE: 'This cannot be used here.',
  ENUM: 'Choose one of the possible values.',
  ONE_OF: 'Fill in exactly one of these.',
  UNKNOWN_FIELD: 'This field is not known.',
  EMAIL: 'Enter one email address, such as dispatch@example.com.',
  PHONE_NUMBER:
    'Enter one phone number with all its digits and without an extension, such as (303) 555-0100. Outside North America, start with + and the country code.',
  DATE_TIME: 'Enter a date and a time.',
  UUID: 'This is not a valid identifier.',
  CHARACTERS: 'This contains line breaks, or characters that cannot be used.',
  MAX_LENGTH: 'Enter at most {limit} characters.',
  MIN_ITEMS: 'Choose at least {limit}.',
  MAX_ITEMS: 'Choose at most {limit}.',
  MAX_BYTES: 'This is too long.',
  JSON: 'This cannot be used here.',
  RESERVED_NAME: 'Choose another name: this one is reserved.',
  UNIQUE: 'This is the same as an earlier one.',
};

/**
 * The text for users about an invalid value: that of its rule, or else the `message`, which is the service's reason where that objects.
 * @param texts texts of your own, such as `{ ...inputTexts, NOT_EMPTY: 'Fill this in.' }`
 */
export function inputTextOf(
  { rule = '', limit, message }: { rule?: string | undefined; limit?: number | undefined; message: string },
  texts: Readonly<Record<string, string>> = inputTexts,
): string {
  const text = new Map(Object.entries(texts)).get(rule);
  return text?.replace('{limit}', String(limit)) ?? message;
}
