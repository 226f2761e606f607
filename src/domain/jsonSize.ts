/** Size of JSON text, determined without building it. */

/**
 * Bytes of the JSON text of a value in UTF-8, as JSON.stringify writes it. Stops soon after the size exceeds `maxBytes`: the
 * result is then only known to be larger.
 */
export function jsonSize(value: unknown, maxBytes: number): number {
  if (typeof value === 'string') return stringSize(value, maxBytes);
  if (typeof value !== 'object' || value === null) return String(value).length;
  const isArray = Array.isArray(value);
  let bytes = 2;
  for (const key in value) {
    if (!isArray) bytes += stringSize(key, maxBytes) + 1;
    bytes += jsonSize((value as Readonly<Record<string, unknown>>)[key], maxBytes - bytes) + 1;
    if (bytes > maxBytes) break;
  }
  return bytes > 2 ? bytes - 1 : bytes; // no comma after the last member
}

/** The control characters that JSON.stringify writes as two characters: backspace, tab, line feed, form feed, carriage return. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** Bytes of a JSON string with its quotation marks: UTF-8, with the escapes that JSON.stringify writes. */
function stringSize(text: string, maxBytes: number): number {
  let bytes = text.length + 2;
  if (bytes > maxBytes) return bytes;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20) bytes += SHORT_ESCAPES.has(unit) ? 1 : 5;
    else if (unit === 0x22 || unit === 0x5c) bytes += 1;
    // Half a surrogate pair takes two bytes of UTF-8; without the other half it is escaped.
    else if (unit >= 0xd800 && unit < 0xe000) bytes += isPaired(text, index) ? 1 : 5;
    else if (unit >= 0x80) bytes += unit < 0x800 ? 1 : 2;
  }
  return bytes;
}

/** Whether a surrogate is half of a pair. */
function isPaired(text: string, index: number): boolean {
  const isPair = (start: number) => (text.codePointAt(start) ?? 0) > 0xffff;
  return isPair(index) || isPair(index - 1);
}
