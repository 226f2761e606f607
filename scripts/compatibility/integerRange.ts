/** The range of a variable that is an integer, measured by what its parser accepts. */

/** Digits that src/config/variableSchemas.ts allows. */
const MAX_INTEGER = 10 ** 15 - 1;

/** A range holds at least one of these, or the default. */
const SAMPLES = ['1', '0', '65536'];

/** Empty if the variable is no integer. `parse` returns undefined for invalid text, and the default for undefined. */
export function integerRange(parse: (text: string | undefined) => unknown): {
  minimum?: number;
  maximum?: number;
} {
  const accepts = (number: number) => parse(String(number)) === number;
  const inside = [parse(undefined), ...SAMPLES.map(Number)].find(
    (sample): sample is number => typeof sample === 'number' && accepts(sample),
  );
  if (inside === undefined) return {};
  return { minimum: lastAccepted(inside, 0, accepts), maximum: lastAccepted(inside, MAX_INTEGER, accepts) };
}

/** Bisects between an accepted number and the end of the search, which may be accepted, too. */
function lastAccepted(inside: number, end: number, accepts: (number: number) => boolean): number {
  if (accepts(end)) return end;
  let accepted = inside;
  let rejected = end;
  while (Math.abs(rejected - accepted) > 1) {
    const middle = Math.trunc((accepted + rejected) / 2);
    if (accepts(middle)) accepted = middle;
    else rejected = middle;
  }
  return accepted;
}
