/**
 * The service's words and notations: shipment statuses, recipient types, phone numbers, of which clients get and send E.164
 * format while the service stores several notations, and timestamps, in ISO 8601 with a UTC offset and fractional seconds of
 * any length.
 */
import { parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js/max';
import { LRUCache } from 'lru-cache';

/** Values of the GraphQL enum `ShipmentStatus`, each with the service's subtype for it; a test compares them with the SDL. */
const subtypes = {
  EN_ROUTE: 'ShipmentStatusEnRoute',
  AT_SHIPPER: 'ShipmentStatusAtShipper',
  IN_TRANSIT: 'ShipmentStatusInTransit',
  AT_CONSIGNEE: 'ShipmentStatusAtConsignee',
  DELIVERED: 'ShipmentStatusDelivered',
} as const;
export type ShipmentStatus = keyof typeof subtypes;

export const shipmentStatuses = Object.keys(subtypes) as readonly ShipmentStatus[];

const statuses = new Map<string, ShipmentStatus>(
  shipmentStatuses.map((status) => [subtypes[status], status]),
);

export function toServiceSubtype(status: ShipmentStatus): string {
  return subtypes[status];
}

/** The status for a subtype of the service; undefined if the enum has none. */
export function toShipmentStatus(subtype: string): ShipmentStatus | undefined {
  return statuses.get(subtype);
}

/** Label of the only notification type that the interface document describes (Notification, request for creation). */
export const SHIPMENT_STATUS_CHANGE = 'shipmentStatusChange';

/** Whether a label is that of shipment statuses. Case-insensitive, as recipient types are. */
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

const E164 = /^\+\d+$/;
/** Country code 1 with ten digits, the first of which is neither 0 nor 1. */
const NORTH_AMERICAN = /^\+?1[2-9]\d{9}$/;

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

/** How a phone number is sent where the service does not document its format. */
export const phoneFormats = ['e164', 'digits', 'unchanged'] as const;
export type PhoneFormat = (typeof phoneFormats)[number];

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
  if (NORTH_AMERICAN.test(text)) return text.startsWith('+') ? text : `+${text}`;
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

/** Whether two timestamps are the same instant, to the last fractional digit. A Date would keep three of them. */
export function isSameInstant(one: string, other: string): boolean {
  return instantOf(one).join('.') === instantOf(other).join('.');
}

/** Whether a timestamp is before another, to the last fractional digit. */
export function isBefore(one: string, other: string): boolean {
  const [seconds, fraction] = instantOf(one);
  const [otherSeconds, otherFraction] = instantOf(other);
  return seconds === otherSeconds ? fraction < otherFraction : seconds < otherSeconds;
}

/** The last millisecond since 1970 that a timestamp may stand for: a clock is read with more digits than it is written. */
export function latestTimeOf(timestamp: string): number {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  return Date.parse(timestamp) + 10 ** (3 - Math.min(fraction.length, 3));
}

/** Equal for equal instants: whole seconds, and the fraction without trailing zeros, so that texts compare as numbers do. */
function instantOf(timestamp: string): [seconds: number, fraction: string] {
  const [, fraction = ''] = /\.(\d+)/.exec(timestamp) ?? [];
  const seconds = Date.parse(timestamp.replace(/\.\d+/, '')) / 1000;
  let length = fraction.length;
  while (fraction[length - 1] === '0') length -= 1;
  return [seconds, fraction.slice(0, length)];
}
