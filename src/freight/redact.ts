/** Removes secrets from the service's messages, and from what the log shows of its responses. */
import { truncate } from '../domain/json.js';

const REDACTED = '[redacted]';

/**
 * Replaces every text in a JSON value that contains a secret, names of properties included: in any letter case, verbatim, and in
 * any nesting of the escapes of JSON, URLs, forms and HTML, in which messages quote requests. A number is a secret if its
 * absolute value is. A secret that the service encodes in another way (base64, a hash) is not recognized.
 *
 * A text is replaced as a whole: clients choose their token, and what is left of a text around a token that overlaps another
 * secret would tell something about that secret.
 */
export function redact(value: unknown, secrets: readonly string[]): unknown {
  return createRedaction(secrets)(value);
}

/** Redacts several values: the forms of the secrets take longer to find than a short text to search. */
export function createRedaction(secrets: readonly string[]): (value: unknown) => unknown {
  const numbers = new Set(secrets.map(absoluteValue).filter((number) => number !== undefined));
  const patterns = patternsOf([...secrets, ...[...numbers].flatMap(numberForms)]);

  const redactText = (text: string) => (containsAny(text, patterns) ? REDACTED : text);
  const redactValue = (part: unknown): unknown => {
    if (typeof part === 'string') return redactText(part);
    if (typeof part === 'number') return numbers.has(Math.abs(part)) ? REDACTED : part;
    if (Array.isArray(part)) return part.map(redactValue);
    if (typeof part !== 'object' || part === null) return part;
    const unique = createUniqueNames();
    return Object.fromEntries(
      Object.entries(part).map(([key, member]) => [unique(redactText(key)), redactValue(member)]),
    );
  };
  return redactValue;
}

/** UUIDs, e-mail addresses, and numbers of at least seven digits in any notation of phone numbers, but no dates. */
const PERSONAL =
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|[^\s"'<>@]{1,64}@[^\s"'<>@]+|(?<![\d.:])(?!\d{4}-\d\d-\d\d)\+?\(?\d[\d ().-]{5,}\d/gi;

/** A body for the log, without what personal data looks like. A text with a secret that is not JSON is replaced as a whole. */
export function redactBody(text: string, secrets: readonly string[]): string {
  let redacted: string;
  try {
    redacted = JSON.stringify(redact(JSON.parse(text), secrets));
  } catch {
    redacted = redact(text, secrets) as string;
  }
  return redacted.replace(PERSONAL, REDACTED);
}

/** Maximum characters of a path in the log. */
const MAX_PATH_CHARACTERS = 200;

/** Where a URL leads, for the log: its origin and unescaped path. Query, user information and fragment often hold secrets. */
export function redactUrl({ origin, pathname }: URL, secrets: readonly string[]): string {
  const segments = String(redact(pathname, secrets))
    .split('/')
    .map((segment) => unescapeSegment(segment).replace(PERSONAL, REDACTED));
  return `${String(redact(origin, secrets))}${truncate(segments.join('/'), MAX_PATH_CHARACTERS)}`;
}

function unescapeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Every string and number within a JSON value. */
export function collectScalars(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(collectScalars);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}

/** The forms in which a message may name the host. A bare host name without a dot could be any word, so it stays. */
export function hostForms({ host, hostname }: URL): string[] {
  return [...new Set([`//${host}`, host, hostname])].filter((form) => /[/.:]/.test(form));
}

/** Shorter strings are not searched for: they occur by chance, and redacting them would remove too many messages. */
const MIN_SECRET_LENGTH = 4;

/** Of a secret that is a number with enough digits. NaN is too short, too. */
function absoluteValue(secret: string): number | undefined {
  const number = Math.abs(Number(secret));
  return String(number).length < MIN_SECRET_LENGTH ? undefined : number;
}

function numberForms(number: number): string[] {
  const exponential = number.toExponential();
  return [String(number), exponential, exponential.replace('+', '')];
}

/**
 * Of a longer spelling, the beginning is searched for, which may be all that a message has of it. This also bounds the work:
 * for a token of thousands of equal letters, the native search takes the product of both lengths.
 */
const MAX_PATTERN_LENGTH = 100;

/** What to search for in each layer of a text, in upper case. */
function patternsOf(secrets: readonly string[]): string[] {
  // The length of the secret counts: a spelling of it may be shorter, as `/` is of `\\/`.
  const spellings = secrets
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .flatMap(spellingsOf)
    .filter((spelling) => spelling !== '');
  return [...new Set(spellings.map((spelling) => spelling.toUpperCase().slice(0, MAX_PATTERN_LENGTH)))];
}

/**
 * The layers, because undoing the escapes of a text also undoes those that the secret itself seems to contain; the encodings,
 * because an escape may seem to begin before the secret, as in `\` and `new%40secret`.
 */
function spellingsOf(secret: string): string[] {
  const formEncoded = new URLSearchParams({ secret }).toString().slice('secret='.length);
  const urlEncoded = encodeURIComponent(secret.toWellFormed());
  return [...layersOf(secret), formEncoded, urlEncoded, JSON.stringify(secret).slice(1, -1)];
}

function containsAny(text: string, patterns: readonly string[]): boolean {
  const layers = layersOf(text).map((layer) => layer.toUpperCase());
  return patterns.some((pattern) => layers.some((layer) => layer.includes(pattern)));
}

/** More than a request that is quoted within quotations has. */
const MAX_LAYERS = 4;

/** A text, and what undoing its escapes makes of it, layer by layer, as a request may be quoted within a quotation. */
function layersOf(text: string): string[] {
  const layers = new Set([text]);
  let layer = text.toWellFormed(); // URLs have U+FFFD for half a surrogate pair
  for (let count = 0; count < MAX_LAYERS; count++) {
    layer = layer.replace(ESCAPE, decode);
    layers.add(layer);
  }
  return [...layers];
}

const HEX = '[\\da-fA-F]';
const TRAILING_BYTE = `%[89abAB]${HEX}`;
/** An escape of JSON, an HTML character reference, a percent-encoded character in UTF-8, or the space of a form. */
const ESCAPE = new RegExp(
  [
    '\\\\[bf"nrt\\\\/]',
    `\\\\u${HEX}{4}`,
    '&(?:amp|apos|gt|lt|quot);',
    '&#\\d{1,7};',
    `&#[xX]${HEX}{1,6};`,
    `%[0-7]${HEX}`,
    `%[cdCD]${HEX}${TRAILING_BYTE}`,
    `%[eE]${HEX}(?:${TRAILING_BYTE}){2}`,
    `%[fF][0-7](?:${TRAILING_BYTE}){3}`,
    '\\+',
  ].join('|'),
  'g',
);

function decode(escape: string): string {
  if (escape === '+') return ' ';
  if (escape.startsWith('\\')) return JSON.parse(`"${escape}"`) as string;
  if (escape.startsWith('%')) return Buffer.from(escape.replaceAll('%', ''), 'hex').toString();
  const character = NAMED_CHARACTERS[escape];
  if (character !== undefined) return character;
  const codePoint = Number(`0${escape.slice('&#'.length, -1)}`); // hexadecimal with an x
  return codePoint <= 0x10_ff_ff ? String.fromCodePoint(codePoint) : escape;
}

const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&apos;': "'",
  '&gt;': '>',
  '&lt;': '<',
  '&quot;': '"',
};

/** Numbers the names that became equal, so that none replaces another. */
function createUniqueNames(): (name: string) => string {
  const counts = new Map<string, number>();
  const unique = (name: string): string => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : unique(`${name} (${count})`);
  };
  return unique;
}
