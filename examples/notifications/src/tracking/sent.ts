/**
 * What was sent from this device within a day, so that a row is found that is pasted once more, or into another tab. Of each row, there is a
 * digest alone: no phone number outlives the tab.
 */
import type { Row } from './rows';

interface Sent {
  /** The idempotency key: the gateway writes nothing twice with the same one. */
  key: string;
  /** In milliseconds since the epoch. */
  at: number;
}

const PREFIX = 'sent:';
const MAX_AGE_MS = 86_400_000;

/** SHA-256 of the values as the gateway sends them, in hexadecimal. */
export async function digestOf({ reference, vehicle, carrier, phone }: Row): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([reference, vehicle, carrier, phone]));
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function sentWith(digest: string): Sent | undefined {
  const sent = JSON.parse(localStorage.getItem(PREFIX + digest) ?? 'null') as Sent | null;
  return sent && isKept(sent) ? sent : undefined;
}

/** Before it is sent: another tab may ask meanwhile. Each has an entry of its own, because tabs write at the same time. */
export function remember(digest: string, key: string): void {
  localStorage.setItem(PREFIX + digest, JSON.stringify({ key, at: Date.now() } satisfies Sent));
}

/** It was not sent after all. */
export function forget(digest: string, key: string): void {
  if (sentWith(digest)?.key === key) localStorage.removeItem(PREFIX + digest);
}

/** Removes what is older than a day. */
export function forgetOld(): void {
  for (const name of Object.keys(localStorage))
    if (name.startsWith(PREFIX) && !sentWith(name.slice(PREFIX.length))) localStorage.removeItem(name);
}

const isKept = ({ at }: Sent) => Date.now() - at < MAX_AGE_MS;
