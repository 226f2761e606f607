import fc from 'fast-check';
import { expect, test } from 'vitest';
import { preview, truncate } from '../../src/domain/json.js';
import { showUnseen } from '../../src/domain/text.js';

/** Any text, with the characters that JSON escapes and halves of surrogate pairs. */
const text = fc
  .array(fc.oneof(fc.nat(0xff), fc.nat(0xffff), fc.constantFrom(0x22, 0x5c, 0xd83d, 0xde00)), {
    maxLength: 120,
  })
  .map((units) => String.fromCharCode(...units));
const { value: jsonValues } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(null, true, false, -12, 1e21),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value')),
    fc.dictionary(text, tie('value')),
  ),
}));

test('the preview of a value is the beginning of its JSON text, with the codes of what cannot be seen', () => {
  fc.assert(
    fc.property(jsonValues, (value) => {
      expect(preview(value)).toBe(truncate(showUnseen(JSON.stringify(value))));
    }),
  );
});

test.each([
  ['ab', 2, 'ab'],
  ['abc', 2, 'ab…'],
  ['\u{1f69a}\u{1f69a}', 2, '\u{1f69a}\u{1f69a}'],
  ['\u{1f69a}\u{1f69a}\u{1f69a}', 2, '\u{1f69a}\u{1f69a}…'],
  ['a\ud83db', 2, 'a\ud83d…'],
])('%j is truncated to %i characters, not code units', (text, maxCharacters, truncated) => {
  expect(truncate(text, maxCharacters)).toBe(truncated);
});
