/** Points in time as text: ISO 8601 with a UTC offset and fractional seconds of any length. */

/** Whether two timestamps are the same instant, to the last fractional digit. A Date would keep three of them. */
export function isSameInstant(one: string, other: string): boolean {
  return instantOf(one) === instantOf(other);
}

/** The last millisecond since 1970 that a timestamp may stand for: a clock is read with more digits than it is written. */
export function latestTimeOf(timestamp: string): number {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  return Date.parse(timestamp) + 10 ** (3 - Math.min(fraction.length, 3));
}

/** Equal for equal instants: whole seconds, and the fraction without trailing zeros. */
function instantOf(timestamp: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  const seconds = Date.parse(timestamp.replace(/\.\d+/, '')) / 1000;
  let length = fraction.length;
  while (fraction[length - 1] === '0') length -= 1;
  return `${seconds}.${fraction.slice(0, length)}`;
}
