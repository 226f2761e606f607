import { describe, expect, test } from 'vitest';
import { appendQuery, fitsQuery } from '../../src/domain/queryString.js';

describe('a value fits a query', () => {
  test.each([[''], ['text'], ['ü😀'], [0], [-1.5], [true], [false], [[]], [['a', 1, true]]])(
    '%j does',
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
  ])('%o does not', (value) => {
    expect(fitsQuery(value)).toBe(false);
  });
});

describe('parameters become a query', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['none', {}, '/x'],
    ['an empty list', { a: [] }, '/x'],
    ['one', { a: 'b' }, '/x?a=b'],
    ['several, in their order', { z: 1, a: true, m: -1.5 }, '/x?z=1&a=true&m=-1.5'],
    ['a list, one parameter for each element', { a: ['b', 2, false], c: 'd' }, '/x?a=b&a=2&a=false&c=d'],
    ['an empty text', { a: '' }, '/x?a='],
    [
      'characters with a meaning',
      { 'a&b=c': 'd&e=f#g?h+i%j k/l' },
      '/x?a%26b%3Dc=d%26e%3Df%23g%3Fh%2Bi%25j+k%2Fl',
    ],
    ['line ends', { a: 'b\r\nc' }, '/x?a=b%0D%0Ac'],
    ['letters beyond ASCII', { ü: '😀' }, '/x?%C3%BC=%F0%9F%98%80'],
  ])('%s', (_name, parameters, path) => {
    expect(appendQuery('/x', parameters)).toBe(path);
  });
});
