/**
 * Cleans texts of clients: identifiers, reference numbers, names, codes, types, email addresses and phone numbers. People paste them from
 * spreadsheets, contacts and web pages, with white space and invisible characters, with which no service would find them.
 */
import { InputRule, type Violation } from '../errors.js';

/** Printable ASCII without outer spaces: nearly every text is, and needs no other look. */
const CLEAN = /^[!-~](?:[ -~]*[!-~])?$/;

/** Subdivision flags, such as England's, are spelled with format characters (Unicode Technical Standard 51, ED-14a). */
const FLAG = String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,7}\u{e007f}`;
const FLAG_OR_FORMAT = new RegExp(String.raw`(${FLAG})|(?![\u200c\u200d])\p{Cf}`, 'gu');

/** Scripts whose words are written with joiners: letters that connect, and consonants that a virama combines. */
// oxfmt-ignore
const joiningScripts = [
  'Arabic', 'Syriac', 'Mandaic', 'Mongolian', 'Phags_Pa', 'Nko', 'Adlam', 'Hanifi_Rohingya',
  'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala',
  'Khmer', 'Myanmar', 'Tibetan', 'Balinese', 'Javanese', 'Sundanese', 'Chakma', 'Meetei_Mayek',
];
const LETTER = `(?=[\\p{L}\\p{M}])[${joiningScripts.map((script) => `\\p{scx=${script}}`).join('')}]`;
/** A non-joiner is seen only between letters, a joiner also at the end of a word, where it changes the form of the letter before it. */
const JOINED_LETTERS = String.raw`(?<=${LETTER})(?:\u200d|\u200c(?=[\u200c\u200d]*${LETTER}))`;
/** Unicode Standard Annex 29, rule GB11. */
const JOINED_EMOJI = String.raw`(?<=\p{ExtPict}[\ufe0f\p{EMod}]{0,2})\u200d(?=[\u200c\u200d]*\p{ExtPict})`;
const JOINER = new RegExp(`(${JOINED_LETTERS}|${JOINED_EMOJI})|[\\u200c\\u200d]`, 'gu');

const OUTER_SPACE = /^\p{White_Space}+|(?<!\p{White_Space})\p{White_Space}+$/gu;

/**
 * The text without white space around it, and without invisible format characters (general category Cf) wherever they are: zero-width
 * spaces, byte order marks, bidirectional marks, embeddings and overrides. Joiners within emoji and words of scripts that need them stay.
 * So does a text with lone surrogates, which is rejected: without what is between two of them, they would become another character.
 */
export function cleanText(given: string): string {
  if (CLEAN.test(given) || !given.isWellFormed()) return given;
  return given.replace(FLAG_OR_FORMAT, '$1').replace(JOINER, '$1').replace(OUTER_SPACE, '');
}

/** Characters that no text may have inside: control characters, line ends and lone surrogates, the only ones that match Cs. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** The clean text, or the rule that it violates. */
export function readText(given: string): string | Violation {
  if (CLEAN.test(given)) return given;
  const start = given.search(/[^\p{White_Space}\p{Cf}]/u);
  if (start === -1) return { rule: InputRule.NotEmpty, message: 'expected a non-empty string' };
  const inner = given.slice(start).replace(/(?<![\p{White_Space}\p{Cf}])[\p{White_Space}\p{Cf}]+$/u, '');
  const found = FORBIDDEN.exec(inner);
  if (!found) return cleanText(given);
  const [character] = found;
  const position = Array.from(given.slice(0, start + found.index)).length + 1; // from 1, in characters of what arrived
  const message = `expected a string without the ${kindOf(character)} ${codePoint(character)} at position ${position}`;
  return { rule: InputRule.Characters, message };
}

function kindOf(character: string): string {
  if (/\p{Cs}/u.test(character)) return 'lone surrogate';
  return /[\n-\r\x85\u2028\u2029]/.test(character) ? 'line end' : 'control character';
}

/** The target of a link to a telephone (RFC 3966) or to a mailbox (RFC 6068); any other text as it is. */
export function linkTarget(text: string, scheme: 'mailto' | 'tel'): string {
  if (text[scheme.length] !== ':' || text.slice(0, scheme.length).toLowerCase() !== scheme) return text;
  const target = text.slice(scheme.length + 1);
  try {
    return cleanText(decodeURIComponent(target));
  } catch {
    return target;
  }
}

const UNSEEN = /(?! )[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** The text with `U+200B` for each character that looks like nothing, or like a space. */
export function showUnseen(text: string): string {
  return text.replace(UNSEEN, codePoint);
}

function codePoint(character: string): string {
  const digits = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
  return `U+${digits.padStart(4, '0')}`;
}

/** Maximum characters of a value or a name in a message. */
export const MAX_CHARACTERS = 100;

/** The text, or its first characters and an ellipsis. Never splits a surrogate pair, which is one of them. */
export function truncate(text: string, maxCharacters = MAX_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  const characters = Array.from(text.slice(0, 2 * maxCharacters + 1)); // more, whatever they are, if the text has more
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text;
}

// Quoting for terminals and shells. A text of others is one line, which can neither steer a terminal nor pass for a line of the program.

/** Puts the beginning of a printable text in double quotes, and replaces those in it by single quotes. */
export function quote(text: string): string {
  return `"${truncate(printable(text).replaceAll('"', "'"), 2 * MAX_CHARACTERS)}"`;
}

/** Replaces control characters (as of escape sequences), line ends, invisible and bidirectional marks, and lone surrogates by a space. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** Quotes a value only if necessary, for a file that a shell, Docker Compose or systemd reads. */
export function quoteForShell(value: string): string {
  return /^[\w./:@%+,{}-]*$/.test(value) ? value : shellQuote(value);
}

/** Quotes any word for a POSIX shell, where nothing is special between single quotes but the quote itself. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
