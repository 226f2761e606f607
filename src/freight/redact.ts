/** Removes secrets from the service's messages, and from what the log shows of its responses. */
import { isRecord } from '../domain/json.js';
import { truncate } from '../domain/text.js';
import { MAX_REASON_LENGTH, normalizeText, type Reason } from './messages.js';

const REDACTED = '[redacted]';

/**
 * What no message should name: a URL whose host has no dot, an internal domain (RFC 6761, RFC 8375) or an IPv6 address; an IPv4 address; a
 * host with a port, which `UTC-05:00` is not; or a failed connection's code. Each part is bounded: otherwise a message of 16,000 characters
 * would take 110 ms.
 */
export const INTERNAL_ADDRESS =
  /\b[a-z][a-z\d+.-]{0,20}:\/\/(?:[^\s/@]{0,255}@)?(?:[\w-]{1,63}|[\w.-]{1,255}\.(?:corp|home\.arpa|internal|intranet|lan|local|localhost|svc)|\[[\da-f:]+\])(?::\d+)?(?![\w.-])|\b(?:\d{1,3}\.){3}\d{1,3}\b|(?<![\w.-])[a-z](?=\w{0,62}[.-])[\w.-]{1,254}:\d{3,5}\b|\bE(?:AI_AGAIN|CONN[A-Z]{3,10}|HOSTUNREACH|NOTFOUND|PIPE|TIMEDOUT)\b/i; // cspell:disable-line

/**
 * Replaces every text in a JSON value that contains a secret, names of properties included: in any letter case, as it is, with escapes of
 * JSON (RFC 8259 §7), and percent-encoded (RFC 3986 §2.1, and as forms do it). A number is a secret if its absolute value is.
 * A secret in another encoding (base64, a hash, escapes of escapes) is not recognized.
 *
 * A text is replaced as a whole: clients choose their token, and what is left of a text around a token that overlaps another
 * secret would tell something about that secret. One that `hidden` matches is replaced, too.
 */
export function redact(value: unknown, secrets: readonly string[], hidden?: RegExp): unknown {
  const long = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH);
  const absolutes = long.map((secret) => Math.abs(Number(secret))); // NaN is too short, too
  const numbers = new Set(absolutes.filter((number) => String(number).length >= MIN_SECRET_LENGTH));
  const patterns = patternsOf([...long, ...[...numbers].map(String)]);

  const redactText = (text: string) => {
    const searched = readingsOf(text).map((reading) => reading.toUpperCase());
    const isSecret = patterns.some((pattern) => searched.some((reading) => reading.includes(pattern)));
    return isSecret || hidden?.test(text) ? REDACTED : text;
  };
  const redactValue = (part: unknown): unknown => {
    if (typeof part === 'string') return redactText(part);
    if (typeof part === 'number') return numbers.has(Math.abs(part)) ? REDACTED : part;
    if (Array.isArray(part)) return part.map(redactValue);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, member]) => [redactText(key), redactValue(member)]),
    );
  };
  return redactValue(value);
}

/** Redacts when the first is serialized: most never are. Texts were normalized, so secrets are searched for in that form, too. */
export function publicMessages(reasons: readonly Reason[], secrets: () => readonly string[]) {
  if (reasons.length === 0) return undefined;
  const messages = reasons.map(({ said, field }) =>
    field === undefined || typeof said !== 'string' ? said : { field, message: said },
  );
  let redacted: readonly unknown[] | undefined;
  const redactAll = () => {
    const all = secrets().flatMap((secret) => [secret, normalizeText(secret)]);
    return (redact(messages, all, INTERNAL_ADDRESS) as unknown[]).map(shorten);
  };
  return messages.map((message, index) => ({
    field: reasons[index]?.field,
    bytes: Buffer.byteLength(JSON.stringify(message)),
    toJSON: () => (redacted ??= redactAll())[index],
  }));
}

/** Runs after the redaction, because a secret that is cut would not be found. */
function shorten(message: unknown): unknown {
  if (isRecord(message))
    return 'message' in message ? { ...message, message: shorten(message['message']) } : message;
  if (typeof message !== 'string' || message.length <= MAX_REASON_LENGTH) return message;
  return truncate(message, MAX_REASON_LENGTH - 1);
}

/** UUIDs, e-mail addresses, and numbers of at least seven digits in any notation of phone numbers, but no dates. */
const PERSONAL =
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|[^\s"'<>@/]{1,64}@[^\s"'<>@/]+|(?<![\d.:])(?!\d{4}-\d\d-\d\d)\+?\(?\d[\d ().-]{5,}\d/gi;

const MAX_PATH_CHARACTERS = 200;

/** Where a URL leads, for the log: its origin and unescaped path. Query, user information and fragment often hold secrets. */
export function redactUrl({ origin, pathname }: URL, secrets: readonly string[]): string {
  const path = unescapeUrl(String(redact(pathname, secrets))).replace(PERSONAL, REDACTED);
  return `${String(redact(origin, secrets))}${truncate(path, MAX_PATH_CHARACTERS)}`;
}

function unescapeUrl(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString(),
  );
}

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

/**
 * Only the beginning of a longer spelling is searched for, which may be all that a message has of it. This also bounds the work:
 * for a token of thousands of equal letters, the native search takes the product of both lengths.
 */
const MAX_PATTERN_LENGTH = 100;

/** The patterns to search for in a text in upper case. */
function patternsOf(secrets: readonly string[]): string[] {
  const spellings = secrets.flatMap((secret) => {
    const text = secret.toWellFormed(); // URLs have U+FFFD for half a surrogate pair
    const formEncoded = new URLSearchParams({ text }).toString().slice('text='.length);
    return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(text), formEncoded];
  });
  return [...new Set(spellings.map((spelling) => spelling.toUpperCase().slice(0, MAX_PATTERN_LENGTH)))];
}

/**
 * A text, and what it says if its escapes are those of JSON, or of URLs: encoders differ in what they escape, such as `/` and `+`. Escapes
 * may seem to begin before a secret, as in `\` and `"`, so its usual spellings are searched for as well.
 */
function readingsOf(text: string): string[] {
  const readings = [
    text,
    text.replaceAll(
      /\\(?:u([\da-f]{4})|(["\\/]))/gi,
      (_escape, unit: string | undefined, character: string) =>
        unit === undefined ? character : String.fromCharCode(parseInt(unit, 16)),
    ),
    unescapeUrl(text),
  ];
  return [...new Set(readings)]; // most texts have no escapes
}
