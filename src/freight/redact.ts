/** Removes secrets from the service's messages. */
import { createSecretMatcher, mergeRanges, type Range } from './secretMatcher.js';

const REDACTED = '[redacted]';

/**
 * Replaces secrets in a JSON value, in any letter case: verbatim, and in any nesting of the escapes of JSON, URLs, forms
 * and HTML, in which messages quote requests. A number is a secret if its absolute value is. A secret that the service
 * encodes in another way (base64, a hash) is not recognized.
 *
 * Overlapping and touching occurrences become one placeholder. Clients choose their own secret, the token, so it is
 * searched for only in the text between the operator's secrets: one that matches part of these changes nothing.
 */
export function redact(
  value: unknown,
  operatorSecrets: readonly string[],
  clientSecrets: readonly string[] = [],
): unknown {
  const operator = createSecretMatcher(operatorSecrets);
  const client = createSecretMatcher(clientSecrets);

  const redactText = (text: string) => {
    const operatorRanges = operator.findIn(text);
    const clientRanges = gapsBetween(operatorRanges, text.length).flatMap(([start, end]) =>
      client.findIn(text.slice(start, end)).map(([from, to]): Range => [start + from, start + to]),
    );
    return replaceRanges(text, mergeRanges([...operatorRanges, ...clientRanges]));
  };
  const redactValue = (part: unknown): unknown => {
    if (typeof part === 'string') return redactText(part);
    if (typeof part === 'number') return operator.has(part) || client.has(part) ? REDACTED : part;
    if (Array.isArray(part)) return part.map(redactValue);
    if (typeof part !== 'object' || part === null) return part;
    const unique = createUniqueNames();
    return Object.fromEntries(
      Object.entries(part).map(([key, member]) => [unique(redactText(key)), redactValue(member)]),
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

function gapsBetween(ranges: readonly Range[], length: number): Range[] {
  const starts = [0, ...ranges.map(([, end]) => end)];
  const ends = [...ranges.map(([start]) => start), length];
  return starts.map((start, index) => [start, ends[index] ?? length]);
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  return gapsBetween(ranges, text.length)
    .map(([start, end]) => text.slice(start, end))
    .join(REDACTED);
}

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
