/** Schemas for single input values. Every message states what was expected and what arrived. */
import { z } from 'zod';
import { isJsonValue, JSON_VIOLATION, preview } from '../domain/json.js';
import { rewordTypeError } from '../domain/libraryMessages.js';
import {
  fitsQuery,
  guidProblem,
  identifierProblem,
  isFromFuture,
  MAX_TARGET_BYTES,
  parameterNameProblem,
  parseIdempotencyKey,
  possibleParameterNames,
  tooLong,
} from '../domain/parameters.js';
import { linkTarget, readText } from '../domain/text.js';
import { InputRule, type Violation } from '../errors.js';
import { boundedArray } from '../freight/contract.js';
import { Timestamp } from '../freight/deviations.js';
import {
  basePathOf,
  baseUrlOf,
  requestOf,
  type RestOperation,
  type ServiceSettings,
} from '../freight/operations.js';
import { parsePhoneNumber, type PhoneFormat } from '../freight/vocabulary.js';

/** Maximum errors in the input that a response lists. One more is looked for, which tells that there are others. */
export const MAX_INPUT_ERRORS = 100;

/** The length of all lists together is limited before an operation is executed. */
export const inputList = <Element>(element: z.ZodType<Element>) =>
  boundedArray(element, MAX_INPUT_ERRORS + 1);

/** Schema for a text of a client: cleans it, then applies `read`. The message of a violation quotes the text as it arrived. */
function clientText(read: (text: string) => string | Violation) {
  return z.string().transform((given, context) => {
    const text = readText(given);
    const value = typeof text === 'string' ? read(text) : text;
    if (typeof value === 'string') return value;
    addViolation(context, { ...value, message: `${value.message}, got ${preview(given)}` });
    return z.NEVER;
  });
}

/** A name, a reference number, a code or a type. */
export const Text = clientText((text) => text);

/** An identifier that is a parameter of a REST call; one in the path is a `NotificationGuid`. */
export const Identifier = clientText((text) => identifierProblem(text) ?? text);

/** An identifier that becomes a path segment of a REST call. */
export const NotificationGuid = clientText((text) => guidProblem(text) ?? text);

/** A `@oneOf` input; GraphQL has already enforced that exactly one member has a value (spec §3.10). */
export function oneOf<Members extends Record<string, z.ZodType>>(members: Members) {
  const optional = Object.entries(members).map(([name, member]) => [name, member.nullish()] as const);
  return z.object(
    Object.fromEntries(optional) as { [Name in keyof Members]: z.ZodOptional<z.ZodNullable<Members[Name]>> },
  );
}

/** Accepts E.164, or a US number in any notation; outputs E.164. */
export const PhoneNumber = clientText((text) => {
  const parsed = parsePhoneNumber(text);
  if ('number' in parsed) return parsed.number;
  return { rule: InputRule.PhoneNumber, message: `expected ${parsed.expectation}` };
});

/** A phone number in the format that the service expects, which may be any text. */
export function phoneNumberIn(format: PhoneFormat): z.ZodType<string, string> {
  if (format === 'unchanged') return Text;
  return format === 'e164' ? PhoneNumber : PhoneNumber.transform((number) => number.slice(1));
}

/** Maximum characters of an email address (RFC 5321 §4.5.3.1.3, without the angle brackets of a path). */
const MAX_EMAIL_LENGTH = 254;

/** Accepts an address, or the link to it. */
export const EmailAddress = clientText((given) => {
  const text = linkTarget(given, 'mailto');
  if (text.length > MAX_EMAIL_LENGTH) return tooLong('an email address', MAX_EMAIL_LENGTH);
  const hasHeaders = text !== given && given.includes('?'); // of the message that a link prepares (RFC 6068 §2)
  if (!hasHeaders && isEmailAddress(text)) return text;
  return { rule: InputRule.Email, message: 'expected an email address' };
});

/** Whether mail from elsewhere reaches the address: its domain has a dot, which the pattern of browsers does not require. */
function isEmailAddress(text: string): boolean {
  return z.regexes.html5Email.test(text) && text.includes('.', text.indexOf('@'));
}

/** A JSON value that the service receives unchanged. */
export const JsonValue = z.unknown().superRefine((value, context) => {
  if (!isJsonValue(value)) addViolation(context, JSON_VIOLATION);
});

/** A random UUID, in whatever case. */
export const IdempotencyKey = z.string().transform((text, context) => {
  const key = parseIdempotencyKey(text);
  const violation = idempotencyKeyViolation(key, text);
  if (violation !== undefined) addViolation(context, violation);
  return key ?? z.NEVER;
});

export const writeArguments = { idempotencyKey: IdempotencyKey.nullish(), dryRun: z.boolean() };

/** The reason why a text is not an idempotency key, if it is not; `key` is the key that was parsed from it. */
export function idempotencyKeyViolation(key: string | undefined, input: string): Violation | undefined {
  if (key !== undefined && !isFromFuture(key)) return undefined;
  const expectation =
    key === undefined
      ? 'a UUID of version 4 or 7 as idempotency key'
      : 'an idempotency key from a clock at most 5 minutes ahead';
  return { rule: InputRule.Uuid, message: expected(expectation)({ input }) };
}

export const DateTime = z
  .string()
  .refine(
    (text) => Timestamp.safeParse(text).success,
    rule(InputRule.DateTime, 'a date and time in ISO 8601 format with a UTC offset'),
  );

/** z.record would silently drop a `__proto__` key. */
const JsonObject = z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null);

/** Names that are rejected because assigning to these keys pollutes prototypes. */
const prototypeNames = ['__proto__', 'constructor', 'prototype'];

const reservedName: Violation = {
  rule: InputRule.ReservedName,
  message: 'expected a name that is not reserved for a documented or fixed parameter',
};

/** Rejects reserved names in every spelling, and values that a query string cannot hold if that is the location. */
export function additionalParameters(location: 'body' | 'query', reserved: readonly string[] = []) {
  const reservedNames = new Set([...prototypeNames, ...reserved].flatMap(possibleParameterNames));
  return JsonObject.nullish()
    .transform((parameters) => parameters ?? {})
    .superRefine((parameters, context) => {
      for (const [name, value] of Object.entries(parameters)) {
        const isReserved = () => possibleParameterNames(name).some((each) => reservedNames.has(each));
        const problem = parameterNameProblem(name) ?? (isReserved() ? reservedName : undefined);
        if (problem) addViolation(context, problem, [name]);
        if (!isJsonValue(value)) addViolation(context, JSON_VIOLATION, [name]);
        else if (location === 'query' && !fitsQuery(value)) {
          const message = expected('a string, a number, a boolean or a list of these')({ input: value });
          addViolation(context, { rule: InputRule.Type, message }, [name]);
        }
      }
    });
}

/** Rejects an input whose parameters would make the path and query of a call too long. */
export function fitsTarget<Base, Parameters extends object>(
  operation: RestOperation<Parameters, unknown>,
  settings: ServiceSettings,
  toParameters: (input: Base) => Parameters,
) {
  const isInQuery = operation.parametersIn(settings) === 'query';
  const basePathBytes = basePathOf(baseUrlOf(operation, settings)).length;
  return <Input extends Base>(input: Input, context: z.RefinementCtx): Input => {
    if (!isInQuery) return input;
    const { path } = requestOf(operation, toParameters(input), settings); // percent-encoded, as the base path is
    const bytes = basePathBytes + path.length;
    if (bytes <= MAX_TARGET_BYTES) return input;
    const limit = MAX_TARGET_BYTES;
    const message = `expected parameters for a path and query of at most ${limit} bytes, got ${bytes}`;
    addViolation(context, { rule: InputRule.MaxBytes, limit, message });
    return z.NEVER;
  };
}

/** The options of a check: the rule that it enforces, and its error message. */
export function rule(name: InputRule, expectation: string, limit?: number) {
  return { error: expected(expectation), params: { rule: name, limit } };
}

/** Adds an issue; `path` leads from the checked value to the invalid one. */
export function addViolation(
  context: z.RefinementCtx,
  { message, ...params }: Violation,
  path: PropertyKey[] = [],
): void {
  context.addIssue({ code: 'custom', path, message, params });
}

/** The rule that an issue violates: issues that neither `rule` nor `addViolation` created are type errors. */
export function violationOf({ message, ...issue }: z.core.$ZodIssue): Violation {
  const { rule: name, limit } = (issue.code === 'custom' ? (issue.params ?? {}) : {}) as Partial<Violation>;
  return { rule: name ?? InputRule.Type, limit, message: rewordTypeError(message) };
}

function expected(expectation: string) {
  return ({ input }: { input?: unknown }): string => `expected ${expectation}, got ${preview(input)}`;
}
