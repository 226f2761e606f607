import { describe, expect, test } from 'vitest';
import {
  guessPhoneNumber,
  parseWithLibrary,
  parsePhoneNumber,
  formatPhoneNumber,
} from '../../src/domain/phoneNumber.js';
import { seededRandom } from '../support/tools/seededRandom.js';

describe('a number of the United States is read in any notation', () => {
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
  ])('%j', (text) => {
    expect(parsePhoneNumber(text)).toBe('+13035550100');
  });
});

describe('a number of another country is read where its country code is marked', () => {
  test.each([
    ['+447911123456', '+447911123456'],
    ['+44 7911 123456', '+447911123456'],
    ['+44 (0)7911 123456', '+447911123456'],
    ['011 44 7911 123456', '+447911123456'],
    ['+49 30 123456', '+4930123456'],
    ['+525512345678', '+525512345678'],
    ['+15145550112', '+15145550112'],
  ])('%j is %s', (text, number) => {
    expect(parsePhoneNumber(text)).toBe(number);
  });
});

describe('without a mark, ten digits are a number of the United States, whether or not it is in use', () => {
  test.each([
    ['5555555555', '+15555555555'],
    ['4930123456', '+14930123456'],
  ])('%j is %s', (text, number) => {
    expect(parsePhoneNumber(text)).toBe(number);
  });
});

describe('what cannot be a number is not read', () => {
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
  ])('%j', (text) => {
    expect(parsePhoneNumber(text)).toBeUndefined();
  });
});

/** What the service holds, and the number that it is. */
const readable: [held: string, number: string][] = [
  // numbers of the United States, with and without their country code
  ['13035550100', '+13035550100'],
  ['3035550100', '+13035550100'],
  ['+13035550100', '+13035550100'],
  ['(303) 555-0100', '+13035550100'],
  // bare digits of other countries: what is in use goes before what could be a number of the United States
  ['447911123456', '+447911123456'],
  ['4930123456', '+4930123456'],
  ['4915112345678', '+4915112345678'],
  ['525512345678', '+525512345678'],
  ['819012345678', '+819012345678'],
  ['15145550112', '+15145550112'],
  ['+447911123456', '+447911123456'],
  // in use nowhere: the United States go before other countries
  ['5555555555', '+15555555555'],
];

describe('what the service holds is shown in E.164 format, and what was shown can be sent back', () => {
  test.each(readable)('%j is shown as %s', (held, number) => {
    expect(formatPhoneNumber(held)).toBe(number);
    expect(formatPhoneNumber(number)).toBe(number);
    expect(parsePhoneNumber(number)).toBe(number);
  });

  test.each(['385007418557', '49009548502', '4400001234567', '+610084674'])('%j', (held) => {
    const number = formatPhoneNumber(held);
    expect(formatPhoneNumber(number)).toBe(number);
    expect([number, undefined]).toContain(parsePhoneNumber(number));
  });
});

describe('what the service holds and cannot be read is shown as it is', () => {
  test.each([
    ...['', ' ', '+', '12', '911', '5550100', '0013035550100', '+999123456', '12345678901234567'],
    ...['call me', '1-800-FLOWERS', '3035550100 ext 5', '3035550100x5', 'tel:+13035550100'],
  ])('%j', (held) => {
    expect(formatPhoneNumber(held)).toBe(held);
    expect(parsePhoneNumber(held)).toBeUndefined();
  });
});

test('what was read is shown as it is, and read as it is', () => {
  const numbers = ['(303) 555-0100', '+44 (0)7911 123456', '4930123456', '5555555555'].map(parsePhoneNumber);
  expect(numbers).toEqual(['+13035550100', '+447911123456', '+14930123456', '+15555555555']);
  expect(numbers.map((number = '') => formatPhoneNumber(number))).toEqual(numbers);
  expect(numbers.map((number = '') => parsePhoneNumber(number))).toEqual(numbers);
});

describe('a number is shown as reading it anew would have it', () => {
  const random = seededRandom('phone numbers');
  const digits = (count: number) => Array.from({ length: count }, () => random.below(10)).join('');
  const texts = Array.from(
    { length: 3000 },
    (_, index) =>
      [`1${digits(10)}`, `+1${digits(10)}`, digits(10), `+${digits(11)}`, digits(random.below(16))][
        index % 5
      ],
  ) as string[];

  test('of North America and of others', () => {
    expect(texts.map(formatPhoneNumber)).toEqual(texts.map(guessPhoneNumber));
  });

  test('however often', () => {
    expect(texts.map(formatPhoneNumber)).toEqual(texts.map(formatPhoneNumber));
  });
});

describe('a number of the country code 1 is read as any number is', () => {
  const random = seededRandom('numbers of North America');
  const digits = (count: number) => Array.from({ length: count }, () => random.below(10)).join('');
  const areaCodes = Array.from({ length: 1000 }, (_, code) => String(code).padStart(3, '0'));

  test('of every area code', () => {
    const subscribers = ['5550100', '0000000', '1111111', '9110000', '9999999', digits(7)];
    const numbers = areaCodes.flatMap((code) => subscribers.map((subscriber) => `+1${code}${subscriber}`));
    expect(numbers.map(parsePhoneNumber)).toEqual(numbers.map(parseWithLibrary));
  });

  test('in every form', () => {
    const forms = areaCodes.flatMap((code) => {
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
    expect(forms.map(parsePhoneNumber)).toEqual(forms.map(parseWithLibrary));
  });
});
