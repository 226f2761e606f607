/** Points in time as text: ISO 8601 with a UTC offset and fractional seconds of any length. */

/** Whether two timestamps are the same instant, to the last fractional digit. A Date would keep three of them. */
export function isSameInstant(one: string, other: string): boolean {
  return instantOf(one) === instantOf(other);
}

/** Equal for equal instants: whole seconds, and the fraction without trailing zeros. */
function instantOf(timestamp: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  const seconds = Date.parse(timestamp.replace(/\.\d+/, '')) / 1000;
  let length = fraction.length;
  while (fraction[length - 1] === '0') length -= 1;
  return `${seconds}.${fraction.slice(0, length)}`;
}
