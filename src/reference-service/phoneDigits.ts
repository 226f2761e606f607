/** A phone number as the service keeps it: digits alone, with +1 for a US number without a country code. */
export function phoneDigits(number: string): string {
  if (number.startsWith('+')) return number.slice(1);
  return number.length === 10 ? `1${number}` : number;
}
