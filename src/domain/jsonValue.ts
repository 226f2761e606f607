import { InputRule, type Violation } from '../errors.js';

/** JSON.stringify overflows the stack on values nested much deeper than this. */
const MAX_DEPTH = 100;

/** Whether a value survives JSON unchanged: all numbers finite, nothing undefined, not nested too deeply. */
export function isJsonValue(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return value !== undefined;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return levels > 0 && members.every((member) => isJsonValue(member, levels - 1));
}

/** The violation by a value that is not a JSON value. */
export const jsonViolation: Violation = {
  rule: InputRule.Json,
  limit: MAX_DEPTH,
  message: `expected JSON nested at most ${MAX_DEPTH} levels deep`,
};
