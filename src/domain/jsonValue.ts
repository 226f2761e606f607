/** Values that can be written as JSON, and read again. */

/** Writing a value that is nested much deeper fails for want of stack. */
const MAX_DEPTH = 100;

/** Whether JSON can hold a value as it is: no number beyond bounds, nothing undefined, and not nested too deep. */
export function isJsonValue(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return value !== undefined;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return levels > 0 && members.every((member) => isJsonValue(member, levels - 1));
}

export const JSON_EXPECTATION = `JSON that is nested at most ${MAX_DEPTH} levels deep`;
