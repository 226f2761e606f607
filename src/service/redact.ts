/** Keeping secrets out of what the service says in its messages. */

const REDACTED = '[redacted]';

/** A shorter text is no secret, and its replacement would spoil what it stands in by chance. */
const MIN_SECRET_LENGTH = 4;

/** The JSON value with every secret in it replaced: as it is, as a query or JSON would hold it, and in any case. */
export function redact(value: unknown, secrets: readonly string[]): unknown {
  const forms = [...new Set(secrets.flatMap(encodedForms))]
    .filter((form) => form.length >= MIN_SECRET_LENGTH)
    .sort((one, other) => other.length - one.length); // one that holds another goes first, and as a whole
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

/** What a caller is shown of many or long messages: the first of them. */
export function truncateMessages(messages: readonly unknown[]): unknown[] {
  let characters = 0;
  return messages.slice(0, 20).filter((message) => {
    characters += JSON.stringify(message).length;
    return characters <= 10_000;
  });
}

/** The forms in which a text may name the service; a bare name without a dot may be any word. */
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
  const inForm = new URLSearchParams({ secret }).toString().slice('secret='.length);
  return [secret, inForm, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
}
