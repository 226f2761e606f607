/** Phone numbers in E.164 format, at both ends of the gateway. */
import { parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js/max';

/**
 * The number that a caller wrote, in E.164 format, with the United States as default country; undefined when it
 * cannot be one. Only the length is judged, as new ranges of numbers come into use faster than they are listed.
 */
export function readPhoneNumber(text: string): string | undefined {
  const number = parse(text, 'US');
  return number?.isPossible() ? number.number : undefined;
}

/**
 * The number that the service holds, in E.164 format; the text itself when it cannot be read as a number. The
 * service holds bare digits, whose first may or may not be a country code: what is a number in use goes before
 * what could be one, and the United States go before other countries.
 */
export function showPhoneNumber(text: string): string {
  const readings = [parse(text, 'US'), /^\d+$/.test(text) ? parse(`+${text}`) : undefined].filter(
    (reading) => reading !== undefined,
  );
  const reading = readings.find((each) => each.isValid()) ?? readings.find((each) => each.isPossible());
  return reading?.number ?? text;
}

/** An extension has no place in E.164, so that a text with one is not read. */
function parse(text: string, defaultCountry?: 'US'): PhoneNumber | undefined {
  const number = parsePhoneNumberFromString(text, {
    extract: false,
    ...(defaultCountry && { defaultCountry }),
  });
  return number?.ext === undefined ? number : undefined;
}
