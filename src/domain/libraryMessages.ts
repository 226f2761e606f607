/** Messages of libraries that the gateway reads or rewords; if an upgrade changes one, allInputErrors.test.ts or fromApollo.test.ts fails. */
import { InputRule } from '../errors.js';
import { showUnseen, truncate } from './text.js';

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

/** Maximum characters of a message, and those that are read at each end of one: between them, a longer one only quotes a value. */
const MAX_MESSAGE_CHARACTERS = 1000;

/** A name or a value: no word of a message is as long. */
const LONG_WORD = /[^\s"]{101,}/g;

/** Truncates every long name and value, and then the message itself: graphql-js quotes what the client sent at any length. */
export function shortenMessage(given: string): string {
  const isLong = given.length > 2 * MAX_MESSAGE_CHARACTERS;
  const read = isLong ? given.slice(0, MAX_MESSAGE_CHARACTERS) + given.slice(-MAX_MESSAGE_CHARACTERS) : given;
  const shortened = showUnseen(read).replace(LONG_WORD, (word) => truncate(word));
  return truncate(shortened, MAX_MESSAGE_CHARACTERS);
}
