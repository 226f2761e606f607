/** Phone numbers in E.164 format, at both ends of the gateway. */
import { parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js/max';

const E164 = /^\+\d+$/;

/**
 * The number that a caller wrote, in E.164 format, with the United States as default country; undefined when it
 * cannot be one. Only the length is judged, as new ranges of numbers come into use faster than they are listed.
 */
export function readPhoneNumber(text: string): string | undefined {
  const number = parse(text, 'US');
  if (!number?.isPossible()) return undefined;
  // What is in E.164 format already is read as it is, or not at all: a national prefix has no place in it.
  return E164.test(text) && text !== number.number ? undefined : number.number;
}

/**
 * The number that the service holds, in E.164 format; the text itself when it cannot be read as a number. A number
 * that comes out can be sent back, and comes out the same again.
 */
export function showPhoneNumber(text: string): string {
  const isStable = (number: string) =>
    readPhoneNumber(number) === number && readings(number.slice(1))[0] === number;
  return readings(text).find(isStable) ?? text;
}

/**
 * What bare digits or a written number may stand for, the likeliest first: the service may or may not have put the
 * country code before the digits. A number in use goes before what could be one, and the United States go before
 * other countries.
 */
function readings(text: string): string[] {
  const parsed = [parse(text, 'US'), /^\d+$/.test(text) ? parse(`+${text}`) : undefined];
  const possible = parsed.filter((number) => number?.isPossible() === true) as PhoneNumber[];
  const [inUse, others] = [
    possible.filter((each) => each.isValid()),
    possible.filter((each) => !each.isValid()),
  ];
  return [...inUse, ...others].map(({ number }) => number);
}

/** An extension has no place in E.164, so that a text with one is not read. */
function parse(text: string, defaultCountry?: 'US'): PhoneNumber | undefined {
  const number = parsePhoneNumberFromString(text, {
    extract: false,
    ...(defaultCountry && { defaultCountry }),
  });
  return number?.ext === undefined ? number : undefined;
}
