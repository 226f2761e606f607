/** Finds secrets in a text, in every form in which a message may quote them. */
import { unescapeText } from './unescape.js';

/** Start and exclusive end of a part of a text. */
export type Range = readonly [start: number, end: number];

export interface SecretMatcher {
  /** Whether a number is a secret but for its sign. */
  has(number: number): boolean;
  /** Sorted; none of them touches another. */
  findIn(text: string): Range[];
}

/** Shorter strings are not searched for: they occur by chance, and replacing them would garble the message. */
const MIN_SECRET_LENGTH = 4;

/** For patterns of up to this length, the native search is fast even in the worst case. */
const SHORT_PATTERN_LENGTH = 100;

export function createSecretMatcher(secrets: readonly string[]): SecretMatcher {
  const numbers = new Set(secrets.map(absoluteValue).filter((number) => number !== undefined));
  const forms = [...secrets, ...[...numbers].flatMap(numberForms)];
  const verbatim = createPatterns(forms.flatMap(encodedForms));
  const unescaped = createPatterns(forms.map((form) => unescapeText(form.toWellFormed())?.text ?? form));
  // No escape is shorter than what it stands for.
  const minLength = Math.min(...[...verbatim, ...unescaped].map(({ text }) => text.length));
  return {
    has: (number) => numbers.has(Math.abs(number)),
    findIn(text) {
      if (text.length < minLength) return [];
      const ranges = occurrencesOf(verbatim, text);
      const mapped = unescapeText(text.toWellFormed());
      if (mapped === undefined) return mergeRanges(ranges);
      const { starts, ends } = mapped;
      const escaped = occurrencesOf(unescaped, mapped.text).map(([start, end]): Range => {
        return [starts[start] ?? 0, ends[end - 1] ?? text.length];
      });
      return mergeRanges([...ranges, ...escaped]);
    },
  };
}

/** Sorts ranges, and joins those that overlap or touch. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: [start: number, end: number][] = [];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Of a secret that is a number with enough digits. */
function absoluteValue(secret: string): number | undefined {
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(secret)) return undefined;
  const number = Math.abs(Number(secret));
  return String(number).length < MIN_SECRET_LENGTH ? undefined : number;
}

function numberForms(number: number): string[] {
  const exponential = number.toExponential();
  return [String(number), exponential, exponential.replace('+', '')];
}

/** Finds what unescaping a whole text misses if an escape seems to begin before the secret: `\` and `new%40secret`. */
function encodedForms(secret: string): string[] {
  const formEncoded = new URLSearchParams({ secret }).toString().slice('secret='.length);
  return [
    secret,
    formEncoded,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
  ];
}

interface Pattern {
  readonly text: string;
  /** For each character, the length of the longest proper prefix of the pattern that ends there, too. */
  borders?: Uint32Array;
}

function createPatterns(texts: readonly string[]): Pattern[] {
  return [...new Set(texts.map(foldCase))]
    .filter((text) => text.length >= MIN_SECRET_LENGTH)
    .map((text) => ({ text }));
}

function occurrencesOf(patterns: readonly Pattern[], text: string): Range[] {
  const folded = foldCase(text);
  return patterns.flatMap((pattern) => findAll(pattern, folded));
}

/**
 * Finds all occurrences, also those that overlap each other, in linear time (Knuth, Morris and Pratt): with `indexOf`, a
 * token of thousands of equal letters would take the product of both lengths.
 */
function findAll(pattern: Pattern, text: string): Range[] {
  const { text: sought } = pattern;
  if (sought.length > text.length) return [];
  if (sought.length <= SHORT_PATTERN_LENGTH && !text.includes(sought)) return [];
  const borders = (pattern.borders ??= bordersOf(sought));
  const ranges: Range[] = [];
  let matched = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && unit !== sought.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (unit === sought.charCodeAt(matched)) matched += 1;
    if (matched === sought.length) ranges.push([index + 1 - matched, index + 1]);
  }
  return ranges;
}

function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let index = 1; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    while (length > 0 && unit !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (unit === text.charCodeAt(length)) length += 1;
    borders[index] = length;
  }
  return borders;
}

/** Folds case and keeps the length, so that ranges in the folded text are ranges in the text. */
function foldCase(text: string): string {
  const folded = text.toUpperCase();
  if (folded.length === text.length) return folded;
  const fold = (character: string) => {
    const upper = character.toUpperCase();
    return upper.length === character.length ? upper : character;
  };
  return Array.from(text, fold).join('');
}
