/** Short forms of values and names of clients, for messages. */

/** Maximum characters of a value or a name in a message. */
const MAX_CHARACTERS = 100;

/** The text, or its first characters and an ellipsis. Never splits a surrogate pair. */
export function truncate(text: string, maxCharacters = MAX_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  const start = Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('');
  return start.length < text.length ? `${start}…` : text;
}

/** A JSON value as JSON, truncated. Costs no more for a value of any size or depth, because writing stops early. */
export function preview(value: unknown): string {
  return value === undefined ? 'nothing' : truncate(appendJson('', value));
}

/** Enough text for MAX_CHARACTERS, because no character takes more than two code units. */
const MAX_WRITTEN_LENGTH = 2 * MAX_CHARACTERS;

/** Appends JSON to a text until that is long enough. */
function appendJson(text: string, value: unknown): string {
  if (typeof value === 'string') return text + JSON.stringify(value.slice(0, MAX_WRITTEN_LENGTH));
  if (typeof value !== 'object' || value === null) return text + JSON.stringify(value ?? null);
  const isList = Array.isArray(value);
  let result = text + (isList ? '[' : '{');
  let separator = '';
  for (const [key, member] of isList ? value.entries() : Object.entries(value)) {
    if (result.length > MAX_WRITTEN_LENGTH) return result;
    const start = isList ? result + separator : `${appendJson(result + separator, key)}:`;
    result = appendJson(start, member);
    separator = ',';
  }
  return result + (isList ? ']' : '}');
}
