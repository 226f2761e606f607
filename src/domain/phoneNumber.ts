/** Phone numbers: clients get and send E.164 format, the service stores several notations. */
import { parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js/max';
import { LRUCache } from 'lru-cache';

const E164 = /^\+\d+$/;
/** Country code 1 with ten digits, the first of which is neither 0 nor 1. */
const NORTH_AMERICAN = /^\+?(1[2-9]\d{9})$/;

/** Longer texts are no phone numbers. E.164 allows 15 digits, so this leaves room for any punctuation. */
const MAX_TEXT_LENGTH = 100;

/** Caches parsed texts, so that a text that repeats within a request is parsed once: parsing takes up to 35 µs. */
const parsedNumbers = new LRUCache<string, { number: string | undefined }>({ max: 10_000 });

/**
 * Parses a client's phone number into E.164 format, with the United States as default country; undefined if it cannot
 * be a number. Validates only the length: new number ranges come into use faster than the library lists them.
 */
export function parsePhoneNumber(text: string): string | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  if (text.startsWith('+') && NORTH_AMERICAN.test(text)) return text;
  const cached = parsedNumbers.get(text);
  if (cached) return cached.number;
  const own = copyOf(text);
  const number = parseWithLibrary(own);
  parsedNumbers.set(own, { number });
  return number;
}

/** The same text without a reference to another: a literal is a slice of its document, which a cache would keep with it. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** `parsePhoneNumber` without its fast path and cache. */
export function parseWithLibrary(text: string): string | undefined {
  const number = parse(text, 'US');
  if (!number?.isPossible()) return undefined;
  // E.164 input must come out unchanged: it cannot contain a national prefix that the library would strip.
  return E164.test(text) && text !== number.number ? undefined : number.number;
}

/** Caches formatted numbers: parsing one takes longer than everything else that its field needs. */
const formattedNumbers = new LRUCache<string, string>({ max: 10_000 });
/** Longer strings are not numbers and would only fill the cache. */
const MAX_CACHED_LENGTH = 32;

/**
 * Formats a number of the service as E.164; strings that are not phone numbers are returned unchanged. A formatted
 * number can be sent back and is then formatted the same again.
 */
export function formatPhoneNumber(text: string): string {
  // Digits that match this pattern have no other interpretation.
  const [, digits] = NORTH_AMERICAN.exec(text) ?? [];
  if (digits !== undefined) return `+${digits}`;
  const cached = formattedNumbers.get(text);
  if (cached !== undefined) return cached;
  const number = guessPhoneNumber(text);
  if (text.length <= MAX_CACHED_LENGTH) formattedNumbers.set(text, number);
  return number;
}

/** `formatPhoneNumber` without its fast path and cache. */
export function guessPhoneNumber(text: string): string {
  const isStable = (number: string) =>
    parseWithLibrary(number) === number && candidateNumbers(number.slice(1))[0] === number;
  return candidateNumbers(text).find(isStable) ?? text;
}

/**
 * Interpretations of the service's digits, most likely first: they may or may not start with the country code. Valid
 * numbers come before merely possible ones, and US numbers before those of other countries.
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

/** Rejects numbers with an extension: E.164 cannot express it. */
function parse(text: string, defaultCountry?: 'US'): PhoneNumber | undefined {
  const number = parsePhoneNumberFromString(text, {
    extract: false,
    ...(defaultCountry && { defaultCountry }),
  });
  return number?.ext === undefined ? number : undefined;
}
