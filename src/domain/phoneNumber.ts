/** Phone numbers in E.164 format, at both ends of the gateway. */
import { parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js/max';
import { LRUCache } from 'lru-cache';

const E164 = /^\+\d+$/;
/** Under the country code 1 every number has ten digits, of which the first is not 0 or 1. */
const NORTH_AMERICAN = /^\+?(1[2-9]\d{9})$/;

/**
 * The number that a caller wrote, in E.164 format, with the United States as default country; undefined when it
 * cannot be one. Only the length is judged, as new ranges of numbers come into use faster than they are listed.
 */
export function parsePhoneNumber(text: string): string | undefined {
  if (text.startsWith('+') && NORTH_AMERICAN.test(text)) return text;
  return parseWithLibrary(text);
}

/** The same without a short cut. */
export function parseWithLibrary(text: string): string | undefined {
  const number = parse(text, 'US');
  if (!number?.isPossible()) return undefined;
  // What is in E.164 format already is read as it is, or not at all: a national prefix has no place in it.
  return E164.test(text) && text !== number.number ? undefined : number.number;
}

/** Numbers that are kept as they are shown: reading one takes longer than all else that is done with its field. */
const formattedNumbers = new LRUCache<string, string>({ max: 10_000 });
/** A longer text is no number, and would take room. */
const MAX_CACHED_LENGTH = 32;

/**
 * The number that the service holds, in E.164 format; the text itself when it cannot be read as a number. A number
 * that comes out can be sent back, and comes out the same again.
 */
export function formatPhoneNumber(text: string): string {
  // Bare digits with that country code mean nothing else.
  const [, digits] = NORTH_AMERICAN.exec(text) ?? [];
  if (digits !== undefined) return `+${digits}`;
  const cached = formattedNumbers.get(text);
  if (cached !== undefined) return cached;
  const number = guessPhoneNumber(text);
  if (text.length <= MAX_CACHED_LENGTH) formattedNumbers.set(text, number);
  return number;
}

/** The same without knowing a text from before. */
export function guessPhoneNumber(text: string): string {
  const isStable = (number: string) =>
    parseWithLibrary(number) === number && candidateNumbers(number.slice(1))[0] === number;
  return candidateNumbers(text).find(isStable) ?? text;
}

/**
 * What bare digits or a written number may stand for, the likeliest first: the service may or may not have put the
 * country code before the digits. A number in use goes before what could be one, and the United States go before
 * other countries.
 */
function candidateNumbers(text: string): string[] {
  const parsed = [parse(text, 'US'), /^\d+$/.test(text) ? parse(`+${text}`) : undefined];
  const possible = parsed.filter((number) => number?.isPossible() === true) as PhoneNumber[];
  const [valid, others] = [
    possible.filter((each) => each.isValid()),
    possible.filter((each) => !each.isValid()),
  ];
  return [...valid, ...others].map(({ number }) => number);
}

/** An extension has no place in E.164, so that a text with one is not read. */
function parse(text: string, defaultCountry?: 'US'): PhoneNumber | undefined {
  const number = parsePhoneNumberFromString(text, {
    extract: false,
    ...(defaultCountry && { defaultCountry }),
  });
  return number?.ext === undefined ? number : undefined;
}
