/** Undoes the escapes of JSON, URLs, forms and HTML, and remembers where each character came from. */

/** More layers than a request that is quoted within quotations has. */
const MAX_LAYERS = 4;

const HEX = '[\\da-fA-F]';
const TRAILING_BYTE = `%[89abAB]${HEX}`;
const UTF8_CHARACTER = [
  `%[0-7]${HEX}`,
  `%[cdCD]${HEX}${TRAILING_BYTE}`,
  `%[eE]${HEX}(?:${TRAILING_BYTE}){2}`,
  `%[fF][0-7](?:${TRAILING_BYTE}){3}`,
].join('|');
const ESCAPE = new RegExp(
  [
    `\\\\u(?<utf16>${HEX}{4})`,
    '\\\\(?<short>[bf"nrt\\\\/])',
    `(?<percent>${UTF8_CHARACTER})`,
    '&#(?<decimal>\\d{1,7});',
    `&#[xX](?<hex>${HEX}{1,6});`,
    '&(?<entity>amp|apos|gt|lt|quot);',
    '(?<plus>\\+)',
  ].join('|'),
  'g',
);
const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

export interface MappedText {
  readonly text: string;
  /** For each UTF-16 code unit of the text, the start of what it stands for in the original. */
  readonly starts: readonly number[];
  /** For each code unit, the exclusive end of it. */
  readonly ends: readonly number[];
}

/** Unescapes layer by layer, as a request may be quoted within a quotation. Undefined if there is nothing to unescape. */
export function unescapeText(original: string): MappedText | undefined {
  if (!/[\\%&+]/.test(original)) return undefined;
  let current: MappedText | undefined;
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const next = unescapeLayer(current ?? unmapped(original));
    if (next === undefined) break;
    current = next;
  }
  return current;
}

function unmapped(text: string): MappedText {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((start) => start + 1) };
}

function unescapeLayer({ text, starts, ends }: MappedText): MappedText | undefined {
  const pieces: string[] = [];
  const newStarts: number[] = [];
  const newEnds: number[] = [];
  const copy = (from: number, to: number) => {
    pieces.push(text.slice(from, to));
    for (let index = from; index < to; index++) {
      newStarts.push(starts[index] ?? 0);
      newEnds.push(ends[index] ?? 0);
    }
  };
  let end = 0;
  for (const match of text.matchAll(ESCAPE)) {
    copy(end, match.index);
    end = match.index + match[0].length;
    const character = unescapeMatch(match);
    pieces.push(character);
    for (let unit = 0; unit < character.length; unit++) {
      newStarts.push(starts[match.index] ?? 0);
      newEnds.push(ends[end - 1] ?? 0);
    }
  }
  if (end === 0) return undefined;
  copy(end, text.length);
  return { text: pieces.join(''), starts: newStarts, ends: newEnds };
}

function unescapeMatch({ groups = {}, 0: escape }: RegExpExecArray): string {
  const { utf16, short, percent, decimal, hex, entity, plus } = groups;
  if (utf16 !== undefined) return String.fromCharCode(parseInt(utf16, 16));
  if (short !== undefined) return SHORT_ESCAPES[short] ?? short;
  if (percent !== undefined) return Buffer.from(percent.replaceAll('%', ''), 'hex').toString();
  if (entity !== undefined) return ENTITIES[entity] ?? escape;
  if (plus !== undefined) return ' ';
  const codePoint = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  return codePoint <= 0x10_ff_ff ? String.fromCodePoint(codePoint) : escape;
}
