/** A regular expression for a range of integers, which JSON Schema has for numbers but not for their text. */

/** Matches the integers from `min` (at least 0) to `max`, with any leading zeros. */
export function integerPattern(min: number, max: number): string {
  const alternatives: string[] = [];
  for (let start = min; start <= max;) {
    const { pattern, next } = largestBlock(start, max);
    alternatives.push(pattern);
    start = next;
  }
  return `^0*(?:${alternatives.join('|')})$`;
}

/** The longest range from `start` whose integers differ in one digit and any digits after it: 20 to 39 are `[2-3]\d`. */
function largestBlock(start: number, max: number): { pattern: string; next: number } {
  const digits = String(start);
  let free = 0;
  while (free < digits.length - 1 && start % 10 ** (free + 1) === 0 && start + 10 ** (free + 1) - 1 <= max)
    free += 1;
  const size = 10 ** free;
  const first = Number(digits.at(-1 - free));
  const last = Math.min(9, first + Math.floor((max - start + 1) / size) - 1);
  const head = digits.slice(0, digits.length - 1 - free);
  const choice = first === last ? String(first) : `[${first}-${last}]`;
  const tail = free === 0 ? '' : free === 1 ? '\\d' : `\\d{${free}}`;
  return { pattern: `${head}${choice}${tail}`, next: start + (last - first + 1) * size };
}
