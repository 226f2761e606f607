import { describe, expect, test } from 'vitest';
import { formatPhoneNumber, parsePhoneNumber } from '../../src/freight/vocabulary.js';

describe('phone numbers', () => {
  // oxfmt-ignore
  test.each([
    ['+13035550100', [
      '3035550100', '13035550100', '+13035550100', '+1 303 555 0100', '1 (303) 555-0100', '1-303-555-0100', '(303)555-0100',
      '303.555.0100', ' 303 555 0100 ', '３０３５５５０１００', '011 1 303 555 0100', '+(1) 303-555-0100',
      'tel:+1-303-555-0100', 'TEL:%2B13035550100', 'tel: %E2%80%AA(303)%20555-0100',
    ]],
    ['+447911123456', ['+447911123456', '+44 7911 123456', '+44 (0)7911 123456', '011 44 7911 123456', '+(44) 7911 123456']],
    ['+447700900123', ['+44 7700 900123', 'tel:+44-7700-900123']], // kept for fiction
    ['+14835550100', ['(483) 555-0100']], // newer than the library
    ['+18009110100', ['800-911-0100']],
    ['+4930123456', ['+49 30 123456']],
    ['+33123456700', ['+33 1 23 45 67 00', '+33.1.23.45.67.00', '+33-1-23-45-67-00']], // groups of two digits are usual there
    ['+15555555555', ['5555555555']], // not in use
    ['+525512345678', ['+525512345678']],
    ['+15145550112', ['+15145550112']],
  ])('of clients are %s in E.164 format in each notation of %j', (number, notations) => {
    expect(notations.map(parsePhoneNumber)).toEqual(notations.map(() => ({ number })));
    expect([formatPhoneNumber(number), parsePhoneNumber(number)]).toEqual([number, { number }]);
  });

  // oxfmt-ignore
  test.each([
    ['a phone number in E.164 format, or a US number', [
      '', ' ', '+', '12', '911', '5550100', '555-0100', '+1303555010', '+130355501000', '447911123456', '07911123456', '+999123456',
      '12345678901234567', 'call me', '1-800-FLOWERS', 'my number is 3035550100', '++13035550100', `3035550${' '.repeat(101)}100`,
      '0044 7911 123456', 'tel:', 'tel:100%', 'sms:+13035550100',
      '+(410) 499-2114', '+ (651) 234-5678', // US numbers that the library takes for others
    ]],
    ['a phone number whose area code and exchange start with 2 to 9, as all of country code 1 do (North American Numbering Plan)', [
      '+1 123 456 7890', '1234567890', '(123) 456-7890', '0000000000', '+10000000000', '+1 011 555 0100', '+1 303 155 0100', '303 055 0100',
      '4930123456', '113035550100', '+113035550100', '+1 1303 555 0100', '+1 (1) 303 555 0100', '011 1 1303 555 0100', 'tel:1234567890',
    ]],
    ['a phone number without an extension or other parameters', [
      '(303) 555-0100 x12', '303-555-0100 ext. 12', '+13035550100;ext=12', '3035550100#12', 'tel:+1-303-555-0100;ext=12', '+44 7911 123456 x12',
      'tel:3035550100;phone-context=+1', '7042;phone-context=example.com', '(303) 555-0100 x0', '3035550100;isub=7',
    ]],
    ['a phone number in E.164 format, or a US number', [
      '(303) 555-0100 / (303) 555-0101', '3035550100, (303) 555-0101', '+1 303 555 0100 or (303) 555-0101', '+13035550100 (303) 555-0101',
      '1 303-555-0100, cell (303) 555-0101, home 3035550102', '+44 7911 123456, +44 7911 123457', '3035550100|+44 7911 123457',
    ]],
    // A number that lacks a digit must not become the phone number of somebody else.
    ['a phone number with all its digits, and without decimals', [
      '303555010.0', '1303555010.0', '+1303555010.0', '(303) 555-010.0', '303 555 010.0', '303,555,010.0', ' 303555010 .0 ', '303555010.0.',
      '３０３５５５０１０．０', '٣٠٣٥٥٥٠١٠.٠', 'tel:303555010.0', '+44207946012.0', '+44 20 7946 012.0', '(303) 555-0100.0',
      '3035550100.0', '+13035550100.0', '13035550100.0', // complete, which nobody can tell of a number
      '30355501.00', '303555010.00', '+4930123.00', '303555010,0', '+44207946012,0', '303.555.010,0', '30355501,00', '303-555-010-0',
      '303 555 010 0', '303.555.010.0', '303555010/0', '303555010. 0', '303-555-01-00', '+1 303 555 01 00', '303555010.5', '+1303555010.5',
      '3035550.100', '3.03555E+09', '1.30356E+10', '3,03555E+09', '3.0355501e9', '3.035550100E9', '303555010e1', '1E10',
    ]],
  ])('of clients are expected to be %s, not one of %j', (expectation, texts) => {
    expect(texts.map(parsePhoneNumber)).toEqual(texts.map(() => ({ expectation })));
  });

  // oxfmt-ignore
  test.each([
    ['+13035550100', ['13035550100', '3035550100', '+13035550100', '(303) 555-0100']],
    // A valid number takes precedence over a possible number of the United States, which takes precedence over others.
    ['+447911123456', ['447911123456', '+447911123456']],
    ['+4930123456', ['4930123456']],
    ['+4915112345678', ['4915112345678']],
    ['+525512345678', ['525512345678']],
    ['+819012345678', ['819012345678']],
    ['+6561234567', ['6561234567']],
    ['+15145550112', ['15145550112']],
    ['+15555555555', ['5555555555']],
    ['+11235550100', ['1235550100']],
  ])('of the service are %s if it stores %j', (number, stored) => {
    expect(stored.map(formatPhoneNumber)).toEqual(stored.map(() => number));
  });

  test('of the service stay unchanged if they are none', () => {
    // oxfmt-ignore
    const texts = [
      '', ' ', '+', '12', '911', '5550100', '0013035550100', '+999123456', '12345678901234567', 'call me', '1-800-FLOWERS',
      '3035550100 ext 5', '3035550100x5', 'tel:+13035550100', '303555010.0', '30355501.00', '303 555 010 0', '3035550100.0',
    ];
    expect(texts.map(formatPhoneNumber)).toEqual(texts);
  });
});
