/** Messages of graphql-js and Apollo Server, which quote what the client sent at any length. */
import { truncate } from '../../domain/json.js';

/** Maximum characters of a message: some rules quote any number of names. */
const MAX_MESSAGE_CHARACTERS = 1000;

/** What precedes a printed value, which is not always in quotes and ends the message, except for suggestions. */
const BEFORE_VALUE = /, found | value: | has invalid value /;
const SUGGESTIONS = '. Did you mean ';

/** A text in quotes, in which quotes are escaped, or a long name without quotes. */
const QUOTATION = /"([^"\\]*(?:\\[^][^"\\]*)*)("?)|[\w$]{101,}/g;

/** Truncates every quoted value and name, and then the message itself. */
export function shortenMessage(message: string): string {
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
