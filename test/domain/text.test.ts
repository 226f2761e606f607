import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText, linkTarget, readText, showUnseen } from '../../src/domain/text.js';
import { anyCharacter } from '../support/tools/anyCharacter.js';
import { seededRandom } from '../support/tools/seededRandom.js';

const ENGLAND = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';

// oxfmt-ignore
test.each<[what: string, clean: string, given: readonly string[]]>([
  ['a number from the contacts of Windows and iOS', '+13035550100', ['\u202a+13035550100\u202c', '\u2068+13035550100\u2069']],
  ['a cell of a spreadsheet', 'REF-1001', ['REF-1001\t', 'REF-1001\r\n', '\ufeffREF-1001', ' REF-1001\u00a0', '\u2028REF-1001\u0085']],
  ['a word of a web page', 'REF-1001', ['REF\u200b-1001', 'REF\u00ad-1001', '\u2060REF-10\u206001', 'REF\u{e0067}-1001', '\u200e REF-1001 \u200f']],
  ['text that would read backwards', 'REF-1001', ['\u202eREF-1001\u202c', 'REF\u202d-1001']],
  ['Latin words with joiners', 'shelfful', ['shelf\u200cful', 'shelf\u200dful', 'shelfful\u200d']],
  ['inner spaces', 'Dock  team\u00a03', [' Dock  team\u00a03 ', 'Dock \u200b team\u00a03']],
  ['Persian', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\u200c', '\u0645\u06cc\u200c\u200c\u062e\u0648\u0627\u0647\u0645']],
  ['an Arabic abbreviation', '\u0647\u200d.\u0642', ['\u200f\u0647\u200d.\u0642\u200f']],
  ['Marathi', '\u0926\u0930\u094d\u200d\u092f\u093e', ['\u0926\u0930\u094d\u200d\u092f\u093e ']],
  ['Bengali', '\u09b0\u200d\u09cd\u09af\u09be\u09ae', ['\u200d\u09b0\u200d\u09cd\u09af\u09be\u09ae']],
  ['Malayalam, with an older spelling at the end', '\u0d05\u0d35\u0d28\u0d4d\u200d', ['\u0d05\u0d35\u0d28\u0d4d\u200d\u200b']],
  ['emoji', '👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 👨\u200d👩\u200d👧 ❤\ufe0f', ['\u200d👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 👨\u200d👩\u200d👧 ❤\ufe0f\u200d']],
  ['the flag of England', `${ENGLAND} dock`, [`${ENGLAND} dock`, `${ENGLAND}\u{e0067} dock\u{e007f}`]],
  ['a flag that hides a text', '\u{1f3f4}', ['\u{1f3f4}\u{e0020}\u{e007f}', `\u{1f3f4}${'\u{e0061}'.repeat(8)}\u{e007f}`]],
])('%s: the clean text is %j', (_what, clean, given) => {
  expect([clean, ...given].map(cleanText)).toEqual([clean, ...given.map(() => clean)]);
});

test.each<[given: string, message: string]>([
  ['REF\u0000-1', 'expected a string without the control character U+0000 at position 4'],
  ['\ufeff 🚚\u001b[1m', 'expected a string without the control character U+001B at position 4'],
  ['\n3035550100\n3035550101\n', 'expected a string without the line end U+000A at position 12'],
  ['a\u2029b', 'expected a string without the line end U+2029 at position 2'],
  ['a\tb', 'expected a string without the control character U+0009 at position 2'],
  ['🚚 \ud83d', 'expected a string without the lone surrogate U+D83D at position 3'],
  ['\ud83d\u200b\ude9a', 'expected a string without the lone surrogate U+D83D at position 1'],
  [' \u200b\n', 'expected a non-empty string'],
])('%j is no text', (given, message) => {
  expect(readText(given)).toMatchObject({ message });
});

test.each<[text: string, target: string]>([
  ['tel:+1-303-555-0100', '+1-303-555-0100'],
  ['TEL: %E2%80%AA%2B13035550100', '+13035550100'],
  ['tel:100%', '100%'],
  ['tel', 'tel'],
  ['mailto:dock@example.com', 'mailto:dock@example.com'],
])('the link %j leads to %j', (text, target) => {
  expect(linkTarget(text, 'tel')).toBe(target);
});

test('a message shows what cannot be seen', () => {
  expect(showUnseen('a b\u00a0c\u200bd\ufe0f\u{e0067}\u3164é🚚')).toBe(
    'a bU+00A0cU+200BdU+FE0FU+E0067U+3164é🚚',
  );
});

describe('of any text', () => {
  // oxfmt-ignore
  const units = [
    ' ', '\u00a0', '\u0085', '\u3000', '\n', '\u2028', '\u0000', '\u200b', '\u200c', '\u200d', '\ufeff', '\u202e', '\u00ad', '\u180e',
    '\ufe0f', '\u{1f3f4}', '\u{e0067}', '\u{e0062}', '\u{e007f}', '\udb40', '\udc67', '\ud83d', '🚚', '👩', '🏽', '❤', 'a', '-', '1',
    '\u0647', '\u0642', '\u0930', '\u094d', '\u09cd', 'é', '\u0301', ENGLAND,
  ];
  const texts = fc.string({
    unit: fc.oneof(fc.constantFrom(...units), anyCharacter),
    maxLength: 12,
  });
  const { seed } = seededRandom('texts');

  test('the clean text is clean, and never longer; the rest is a violation', () => {
    const joiner = /(?<=[\u0600-\u06ff\u0900-\u0dff\p{ExtPict}\p{EMod}\ufe0f])[\u200c\u200d]/gu;
    fc.assert(
      fc.property(texts, (given) => {
        const text = cleanText(given);
        expect(cleanText(text)).toBe(text);
        expect(text.length).toBeLessThanOrEqual(given.length);
        const read = readText(given);
        if (typeof read !== 'string') {
          expect(text === '' || /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)).toBe(true);
          const [, code, position] = / U\+(\w+) at position (\d+)$/.exec(read.message) ?? [];
          if (code) expect(Array.from(given)[Number(position) - 1]?.codePointAt(0)).toBe(parseInt(code, 16));
          return;
        }
        expect(read).toBe(text);
        expect(text).not.toMatch(/^\p{White_Space}|\p{White_Space}$|[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|^$/u);
        expect(text.replaceAll(ENGLAND, '').replaceAll(joiner, '')).not.toMatch(/\p{Cf}/u);
        // Nothing else is lost: what can be seen is the same as before.
        const seen = (each: string) => each.replace(/[\p{Cf}\p{White_Space}]/gu, '');
        expect(seen(text)).toBe(seen(given));
      }),
      { numRuns: 1_000, seed },
    );
  });

  test('printable ASCII without outer spaces is the same text, and its look costs time that grows with its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), (given) => {
        expect(readText(given)).toEqual(given.trim() === '' ? expect.any(Object) : given.trim());
      }),
      { seed },
    );
    const hostile = [
      `a${' '.repeat(200_000)}é`,
      `${' \u200b'.repeat(100_000)}é`,
      '\u0647\u200d'.repeat(100_000),
    ];
    expect(hostile.map((given) => cleanText(given).length)).toEqual([200_002, 1, 200_000]);
  });
});
