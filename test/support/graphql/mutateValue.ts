import type { SeededRandom } from '../tools/seededRandom.js';

// oxfmt-ignore
const UNEXPECTED = [
  null, true, 5, -1.5, 2 ** 40, '', 'EN_ROUTE', [], [null], ['x'], {}, { color: 'red' },
] as const;
const NAMES = ['color', 'toString', '__proto__', 'mc', 'stopLevel', 'other', 'additionalParameters'] as const;

/** A copy of a JSON value with one random change: a value replaced, removed, added or wrapped in a list. */
export function mutateValue(random: SeededRandom, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.happens(0.2)) {
    return random.happens(0.2) ? [value] : structuredClone(random.pick<unknown>(UNEXPECTED));
  }
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  const chosen = entries[at];
  const changed: [string, unknown][] =
    chosen === undefined
      ? [...entries, [random.pick(NAMES), structuredClone(random.pick<unknown>(UNEXPECTED))]]
      : entries.flatMap((entry, index) => {
          if (index !== at) return [entry];
          return random.happens(0.2) ? [] : [[entry[0], mutateValue(random, entry[1])] as [string, unknown]];
        });
  return Array.isArray(value) ? changed.map(([, element]) => element) : Object.fromEntries(changed);
}
