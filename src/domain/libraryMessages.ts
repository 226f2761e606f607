/**
 * The English messages of libraries, as far as the gateway reads or rewords them. An upgrade that changes one of them fails in
 * test/domain/libraryMessages.test.ts, or for Apollo Server in test/graphql/fromApollo.test.ts.
 */
import { InputRule } from '../errors.js';
import { truncate } from './json.js';
import { showUnseen } from './text.js';

/** The rules behind the coercion errors of graphql-js. All errors of scalars are about types. */
const coercionRules: readonly (readonly [pattern: RegExp, rule: InputRule])[] = [
  [/^Expected non-nullable type /, InputRule.Required],
  [/^Field "(\w+)" of required type ".+" was not provided\.$/, InputRule.Required],
  [/^Field "([^]*)" is not defined by type "\w+"\./, InputRule.UnknownField],
  [/^Exactly one key must be specified for OneOf type "|^Field "\w+" must be non-null\.$/, InputRule.OneOf],
  [/^Value "[^]*" does not exist in "\w+" enum\.|^Enum "\w+" cannot represent /, InputRule.Enum],
];

/** The rule that a coercion error of graphql-js is about, and the name of the member if its path does not have it. */
export function coercionRuleOf(message: string): { rule: InputRule; member?: string | undefined } {
  for (const [pattern, rule] of coercionRules) {
    const match = pattern.exec(message);
    if (match) return { rule, member: match[1] };
  }
  return { rule: InputRule.Type };
}

/** The limit that a document exceeds: the parser of graphql-js reports it as a syntax error without a code. */
export function maxTokensIn(message: string): string | undefined {
  return /^Syntax Error: Document contains more tha[nt] (\d+) tokens/.exec(message)?.[1];
}

/** Apollo Server gives it the code and the status of other bad requests. */
const FORGED = /^This operation has been blocked as a potential Cross-Site Request Forgery/;

/** Messages that Apollo Server writes for developers of servers, each with the one that clients read instead. */
const apolloMessages: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [/^GraphQL introspection is not allowed/, 'Introspection is disabled on this gateway'],
  [/^GraphQL operations must contain/, 'Expected a non-empty query, or the extension persistedQuery'],
  [/^Operation batching disabled/, 'Expected one operation, got a list'],
  [/^POST body missing/, 'Expected a JSON object with the member query, got one without members'],
  [/^GraphQL queries must be strings/, 'Expected the member query to be a string, got another value'],
  [/^`variables` in a POST body/, 'Expected the member variables to be an object, got another value'],
  [/^`extensions` in a POST body/, 'Expected the member extensions to be an object, got another value'],
  [/^`operationName` in a POST body/, 'Expected the member operationName to be a string, got another value'],
];

/** Whether Apollo Server takes a request for one that another site has forged, and its message for clients. */
export function readApolloMessage(message: string): { isForged: boolean; message: string } {
  const [, ours = message] = apolloMessages.find(([theirs]) => theirs.test(message)) ?? [];
  return { isForged: FORGED.test(message), message: ours };
}

/** Rewords zod's message about a value of another type. */
export function rewordTypeError(message: string): string {
  return message.replace(
    /^Invalid input: expected (\w+), received (\w+)$/,
    (_message, expected: string, received: string) =>
      `expected ${withArticle(expected)}, got ${withArticle(received)}`,
  );
}

function withArticle(type: string): string {
  if (type === 'undefined') return 'nothing';
  if (type === 'int') return 'an integer';
  return /^(?:null|NaN)$/.test(type) ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** Maximum characters of a message: some rules quote any number of names. */
const MAX_MESSAGE_CHARACTERS = 1000;

/** Precedes a printed value, which is not always in quotes and ends the message, except for suggestions. */
const BEFORE_VALUE = /, found | value: | has invalid value /;
const SUGGESTIONS = '. Did you mean ';

/** A text in quotes, in which quotes are escaped, or a long name without quotes. */
const QUOTATION = /"([^"\\]*(?:\\[^][^"\\]*)*)("?)|[\w$]{101,}/g;

/** Characters that are read at each end of a message: between them, a longer one only quotes a value. */
const MAX_READ_CHARACTERS = 1000;

/** Truncates every quoted value and name, and then the message itself: graphql-js quotes what the client sent at any length. */
export function shortenMessage(given: string): string {
  const isLong = given.length > 2 * MAX_READ_CHARACTERS;
  const message = showUnseen(
    isLong ? given.slice(0, MAX_READ_CHARACTERS) + given.slice(-MAX_READ_CHARACTERS) : given,
  );
  if (message.length <= 100) return message;
  const shortened = shortenValue(message).replace(
    QUOTATION,
    (name: string, text: string | undefined, end: string | undefined) =>
      text === undefined ? truncate(name) : `"${truncate(text)}${end ?? ''}`,
  );
  return truncate(shortened, MAX_MESSAGE_CHARACTERS);
}

function shortenValue(message: string): string {
  const before = BEFORE_VALUE.exec(message);
  if (!before) return message;
  const start = before.index + before[0].length;
  const suggestions = message.lastIndexOf(SUGGESTIONS);
  const end = suggestions < start ? message.length : suggestions;
  return message.slice(0, start) + truncate(message.slice(start, end)) + message.slice(end);
}
