/** The rules for single values of the input. A message says what was expected, and what arrived. */
import { z } from 'zod';
import { readPhoneNumber } from '../phoneNumber.js';
import { guidProblem } from '../service/paths.js';
import { isJson, JSON_EXPECTATION } from '../service/json.js';
import { listOf } from '../service/lists.js';
import { fitsQuery } from '../service/query.js';

/** Problems of one list, or of one operation, that are named at the most. */
export const MOST_PROBLEMS = 100;

/** Elements of one list at the most: to judge a phone number takes so long that very many would hold up all others. */
export const MOST_ELEMENTS = 1000;

/** A list of which every element keeps a rule. */
export const list = <Element>(element: z.ZodType<Element>) =>
  z
    .array(z.unknown())
    .max(MOST_ELEMENTS, {
      error: ({ input }) => `expected at most ${MOST_ELEMENTS} elements, got ${(input as unknown[]).length}`,
    })
    .pipe(listOf(element, { mostProblems: MOST_PROBLEMS }));

/** Text that has to say something. */
export const Text = z
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
  const number = readPhoneNumber(text);
  if (number !== undefined) return number;
  const error = expected('a phone number in E.164 format, or a US number')({ input: text });
  context.addIssue({ code: 'custom', message: error });
  return z.NEVER;
});

export const EmailAddress = z.email({ pattern: z.regexes.html5Email, error: expected('an e-mail address') });

/** A value that goes on as it is. */
export const Json = z.unknown().refine((value) => isJson(value), { error: `expected ${JSON_EXPECTATION}` });

/** An identifier that becomes a segment of a path. */
export const NotificationGuid = z.string().superRefine((guid, context) => {
  const problem = guidProblem(guid);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: `${problem}, got ${show(guid)}` });
});

/** Not z.record, which drops a key of `__proto__` without a word. */
const JsonObject = z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null);

/** Names that would reach into an object's prototype on their way through JavaScript. */
const prototypeNames = ['__proto__', 'constructor', 'prototype'];

/** Further parameters: none that is taken, in any letter case, and in a query only what fits there. */
export function furtherParameters({ taken, place }: { taken: readonly string[]; place: 'body' | 'query' }) {
  const takenNames = new Set([...prototypeNames, ...taken].map((name) => name.toLowerCase()));
  return JsonObject.nullish()
    .transform((parameters) => parameters ?? {})
    .superRefine((parameters, context) => {
      for (const [name, value] of Object.entries(parameters)) {
        const complain = (message: string) => {
          context.addIssue({ code: 'custom', path: [name], message });
        };
        if (name === '') complain('expected a parameter with a name');
        if (!name.isWellFormed()) complain('expected a name of well-formed Unicode');
        if (takenNames.has(name.toLowerCase()))
          complain('expected a name that no documented or fixed parameter has');
        if (!isJson(value)) complain(`expected ${JSON_EXPECTATION}`);
        else if (place === 'query' && !fitsQuery(value)) {
          complain(`expected a string, a number, a boolean or a list of these, got ${show(value)}`);
        }
      }
    });
}

/** The message of a broken rule. */
export function expected(expectation: string) {
  return ({ input }: { input?: unknown }): string => `expected ${expectation}, got ${show(input)}`;
}

/** A value as a message shows it: JSON, cut where it is long. */
function show(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'nothing';
  const start = Array.from(text.slice(0, 200)).slice(0, 100).join('');
  return start.length < text.length ? `${start}…` : text;
}
