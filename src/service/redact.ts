/** Removes secrets from the service's messages. */

const REDACTED = '[redacted]';

/** Shorter strings are not redacted: they occur by chance, and replacing them would garble the message. */
const MIN_SECRET_LENGTH = 4;

/** Replaces secrets in a JSON value: verbatim, URL-encoded and JSON-escaped, in any letter case. */
export function redact(value: unknown, secrets: readonly string[]): unknown {
  const forms = [...new Set(secrets.flatMap(encodedForms))]
    .filter((form) => form.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length); // longest first: a secret may contain another one
  if (forms.length === 0) return value;
  const anyForm = new RegExp(forms.map(escapeForRegExp).join('|'), 'gi');
  const redactText = (text: string) => text.replace(anyForm, REDACTED);

  const redactValue = (part: unknown): unknown => {
    if (typeof part === 'string') return redactText(part);
    if (typeof part === 'number') return forms.includes(String(part)) ? REDACTED : part;
    if (Array.isArray(part)) return part.map(redactValue);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, member]) => [redactText(key), redactValue(member)]),
    );
  };
  return redactValue(value);
}

/** Every string and number within a JSON value. */
export function collectScalars(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(collectScalars);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}

/** Limits what clients get of many or long messages. */
export function truncateMessages(messages: readonly unknown[]): unknown[] {
  let characters = 0;
  return messages.slice(0, 20).filter((message) => {
    characters += JSON.stringify(message).length;
    return characters <= 10_000;
  });
}

/** The forms in which a message may name the host. A bare host name without a dot could be any word, so it stays. */
export function hostForms({ origin, host, hostname }: URL): string[] {
  return [
    origin,
    `//${host}`,
    ...(host === hostname ? [] : [host]),
    ...(/[.:]/.test(hostname) ? [hostname] : []),
  ];
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function encodedForms(secret: string): string[] {
  const formEncoded = new URLSearchParams({ secret }).toString().slice('secret='.length);
  return [
    secret,
    formEncoded,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
  ];
}
