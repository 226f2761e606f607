/** What the app knows of each row of the list, by its key, and the package does not. It survives a reload, as the list does. */
export interface Facts {
  /** Its row in the sheet. */
  number?: number;
  /** When the same row was sent before, in milliseconds since the epoch. */
  sentBefore?: number;
  /** Whether a person wants it sent once more. */
  isWanted?: boolean;
}

const KEY = 'tracking-facts';
const facts = new Map(
  Object.entries(JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, Facts>),
);

export const factsOf = (key: string): Facts => facts.get(key) ?? {};

/** Adds to what is known of rows. Those of other lists are forgotten. */
export function learn(
  changes: readonly (readonly [key: string, facts: Facts])[],
  keys: Iterable<string>,
): void {
  for (const [key, change] of changes) facts.set(key, { ...facts.get(key), ...change });
  const listed = new Set(keys);
  for (const key of facts.keys()) if (!listed.has(key)) facts.delete(key);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(facts)));
  } catch {
    // It is full: after a reload, rows are shown as they were pasted.
  }
}
