/** Schemas for single input values. Every message states what was expected and what arrived. */
import { z } from 'zod';
import { parsePhoneNumber } from '../domain/phoneNumber.js';
import { guidProblem, MAX_IDENTIFIER_LENGTH } from '../domain/pathTemplate.js';
import { isJsonValue, JSON_EXPECTATION } from '../domain/jsonValue.js';
import { boundedArray } from '../domain/boundedArray.js';
import { parameterNameProblem, possibleParameterNames } from '../domain/parameterName.js';
import { fitsQuery } from '../domain/queryString.js';
import { preview } from '../domain/preview.js';

/** Maximum errors in the input that a response lists. One more is looked for, which tells that there are others. */
export const MAX_INPUT_ERRORS = 100;

/** The length of all lists together is limited before an operation is executed. */
export const inputList = <Element>(element: z.ZodType<Element>) =>
  boundedArray(element, { maxIssues: MAX_INPUT_ERRORS + 1 });

export const NonEmptyString = z
  .string()
  .refine((text) => text.trim() !== '', { error: expected('a non-empty string') })
  .refine((text) => text.isWellFormed(), { error: expected('well-formed Unicode') });

/** An identifier that is a parameter of a REST call. */
export const Identifier = NonEmptyString.refine((text) => text.length <= MAX_IDENTIFIER_LENGTH, {
  error: expected(`an identifier of at most ${MAX_IDENTIFIER_LENGTH} characters`),
});

/** Unwraps the member of a `@oneOf` input; GraphQL has already enforced that there is exactly one (spec §3.10). */
export function oneOf<Members extends Record<string, z.ZodType>>(members: Members) {
  const optional = Object.entries(members).map(([name, member]) => [name, member.nullish()] as const);
  return z.object(Object.fromEntries(optional)).transform((input) => {
    return Object.values(input).find((member) => member != null) as z.output<Members[keyof Members]>;
  });
}

/** Accepts E.164, or a US number in any notation; outputs E.164. */
export const PhoneNumber = z.string().transform((text, context) => {
  const number = parsePhoneNumber(text);
  if (number !== undefined) return number;
  const error = expected('a phone number in E.164 format, or a US number')({ input: text });
  context.addIssue({ code: 'custom', message: error });
  return z.NEVER;
});

/** Maximum characters of an email address (RFC 5321 §4.5.3.1.3, without the angle brackets of a path). */
const MAX_EMAIL_LENGTH = 254;

export const EmailAddress = z
  .string()
  .refine((text) => text.length <= MAX_EMAIL_LENGTH && z.regexes.html5Email.test(text), {
    error: expected('an email address'),
  });

/** Passed to the service unchanged. */
export const JsonValue = z
  .unknown()
  .refine((value) => isJsonValue(value), { error: `expected ${JSON_EXPECTATION}` });

/** As the service formats timestamps. */
export const Timestamp = z.iso.datetime({
  offset: true,
  error: expected('a date and time in ISO 8601 format with a UTC offset'),
});

/** Becomes a path segment of a REST call. */
export const NotificationGuid = z.string().superRefine((guid, context) => {
  const problem = guidProblem(guid);
  if (problem !== undefined)
    context.addIssue({ code: 'custom', message: `${problem}, got ${preview(guid)}` });
});

/** z.record would silently drop a `__proto__` key. */
const JsonObject = z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null);

/** Rejected because assigning to these keys pollutes prototypes. */
const prototypeNames = ['__proto__', 'constructor', 'prototype'];

/** Rejects reserved names in every spelling, and values that a query string cannot hold if that is the location. */
export function additionalParameters({
  reserved,
  location,
}: {
  reserved: readonly string[];
  location: 'body' | 'query';
}) {
  const reservedNames = new Set([...prototypeNames, ...reserved].flatMap(possibleParameterNames));
  return JsonObject.nullish()
    .transform((parameters) => parameters ?? {})
    .superRefine((parameters, context) => {
      for (const [name, value] of Object.entries(parameters)) {
        const addIssue = (message: string) => {
          context.addIssue({ code: 'custom', path: [name], message });
        };
        const problem = parameterNameProblem(name);
        if (problem !== undefined) addIssue(problem);
        else if (possibleParameterNames(name).some((each) => reservedNames.has(each)))
          addIssue('expected a name that is not reserved for a documented or fixed parameter');
        if (!isJsonValue(value)) addIssue(`expected ${JSON_EXPECTATION}`);
        else if (location === 'query' && !fitsQuery(value)) {
          addIssue(`expected a string, a number, a boolean or a list of these, got ${preview(value)}`);
        }
      }
    });
}

/** Builds the error message of a schema. */
export function expected(expectation: string) {
  return ({ input }: { input?: unknown }): string => `expected ${expectation}, got ${preview(input)}`;
}
