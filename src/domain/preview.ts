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
  if (value === undefined) return 'nothing';
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (text.length > 2 * MAX_CHARACTERS) break;
  }
  return truncate(text);
}

function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield JSON.stringify(value.slice(0, 2 * MAX_CHARACTERS + 1));
  } else if (Array.isArray(value)) {
    yield '[';
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) yield ',';
      yield* jsonPieces(value[index]);
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    let separator = '{';
    for (const [key, member] of Object.entries(value)) {
      yield separator;
      yield* jsonPieces(key);
      yield ':';
      yield* jsonPieces(member);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  } else {
    yield JSON.stringify(value ?? null);
  }
}
