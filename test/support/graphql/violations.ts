/** What the errors of invalid input tell programs: the path, the rule and its limit. */

export interface ViolationExtensions {
  inputPath: (string | number)[];
  rule: string;
  limit?: number;
}

/** The rule behind each message. */
const RULES: readonly [message: RegExp, rule: string, limit?: number][] = [
  [/^Expected non-nullable type | was not provided\.$|condition, got null$/, 'REQUIRED'],
  [/ is not defined by type /, 'UNKNOWN_FIELD'],
  [/ OneOf |must be non-null\.$/, 'ONE_OF'],
  [/ enum\.|^Enum |^expected "Notification"/, 'ENUM'],
  [/^expected an email address of at most 254 /, 'MAX_LENGTH', 254],
  [/^expected an identifier of at most 256 /, 'MAX_LENGTH', 256],
  [/^expected a parameter name of at most 100 /, 'MAX_LENGTH', 100],
  [/^expected an email address[, ]/, 'EMAIL'],
  [/^expected a phone number /, 'PHONE_NUMBER'],
  [/^expected a date and time /, 'DATE_TIME'],
  [/^expected a non-empty /, 'NOT_EMPTY'],
  [
    /^expected (?:a string without the|an identifier (?:without|that is not))|parameter name (?:in|without)/,
    'CHARACTERS',
  ],
  [/^expected at least one field/, 'REQUIRED'],
  [/^expected at least one /, 'MIN_ITEMS', 1],
  [/^expected at most 100 identifiers/, 'MAX_ITEMS', 100],
  [/^expected parameters for a path and query of at most 8192 bytes/, 'MAX_BYTES', 8192],
  [/^expected JSON nested at most 100 /, 'JSON', 100],
  [/^expected a name that is not reserved /, 'RESERVED_NAME'],
  [/^expected (?:distinct items|a unique idempotency key), got the same as /, 'UNIQUE'],
  [
    /expected (?:a string|an object)|cannot represent|to be an object\.$|^expected a string, a number/i,
    'TYPE',
  ],
];

/** The extensions of the error with this message; `place` is the path as text, such as `input.emailList[0]`. */
export function violation(place: string, message: string): ViolationExtensions {
  const [, rule = `no rule for: ${message}`, limit] = RULES.find(([pattern]) => pattern.test(message)) ?? [];
  return { inputPath: pathOf(place), rule, ...(limit !== undefined && { limit }) };
}

/** Parses a path. The name of an additional parameter is its rest, whatever that contains. */
export function pathOf(place: string): (string | number)[] {
  const [, parent = place, parameter] = /^(.*\badditionalParameters)\.([^]*)$/.exec(place) ?? [];
  const path = Array.from(parent.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([name, index]) =>
    index === undefined ? name : Number(index),
  );
  return parameter === undefined ? path : [...path, parameter];
}
