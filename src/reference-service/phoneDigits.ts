/** The service's storage format: digits only, with the country code 1 added to a ten-digit US number. */
export function phoneDigits(number: string): string {
  if (number.startsWith('+')) return number.slice(1);
  return number.length === 10 ? `1${number}` : number;
}
