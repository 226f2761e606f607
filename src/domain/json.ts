/** JSON values: whether a value is one, its size as text, its short form in messages, and texts that are kept as they are. */
import { InputRule, type Violation } from '../errors.js';
import { MAX_CHARACTERS, showUnseen, truncate } from './text.js';

/** JSON.stringify overflows the stack on values nested much deeper than this. */
const MAX_DEPTH = 100;

/** Whether a value survives JSON unchanged: all numbers finite, nothing undefined, not nested too deeply. */
export function isJsonValue(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return value !== undefined;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return levels > 0 && members.every((member) => isJsonValue(member, levels - 1));
}

/** Whether a value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Why a value is not a JSON value. JSON.parse reads a number such as 1e400 as infinite; a literal may have a variable without a value. */
export const JSON_VIOLATION: Violation = {
  rule: InputRule.Json,
  limit: MAX_DEPTH,
  message: `expected JSON nested at most ${MAX_DEPTH} levels deep, with finite numbers and without enums`,
};

const STRING_OR_TRAILING_COMMA = /"((?:[^"\\]|\\[^])*)"|,(\s*[}\]])/g;
const MAX_LENIENT_LENGTH = 16_000;

/**
 * The value of a text that is nearly JSON: with line ends and other control characters in strings, `\'`, or a comma after the last member,
 * as templates and other languages write it. Undefined for any other or longer text, and for one that does not begin with a bracket.
 */
export function parseLeniently(text: string): unknown {
  if (text.length > MAX_LENIENT_LENGTH || !/^\s*[[{]/.test(text)) return undefined;
  const strict = text.replace(STRING_OR_TRAILING_COMMA, (_match, inner?: string, end?: string) =>
    inner === undefined
      ? (end ?? '')
      : `"${inner.replaceAll("\\'", "'").replace(/\p{Cc}/gu, escapeCharacter)}"`,
  );
  try {
    return JSON.parse(strict) as unknown;
  } catch {
    return undefined;
  }
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A JSON value as JSON, truncated, without unseen characters. Costs no more for a value of any size, because writing stops early. */
export function preview(value: unknown): string {
  return value === undefined ? 'nothing' : truncate(showUnseen(appendJson('', value)));
}

/** Enough to be truncated. */
const MAX_WRITTEN_LENGTH = 2 * MAX_CHARACTERS;

/** Appends JSON to a text until that is long enough. */
function appendJson(text: string, value: unknown): string {
  if (typeof value === 'string') return text + JSON.stringify(value.slice(0, MAX_WRITTEN_LENGTH));
  if (typeof value !== 'object' || value === null) return text + JSON.stringify(value ?? null);
  const isList = Array.isArray(value);
  let result = text + (isList ? '[' : '{');
  let separator = '';
  for (const [key, member] of isList ? value.entries() : Object.entries(value)) {
    if (result.length > MAX_WRITTEN_LENGTH) return result;
    const start = isList ? result + separator : `${appendJson(result + separator, key)}:`;
    result = appendJson(start, member);
    separator = ',';
  }
  return result + (isList ? ']' : '}');
}

/** JSON text that is sent as it was received: parsed and written again, 9007199254740993 would become …992. */
export class RawJson {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** JSON of an object, with the text of members that are RawJson. In ASCII, which is the same in every charset that a reader may assume. */
export function stringifyObject(object: object): string {
  return jsonOf(object).replace(/[\u0080-\uffff]/g, escapeCharacter);
}

function jsonOf(object: object): string {
  if (!Object.values(object).some((value) => value instanceof RawJson)) return JSON.stringify(object);
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  const texts = members.map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${value instanceof RawJson ? value.text : JSON.stringify(value)}`,
  );
  return `{${texts.join(',')}}`;
}

/** Text of each member by name, or element by index. `json` must be valid; of duplicate names, the last one counts, as in JSON.parse. */
export function memberTexts(json: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let start = 0;
  let name: string | undefined;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index);
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth === 1) start = index + 1;
    } else if (depth === 1 && character === ':') {
      name = JSON.parse(json.slice(start, index)) as string;
      start = index + 1;
    } else if (depth === 1 && (character === ',' || character === '}' || character === ']')) {
      members.set(name ?? String(members.size), json.slice(start, index).trim());
      start = index + 1;
    }
    if (character === '}' || character === ']') depth -= 1;
  }
  return members;
}

function endOfString(json: string, start: number): number {
  let index = start + 1;
  while (json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index;
}

/** A number as text: services write identifiers as either. JSON.parse() has lost the text of one that is not a safe integer. */
export function toText(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}
