/** The service's words and notations: shipment statuses, recipient types, phone numbers (E.164 for clients) and timestamps. */
import { parseDigits, parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js/max';
import { LRUCache } from 'lru-cache';
import { linkTarget } from '../domain/text.js';
import { ShipmentStatus } from '../generated/enums.js';

export const serviceSubtypes: Readonly<Record<ShipmentStatus, string>> = {
  EN_ROUTE: 'ShipmentStatusEnRoute',
  AT_SHIPPER: 'ShipmentStatusAtShipper',
  IN_TRANSIT: 'ShipmentStatusInTransit',
  AT_CONSIGNEE: 'ShipmentStatusAtConsignee',
  DELIVERED: 'ShipmentStatusDelivered',
};

const statuses = new Map(Object.values(ShipmentStatus).map((status) => [serviceSubtypes[status], status]));

/** The status for a subtype of the service; undefined if the enum has none. */
export function toShipmentStatus(subtype: string): ShipmentStatus | undefined {
  return statuses.get(subtype);
}

/** Label of the only notification type that the interface document describes (Notification, request for creation). */
export const SHIPMENT_STATUS_CHANGE = 'shipmentStatusChange';

/** Whether a label means shipment statuses. Case-insensitive, as recipient types are. */
export function isShipmentStatusChange(label: string): boolean {
  return label === SHIPMENT_STATUS_CHANGE || label.toLowerCase() === SHIPMENT_STATUS_CHANGE.toLowerCase();
}

/** The recipient types of the interface document, spelled as in its rules. */
export const RecipientType = { ShipmentLevel: 'shipmentLevel', StopLevel: 'stopLevel' } as const;
export type RecipientType = (typeof RecipientType)[keyof typeof RecipientType];

const knownTypes = new Map<string, RecipientType>(
  Object.values(RecipientType).map((type) => [type.toLowerCase(), type]),
);

/** The documented recipient type for a spelling. Case-insensitive: the document's own examples differ in case. */
export function knownRecipientType(spelling: string): RecipientType | undefined {
  return knownTypes.get(spelling.toLowerCase());
}

/** The additional fields of notifications of each recipient type. */
export const recipientFields = {
  [RecipientType.ShipmentLevel]: ['emailList', 'smsList'],
  [RecipientType.StopLevel]: ['notifyStopContactsByEmail', 'notifyStopContactsBySms'],
} as const;

/** Country code 1 with ten digits, the first of which is neither 0 nor 1. */
const NORTH_AMERICAN = /^\+?1[2-9]\d{9}$/;

/**
 * Country code 1 with an area code and an exchange that start with 2 to 9 (North American Numbering Plan), in E.164 format. `isValid()` of
 * the library would also look for the area code in its list, and reject those that are newer, such as 483. N11 codes, such as 911, pass:
 * toll-free numbers have such exchanges.
 */
const NANP_NUMBER = /^\+1(?:[2-9]\d{2}){2}\d{4}$/;
/** The digits before those ten: none, the country code, or the international prefix with it. A trunk prefix of 1 would be a second 1. */
const NANP_PREFIX = /^(?:(?:011)?1)?$/;

/** Longer texts are not phone numbers. E.164 allows 15 digits, so this leaves room for any punctuation. */
const MAX_TEXT_LENGTH = 100;

const NO_NUMBER = { expectation: 'a phone number in E.164 format, or a US number' };
const NOT_ALONE = { expectation: 'a phone number without an extension or other parameters' };
const ROUNDED = { expectation: 'a phone number with all its digits, and without decimals' };
const NOT_IN_PLAN = {
  expectation:
    'a phone number whose area code and exchange start with 2 to 9, as all of country code 1 do (North American Numbering Plan)',
};

/**
 * Parses a client's phone number, or the link to one, with the United States as default country. Returns it in E.164 format, or what is
 * expected of it.
 */
export function parsePhoneNumber(text: string) {
  if (text.length > MAX_TEXT_LENGTH) return NO_NUMBER;
  return NANP_NUMBER.test(text) ? { number: text } : parseWithLibrary(text);
}

const E164 = /^\+\d+$/;
/** A number as spreadsheets and data frames write it. */
const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i;
/** One group of digits with decimals, or any groups with `.0` or `,00` at the end, if that separator is nowhere else. */
const DECIMALS = /^\D*\d+[.,]\d{1,3}$|^[^.]*\.0{1,2}$|^[^,]*,0{1,2}$/;
/** The last group of a number of country code 1 has four digits: zeros that stand alone come from a number, too. */
const LONE_ZEROS = /\D0{1,2}$/;
/** A US number behind a plus sign, which the library reads as a number of another country: `+(651) 234-5678` as one of Singapore. */
const PLUS_AREA_CODE = /^\+\s*\(\d{3}\)(?:\D*\d){7}\D*$/;
/** A parameter of a `tel` URI other than the extension (RFC 3966 §3): without its context, a local number is another number. */
const URI_PARAMETER = /;(?!ext=)[\w-]+=/i;

function parseWithLibrary(given: string) {
  const text = linkTarget(given, 'tel').replaceAll(/\s/g, ' '); // the library knows none of the narrow spaces
  if (URI_PARAMETER.test(text)) return NOT_ALONE;
  const parsed = parse(text, 'US');
  if (hasDecimals(text, parsed) || SCIENTIFIC.test(text)) return ROUNDED;
  if (parsed?.ext !== undefined) return NOT_ALONE;
  // `isValid()` would reject numbers that are kept for fiction, such as +44 7700 900123, and ranges that are newer than its list.
  if (parsed?.isPossible() !== true || PLUS_AREA_CODE.test(text)) return NO_NUMBER;
  const { number } = parsed;
  if (number.startsWith('+1')) {
    const isWhole = NANP_PREFIX.test(parseDigits(text).slice(0, -10));
    return isWhole && NANP_NUMBER.test(number) ? { number } : NOT_IN_PLAN;
  }
  // E.164 input must come out unchanged: it cannot contain a national prefix that the library would strip.
  return E164.test(text) && text !== number ? NO_NUMBER : { number };
}

/** The library takes decimals for digits: `303555010.0`, which lacks a digit, would be the phone number of somebody else. */
function hasDecimals(text: string, parsed: PhoneNumber | undefined): boolean {
  // The library reads digits of any script, and full-width punctuation.
  const plain = text
    .normalize('NFKC')
    .replaceAll(/\p{Nd}/gu, parseDigits)
    .replace(/\D+$/, '');
  const mayHaveZeros = parsed?.countryCallingCode === '1' && parsed.ext === undefined;
  return DECIMALS.test(plain) || (mayHaveZeros && LONE_ZEROS.test(plain));
}

/** How a phone number is sent where the service does not document its format. */
export const phoneFormats = ['e164', 'digits', 'unchanged'] as const;
export type PhoneFormat = (typeof phoneFormats)[number];

/** Parsing a number takes longer than everything else that its field needs. */
const formattedNumbers = new LRUCache<string, string>({ max: 10_000, memoMethod: guessPhoneNumber });
/** Longer strings are not numbers and would only fill the cache. */
const MAX_CACHED_LENGTH = 32;

/**
 * Formats a number of the service as E.164; strings that are not phone numbers are returned unchanged. A formatted number is formatted
 * the same again. Unlike the number of a client, it may be outside of the North American Numbering Plan: it is what the service has.
 */
export function formatPhoneNumber(text: string): string {
  // Digits that match this pattern have no other interpretation.
  if (NORTH_AMERICAN.test(text)) return text.startsWith('+') ? text : `+${text}`;
  return text.length > MAX_CACHED_LENGTH ? guessPhoneNumber(text) : formattedNumbers.memo(text);
}

function guessPhoneNumber(text: string): string {
  if (hasDecimals(text, possibleNumber(text, 'US'))) return text;
  const isStable = (number: string) =>
    possibleNumber(number, 'US')?.number === number && candidateNumbers(number.slice(1))[0] === number;
  return candidateNumbers(text).find(isStable) ?? text;
}

/**
 * Interpretations of the service's digits, most likely first: they may or may not start with the country code. Valid
 * numbers come before merely possible ones, and US numbers before numbers of other countries.
 */
function candidateNumbers(text: string): string[] {
  const parsed = [possibleNumber(text, 'US'), /^\d+$/.test(text) ? possibleNumber(`+${text}`) : undefined];
  return parsed
    .filter((number) => number !== undefined)
    .sort((one, other) => Number(other.isValid()) - Number(one.isValid()))
    .map(({ number }) => number);
}

/** Leaves out numbers with an extension: E.164 cannot express it. */
function possibleNumber(...text: Parameters<typeof parse>): PhoneNumber | undefined {
  const number = parse(...text);
  return number?.ext === undefined && number?.isPossible() === true ? number : undefined;
}

function parse(text: string, defaultCountry?: 'US'): PhoneNumber | undefined {
  return parsePhoneNumberFromString(text, { extract: false, ...(defaultCountry && { defaultCountry }) });
}

/** Whether two timestamps are the same instant, to the last fractional digit. A Date would keep three of them. */
export function isSameInstant(one: string, other: string): boolean {
  return instantOf(one) === instantOf(other);
}

/** Whether a timestamp is before another, to the last fractional digit; false unless both are texts. */
export function isBefore(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && instantOf(one) < instantOf(other);
}

/** The last millisecond since 1970 that a timestamp may stand for: a clock is read with more digits than it is written. */
export function latestTimeOf(timestamp: string): number {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  return Date.parse(timestamp) + 10 ** (3 - Math.min(fraction.length, 3));
}

/** A text that compares as the instant does: in UTC, with all fractional digits but zeros at the end. */
function instantOf(timestamp: string): string {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  const seconds = new Date(timestamp.replace(/\.\d+/, '')).toISOString().slice(0, -'.000Z'.length);
  return `${seconds}.${fraction.replace(/(?<!0)0+$/, '')}`;
}
