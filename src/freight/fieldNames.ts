/** How services name the fields of a request, with paths and prefixes in any spelling; and the argument that each field came from. */
import { isRecord } from '../domain/json.js';
import { GatewayError, withDetails, type ArgumentPath } from '../gatewayError.js';

/** The form in which names are compared: `driver_phone_number` is `DriverPhoneNumber`. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

export interface Member {
  readonly key: string;
  /** The key, as names are compared. */
  readonly name: string;
  readonly value: unknown;
}

const MAX_MEMBERS = 200;
/** Longer names would be cut, and are not names of fields. */
const MAX_NAME_LENGTH = 200;

/** Even the first members of an object with a million take as long to find as half of its parsing. */
const knownMembers = new WeakMap<object, readonly Member[]>();

/** The first members of an object; none of any other value. */
export function membersOf(object: unknown): readonly Member[] {
  if (!isRecord(object)) return [];
  const known = knownMembers.get(object);
  if (known) return known;
  const members: Member[] = [];
  knownMembers.set(object, members);
  for (const key in object) {
    if (members.length === MAX_MEMBERS) break;
    members.push({ key, name: canonicalName(key.slice(0, MAX_NAME_LENGTH)), value: object[key] });
  }
  return members;
}

/** Prefixes with which frameworks say where a value was; the name of the field follows. */
const PREFIX =
  /^(?:|attributes|body|command|data|dto|form|input|json|model|params|payload|query|querystring|request|requestbody|root|value)$/;

const MAX_SEGMENTS = 10;

/**
 * The segments of a name such as `emailList[1]`, `/emailList/1`, `$.emailList[1]`, or `["body","emailList",1]`, without prefixes: from the
 * first one on that is the name of a parameter, if there is any. `names` are the names of the parameters, in the form in which they are
 * compared.
 */
export function segmentsOf(name: string | readonly unknown[], names: ReadonlySet<string>): string[] {
  const parts = (typeof name === 'string' ? [name] : name.slice(0, MAX_SEGMENTS)).filter(
    (part) => typeof part === 'string' || typeof part === 'number',
  );
  const segments = parts.flatMap((part) => {
    const text = String(part).slice(0, MAX_NAME_LENGTH);
    const trimmed = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
    // A parameter may have separators in its name, or the service splits it: `carrier.scac`.
    if (names.has(canonicalName(trimmed))) return [trimmed];
    return text
      .split(/[.[\]/"'$#]+/)
      .filter((segment) => segment.trim() !== '')
      .map((segment) => {
        const [, list = ''] = INDEXED.exec(segment.trim()) ?? [];
        return !names.has(canonicalName(segment)) && names.has(canonicalName(list)) ? list : segment;
      });
  });
  const start = segments.findIndex((segment) => names.has(canonicalName(segment)));
  if (start >= 0) return segments.slice(start, start + MAX_SEGMENTS);
  const first = segments.findIndex((segment) => !PREFIX.test(canonicalName(segment)));
  return first < 0 ? [] : segments.slice(first, first + MAX_SEGMENTS);
}

/** An index in a notation that may count from 0 or from 1 leads to the list: `emailList(2)`, `emailList:1`, `emailList_1`. */
const INDEXED = /^([\p{L}\p{N}_.-]*?\p{L})[({:_-]\d+[)}]?$/u;

/** A part of a text in quotes, a path, or a word such as `emailList` or `email_list`, which is no other word. */
const QUOTED_OR_PATH =
  /["'`‘“«[]([^\s"'`’”»\]]{1,100})["'`’”»\]]|(?<![^\s(])([\w$#/][\w$#./[\]]{0,100}[./[][\w./[\]]{0,100}\w\]?)(?![^\s,;:)])|\b(\w{0,100}[a-z\d]_?[A-Z]\w{0,100}|[A-Za-z\d]+_\w{1,100})\b/g;

const MAX_TEXT_LENGTH = 1000;

/** A name in words at the beginning of a sentence: "Driver phone number is missing", "The notification name field must …". */
const IN_WORDS =
  /^(?:the\s+)?["'“]?((?:[a-z\d]{1,30}[ -]){0,5}?[a-z\d]{1,30})["'”]?\s+(?:field\s+)?(?:already|are|can|cannot|contains?|does|has|have|is|may|must|needs?|should|was)\b/i;

/** The only parameter that a text names in quotes, as a path, or in words at its beginning; undefined for none or several. */
export function parameterNamedIn(text: string, parameters: ReadonlySet<string>): string | undefined {
  const named = new Map<string, string>();
  for (const [, quoted, path, word = path ?? quoted ?? ''] of text
    .slice(0, MAX_TEXT_LENGTH)
    .matchAll(QUOTED_OR_PATH)) {
    const [first = ''] = segmentsOf(word, parameters);
    if (parameters.has(canonicalName(first))) named.set(canonicalName(first), word);
  }
  const [only, ...others] = named.values();
  const [, words = ''] = IN_WORDS.exec(text) ?? [];
  if (only === undefined && parameters.has(canonicalName(words))) return words;
  return others.length === 0 ? only : undefined;
}

/** The parts of a text about several parameters, one for each: `"a" is missing. "b" is too long`; none unless each part names one. */
export function partsByParameter(text: string, parameters: ReadonlySet<string>): string[] {
  const parts: string[] = [];
  for (const part of text.slice(0, MAX_TEXT_LENGTH).split(/(?<=[.,;])\s+|\n+/)) {
    const isNext = parts.length === 0 || parameterNamedIn(part, parameters) !== undefined;
    if (isNext) parts.push(part);
    else parts.push(`${parts.pop()} ${part}`);
  }
  const isComplete = text.length <= MAX_TEXT_LENGTH && parts.length > 1;
  const areNamed = parts.every((part) => parameterNamedIn(part, parameters) !== undefined);
  return isComplete && areNamed ? parts.map((part) => part.replace(/[,;]$/, '')) : [];
}

/** A name from its segments: `emailList[1]`; undefined without any. */
export function joinSegments(segments: readonly string[]): string | undefined {
  const [first, ...rest] = segments;
  return rest.reduce<string | undefined>(
    (name, segment) => `${name ?? ''}${/^\d+$/.test(segment) ? `[${segment}]` : `.${segment}`}`,
    first,
  );
}

/** Whether a name, or a segment of it, is the name of a parameter. */
export function isParameter(name: string | readonly unknown[], parameters: ReadonlySet<string>): boolean {
  const [first = ''] = segmentsOf(name, parameters);
  return parameters.has(canonicalName(first));
}

/**
 * A failure that finds the argument of each field that the service names. `path` is the path of `given`. Since `toParameters` only moves
 * values, it can run again with markers in place of the values, which lead to the paths of the arguments.
 */
export function located<Arguments extends object>(
  error: unknown,
  given: Arguments,
  path: ArgumentPath = [],
  toParameters: (args: Arguments) => Readonly<Record<string, unknown>>,
): unknown {
  return withDetails(error, {
    argumentOf(field) {
      const paths = new Map<unknown, ArgumentPath>();
      const parameters = toParameters(toMarkers(given, path, paths) as Arguments);
      const names = new Set(Object.keys(parameters).map(canonicalName));
      let part: unknown = parameters;
      let found: ArgumentPath | undefined;
      for (const segment of segmentsOf(field, names)) {
        part = memberOf(part, segment);
        found = paths.get(part) ?? found;
      }
      return found;
    },
  });
}

/** An element of a list, or why it could not be loaded: that is about the argument of the element, though elements may share it. */
export function relocated<Element>(element: Element, argument: ArgumentPath): Element | GatewayError {
  if (!(element instanceof GatewayError)) return element;
  const { argumentOf } = element;
  return element.with({ argumentOf: (field) => argumentOf?.(field) && argument });
}

/** A copy of a value with a new object as the marker of each of its parts; `paths` gets the path of that part. */
function toMarkers(value: unknown, path: ArgumentPath, paths: Map<unknown, ArgumentPath>): unknown {
  if (value === null || value === undefined) return undefined;
  const members = typeof value === 'object' ? Object.entries(value) : [];
  const marker: object = Array.isArray(value)
    ? value.map((element, index) => toMarkers(element, [...path, index], paths))
    : Object.fromEntries(members.map(([name, member]) => [name, toMarkers(member, [...path, name], paths)]));
  paths.set(marker, path);
  return marker;
}

/** An element by its index, or a member by its name in any spelling. */
function memberOf(value: unknown, segment: string): unknown {
  const name = canonicalName(segment);
  return Object.entries(Object(value) as object).find(([key]) => canonicalName(key) === name)?.[1];
}
