import { expect, test } from 'vitest';
import { jsonSize } from '../../src/domain/json.js';
import { seededRandom } from '../support/tools/seededRandom.js';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test.each<[kind: string, value: unknown]>([
  ['null', null],
  ['a boolean', false],
  ['an integer', -12],
  ['a number with an exponent', 1e21],
  ['an empty string', ''],
  ['quotation marks and backslashes', '"\\"'],
  ['text with two, three and four bytes per character', 'é€😀'],
  ['an empty array', []],
  ['an empty object', {}],
  ['nested values', { 'a "key"': [1, [], { clé: ['', null] }], b: {} }],
])('the size of %s is that of its JSON text', (_kind, value) => {
  expect(jsonSize(value, Infinity)).toBe(bytesOf(value));
});

test('the size of each character up to U+00FF is that of its escape, if it has one', () => {
  for (let code = 0; code <= 0xff; code += 1) {
    const character = String.fromCharCode(code);
    expect([code, jsonSize(character, Infinity)]).toEqual([code, bytesOf(character)]);
  }
});

test.each([
  ['alone', '\ud83d'],
  ['in the wrong order', '\ude00\ud83d'],
  ['before a letter', '\ud83da'],
  ['twice before a pair', '\ud83d\ud83d\ude00'],
  ['after a pair', '\ud83d\ude00\ude00'],
])('the size of half a surrogate pair is that of its escape: %s', (_where, text) => {
  expect(jsonSize(text, Infinity)).toBe(bytesOf(text));
});

test('the size of random text is that of its JSON text', () => {
  const random = seededRandom('jsonSize');
  for (let round = 0; round < 500; round += 1) {
    const text = random.bytes(60).toString(random.pick(['latin1', 'utf8', 'utf16le']));
    expect(jsonSize({ [text]: [text] }, Infinity)).toBe(bytesOf({ [text]: [text] }));
  }
});

test('the walk stops at the first value that exceeds the limit', () => {
  let visited = 0;
  const values = Array.from({ length: 100 }, () => ({
    get text() {
      visited += 1;
      return 'x'.repeat(100);
    },
  }));
  expect(jsonSize(values, 250)).toBeGreaterThan(250);
  expect(visited).toBe(3);
});
