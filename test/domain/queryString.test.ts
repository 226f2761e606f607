import { describe, expect, test } from 'vitest';
import { appendQuery, fitsQuery } from '../../src/domain/queryString.js';

describe('fitsQuery', () => {
  test.each([[''], ['text'], ['ü😀'], [0], [-1.5], [true], [false], [[]], [['a', 1, true]]])(
    'accepts %j',
    (value) => {
      expect(fitsQuery(value)).toBe(true);
    },
  );

  test.each([
    [null],
    [undefined],
    [{}],
    [{ a: 1 }],
    [[null]],
    [['a', {}]],
    [[['a']]],
    ['\ud83d'],
    [['a', '\ude00']],
    [Symbol('s')],
    [1n],
  ])('rejects %o', (value) => {
    expect(fitsQuery(value)).toBe(false);
  });
});

describe('appendQuery', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['no parameters', {}, '/x'],
    ['an empty array', { a: [] }, '/x'],
    ['one parameter', { a: 'b' }, '/x?a=b'],
    ['several parameters in their order', { z: 1, a: true, m: -1.5 }, '/x?z=1&a=true&m=-1.5'],
    ['an array as one parameter per element', { a: ['b', 2, false], c: 'd' }, '/x?a=b&a=2&a=false&c=d'],
    ['an empty string', { a: '' }, '/x?a='],
    ['reserved characters', { 'a&b=c': 'd&e=f#g?h+i%j k/l' }, '/x?a%26b%3Dc=d%26e%3Df%23g%3Fh%2Bi%25j+k%2Fl'],
    ['line breaks', { a: 'b\r\nc' }, '/x?a=b%0D%0Ac'],
    ['non-ASCII characters', { ü: '😀' }, '/x?%C3%BC=%F0%9F%98%80'],
  ])('encodes %s', (_name, parameters, path) => {
    expect(appendQuery('/x', parameters)).toBe(path);
  });
});
