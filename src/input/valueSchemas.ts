/** The rules for single values of the input. A message says what was expected, and what arrived. */
import { z } from 'zod';
import { parsePhoneNumber } from '../domain/phoneNumber.js';
import { guidProblem } from '../domain/pathTemplate.js';
import { isJsonValue, JSON_EXPECTATION } from '../domain/jsonValue.js';
import { boundedArray } from '../domain/boundedArray.js';
import { fitsQuery } from '../domain/queryString.js';

/** Problems of one list, or of one operation, that are named at the most. */
export const MAX_INPUT_ERRORS = 100;

/** Elements of one list at the most: to judge a phone number takes so long that very many would hold up all others. */
export const MAX_LIST_LENGTH = 1000;

/** A list of which every element keeps a rule. */
export const inputList = <Element>(element: z.ZodType<Element>) =>
  z
    .array(z.unknown())
    .max(MAX_LIST_LENGTH, {
      error: ({ input }) =>
        `expected at most ${MAX_LIST_LENGTH} elements, got ${(input as unknown[]).length}`,
    })
    .pipe(boundedArray(element, { maxIssues: MAX_INPUT_ERRORS }));

/** Text that has to say something. */
export const NonEmptyString = z
  .string()
  .refine((text) => text.trim() !== '', { error: expected('a non-empty string') })
  .refine((text) => text.isWellFormed(), { error: expected('well-formed Unicode') });

/** The one member of a `@oneOf` input (GraphQL specification, section 3.10), which GraphQL has enforced before. */
export function oneOf<Members extends Record<string, z.ZodType>>(members: Members) {
  const optional = Object.entries(members).map(([name, member]) => [name, member.nullish()] as const);
  return z.object(Object.fromEntries(optional)).transform((input) => {
    return Object.values(input).find((member) => member != null) as z.output<Members[keyof Members]>;
  });
}

/** Text in E.164 format, or a US number in any notation; becomes E.164. */
export const PhoneNumber = z.string().transform((text, context) => {
  const number = parsePhoneNumber(text);
  if (number !== undefined) return number;
  const error = expected('a phone number in E.164 format, or a US number')({ input: text });
  context.addIssue({ code: 'custom', message: error });
  return z.NEVER;
});

export const EmailAddress = z.email({ pattern: z.regexes.html5Email, error: expected('an e-mail address') });

/** A value that goes on as it is. */
export const JsonValue = z
  .unknown()
  .refine((value) => isJsonValue(value), { error: `expected ${JSON_EXPECTATION}` });

/** An identifier that becomes a segment of a path. */
export const NotificationGuid = z.string().superRefine((guid, context) => {
  const problem = guidProblem(guid);
  if (problem !== undefined)
    context.addIssue({ code: 'custom', message: `${problem}, got ${preview(guid)}` });
});

/** Not z.record, which drops a key of `__proto__` without a word. */
const JsonObject = z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null);

/** Names that would reach into an object's prototype on their way through JavaScript. */
const prototypeNames = ['__proto__', 'constructor', 'prototype'];

/** Further parameters: none that is taken, in any letter case, and in a query only what fits there. */
export function additionalParameters({
  reserved,
  place,
}: {
  reserved: readonly string[];
  place: 'body' | 'query';
}) {
  const reservedNames = new Set([...prototypeNames, ...reserved].map((name) => name.toLowerCase()));
  return JsonObject.nullish()
    .transform((parameters) => parameters ?? {})
    .superRefine((parameters, context) => {
      for (const [name, value] of Object.entries(parameters)) {
        const addIssue = (message: string) => {
          context.addIssue({ code: 'custom', path: [name], message });
        };
        if (name === '') addIssue('expected a parameter with a name');
        if (!name.isWellFormed()) addIssue('expected a name of well-formed Unicode');
        if (reservedNames.has(name.toLowerCase()))
          addIssue('expected a name that no documented or fixed parameter has');
        if (!isJsonValue(value)) addIssue(`expected ${JSON_EXPECTATION}`);
        else if (place === 'query' && !fitsQuery(value)) {
          addIssue(`expected a string, a number, a boolean or a list of these, got ${preview(value)}`);
        }
      }
    });
}

/** The message of a broken rule. */
export function expected(expectation: string) {
  return ({ input }: { input?: unknown }): string => `expected ${expectation}, got ${preview(input)}`;
}

/** A value as a message shows it: JSON, cut where it is long. */
function preview(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  const start = Array.from(text.slice(0, 200)).slice(0, 100).join('');
  return start.length < text.length ? `${start}…` : text;
}
