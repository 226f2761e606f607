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

/** Bytes of a JSON string with its quotation marks: UTF-8, with the escapes that RFC 8259 section 7 requires. */
function stringSize(text: string, maxBytes: number): number {
  let bytes = text.length + 2;
  if (bytes > maxBytes) return bytes;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20) bytes += 5;
    else if (unit === 0x22 || unit === 0x5c) bytes += 1;
    // Half a surrogate pair takes two bytes of UTF-8, any other unit of this range three.
    else if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes;
}
