import type { GraphQLEnumType } from 'graphql';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  formatPhoneNumber,
  guessPhoneNumber,
  parsePhoneNumber,
  parseWithLibrary,
  shipmentStatuses,
  toServiceSubtype,
  toShipmentStatus,
  type ShipmentStatus,
} from '../../src/freight/vocabulary.js';
import type { ShipmentStatus as GeneratedShipmentStatus } from '../../src/generated/resolvers.js';
import { createSchema } from '../../src/graphql/schema.js';
import { seededRandom } from '../support/tools/seededRandom.js';

describe('shipment statuses', () => {
  test('are exactly the values of the GraphQL enum', () => {
    const { ShipmentStatus: enumType } = createSchema().getTypeMap();
    const names = (enumType as GraphQLEnumType).getValues().map(({ name }) => name);
    expect([...shipmentStatuses].sort()).toEqual(names.sort());
    expectTypeOf<ShipmentStatus>().toEqualTypeOf<GeneratedShipmentStatus>(); // checked by tsc
  });

  test.each(shipmentStatuses)('map to a subtype of the service and back: %s', (status) => {
    expect(toShipmentStatus(toServiceSubtype(status))).toBe(status);
  });

  test.each(['', 'DELIVERED', 'shipmentstatusdelivered', 'ShipmentStatusDelayed', 'toString'])(
    'do not include the subtype %j',
    (subtype) => {
      expect(toShipmentStatus(subtype)).toBeUndefined();
    },
  );
});

describe('parsePhoneNumber', () => {
  test.each([
    '3035550100',
    '13035550100',
    '+13035550100',
    '+1 303 555 0100',
    '1 (303) 555-0100',
    '1-303-555-0100',
    '(303) 555-0100',
    '(303)555-0100',
    '303-555-0100',
    '303.555.0100',
    '303 555 0100',
    ' 3035550100 ',
    '３０３５５５０１００',
  ])('parses the US number %j', (text) => {
    expect(parsePhoneNumber(text)).toBe('+13035550100');
  });

  test.each([
    ['+447911123456', '+447911123456'],
    ['+44 7911 123456', '+447911123456'],
    ['+44 (0)7911 123456', '+447911123456'],
    ['011 44 7911 123456', '+447911123456'],
    ['+49 30 123456', '+4930123456'],
    ['+525512345678', '+525512345678'],
    ['+15145550112', '+15145550112'],
  ])('parses %j with its country code as %s', (text, number) => {
    expect(parsePhoneNumber(text)).toBe(number);
  });

  test.each([
    ['5555555555', '+15555555555'],
    ['4930123456', '+14930123456'],
  ])('parses the ten digits %j as the US number %s, whether or not it is in use', (text, number) => {
    expect(parsePhoneNumber(text)).toBe(number);
  });

  test.each([
    '',
    ' ',
    '+',
    '12',
    '911',
    '5550100',
    '555-0100',
    '+1303555010',
    '+130355501000',
    '447911123456',
    '07911123456',
    '+999123456',
    '12345678901234567',
    'call me',
    '1-800-FLOWERS',
    '303-555-0100 ext 5',
    '303-555-0100 x5',
    '+13035550100;ext=5',
    'tel:+13035550100',
    '3035550100 or 3035550101',
    'my number is 3035550100',
    '++13035550100',
    '+13035550100\n',
  ])('rejects %j', (text) => {
    expect(parsePhoneNumber(text)).toBeUndefined();
  });
});

/** Numbers as the service stores them, and in E.164 format. */
const formattable: [stored: string, number: string][] = [
  // US numbers with and without country code
  ['13035550100', '+13035550100'],
  ['3035550100', '+13035550100'],
  ['+13035550100', '+13035550100'],
  ['(303) 555-0100', '+13035550100'],
  // Digits from other countries: a valid number takes precedence over a possible US number.
  ['447911123456', '+447911123456'],
  ['4930123456', '+4930123456'],
  ['4915112345678', '+4915112345678'],
  ['525512345678', '+525512345678'],
  ['819012345678', '+819012345678'],
  ['15145550112', '+15145550112'],
  ['+447911123456', '+447911123456'],
  // Valid nowhere: the US takes precedence.
  ['5555555555', '+15555555555'],
];

describe('formatPhoneNumber', () => {
  test.each(formattable)('formats %j as %s, which can be sent back', (stored, number) => {
    expect(formatPhoneNumber(stored)).toBe(number);
    expect(formatPhoneNumber(number)).toBe(number);
    expect(parsePhoneNumber(number)).toBe(number);
  });

  test.each(['385007418557', '49009548502', '4400001234567', '+610084674'])(
    'formats %j so that formatting it again changes nothing',
    (stored) => {
      const number = formatPhoneNumber(stored);
      expect(formatPhoneNumber(number)).toBe(number);
      expect([number, undefined]).toContain(parsePhoneNumber(number));
    },
  );

  test.each([
    ...['', ' ', '+', '12', '911', '5550100', '0013035550100', '+999123456', '12345678901234567'],
    ...['call me', '1-800-FLOWERS', '3035550100 ext 5', '3035550100x5', 'tel:+13035550100'],
  ])('returns %j, which is not a phone number, unchanged', (stored) => {
    expect(formatPhoneNumber(stored)).toBe(stored);
    expect(parsePhoneNumber(stored)).toBeUndefined();
  });
});

test('a parsed number is not changed by formatting or by parsing it again', () => {
  const numbers = ['(303) 555-0100', '+44 (0)7911 123456', '4930123456', '5555555555'].map(parsePhoneNumber);
  expect(numbers).toEqual(['+13035550100', '+447911123456', '+14930123456', '+15555555555']);
  expect(numbers.map((number = '') => formatPhoneNumber(number))).toEqual(numbers);
  expect(numbers.map((number = '') => parsePhoneNumber(number))).toEqual(numbers);
});

describe('the fast path and the cache of formatPhoneNumber change no result', () => {
  const random = seededRandom('phone numbers');
  const digits = (count: number) => Array.from({ length: count }, () => random.below(10)).join('');
  const texts = Array.from(
    { length: 3000 },
    (_, index) =>
      [`1${digits(10)}`, `+1${digits(10)}`, digits(10), `+${digits(11)}`, digits(random.below(16))][
        index % 5
      ],
  ) as string[];

  test('for numbers of North America and elsewhere', () => {
    expect(texts.map(formatPhoneNumber)).toEqual(texts.map(guessPhoneNumber));
  });

  test('for repeated calls', () => {
    expect(texts.map(formatPhoneNumber)).toEqual(texts.map(formatPhoneNumber));
  });
});

describe('the fast path of parsePhoneNumber changes no result', () => {
  const random = seededRandom('numbers of North America');
  const digits = (count: number) => Array.from({ length: count }, () => random.below(10)).join('');
  const areaCodes = Array.from({ length: 1000 }, (_, code) => String(code).padStart(3, '0'));

  test('for any area code', () => {
    const subscribers = ['5550100', '0000000', '1111111', '9110000', '9999999', digits(7)];
    const numbers = areaCodes.flatMap((code) => subscribers.map((subscriber) => `+1${code}${subscriber}`));
    expect(numbers.map(parsePhoneNumber)).toEqual(numbers.map(parseWithLibrary));
  });

  test('for any notation', () => {
    const texts = areaCodes.flatMap((code) => {
      const [exchange, line] = [digits(3), digits(4)];
      const number = `${code}${exchange}${line}`;
      return [
        ...[
          number,
          `1${number}`,
          `+1${number}`,
          `+1 ${code} ${exchange} ${line}`,
          `+1(${code})${exchange}-${line}`,
        ],
        ...[
          `+1${number.slice(1)}`,
          `+1${number}0`,
          `+11${number}`,
          `+01${number}`,
          `++1${number}`,
          ` +1${number}`,
        ],
        ...[
          `+1${number}\n`,
          `+1${number} `,
          `+1-${number}`,
          `+1${number}x5`,
          `+1${number};ext=5`,
          `tel:+1${number}`,
        ],
        ...[`＋1${number}`, `+１${number}`, `0111${number}`, `+1${number.replace('1', 'A')}`],
      ];
    });
    expect(texts.map(parsePhoneNumber)).toEqual(texts.map(parseWithLibrary));
  });
});
