/** Generates bodies of requests: valid operations with wrong input, documents of any shape, JSON of any shape, and bytes. */
import { createSchema } from '../../../src/graphql/schema.js';
import type { SeededRandom } from '../tools/seededRandom.js';
import { documentBombs } from './documentBombs.js';
import { mutateValue } from './mutateValue.js';
import { randomOperation } from './randomOperations.js';
import { allValidArguments, asVariables, fieldNames, isMutation } from './rootFields.js';

/** JSON text that JSON.stringify cannot write, or not exactly like this. */
class RawJson {
  constructor(readonly text: string) {}
}

/** Maximum bytes of a body: what the gateway accepts. */
const MAX_BYTES = 262_144;

const schema = createSchema();
const bombs = Object.values(documentBombs);
const [firstBomb = { query: '' }, ...otherBombs] = bombs;

const units = ['[', '{"a":', '{"query":', '"', '\\', '\0', '\u00e9', '0', '-', 'nul', ' ', '\n'] as const;

/** Generates one body. The same state of the generator gives the same body. */
export function randomBody(random: SeededRandom): Buffer {
  const kind = random.below(20);
  const body = () => {
    if (kind === 0) return random.bytes(random.below(2000));
    if (kind === 1) return corrupted(random, toJson(random, validRequest(random)));
    if (kind === 2) return toJson(random, anyJson(random, 4));
    if (kind === 3) return repeated(random, units);
    if (kind < 6) return toJson(random, { query: tokenSoup(random) });
    if (kind < 10) return toJson(random, wideDocument(random));
    if (kind === 10) return toJson(random, mutatedBomb(random));
    if (kind < 13) return toJson(random, withOddParams(random));
    return toJson(random, wrongInput(random));
  };
  const text = body();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return bytes.subarray(0, MAX_BYTES);
}

/** Few characters mostly, and now and then as many as a body has room for. */
function randomLength(random: SeededRandom, max: number): number {
  return random.happens(0.9) ? random.below(Math.min(max, 200)) : random.below(max);
}

// prettier-ignore
const characters = [
  'a', 'Z', '_', '"', '\\', '\n', '\0', '\u00e9', '\u20ac', '🚚', '\ud800', '\udc00', ' ', '/', '.', '@',
] as const;

function randomText(random: SeededRandom, max = 100_000): string {
  const unit = random.happens(0.5)
    ? random.pick(characters)
    : Array.from({ length: 5 }, () => random.pick(characters)).join('');
  return unit.repeat(Math.ceil(randomLength(random, max) / unit.length));
}

// prettier-ignore
const knownNames = [
  'notification', 'notifications', 'notificationsByGuid', 'notificationGuid', 'createNotification', 'input',
  'messages', 'recipient', 'filters', 'ID', 'String', 'NotificationInput', 'UpdateNotificationInput', 'JSON',
  'JSONObject', 'Notification', 'Query', 'Mutation', '__typename', '__schema', '__type', 'include', 'skip', 'if',
  'on', 'query', 'mutation', 'subscription', 'fragment', 'true', 'false', 'null', 'EN_ROUTE', '__proto__',
  'constructor', 'toString',
] as const;

function randomName(random: SeededRandom, max = 100_000): string {
  if (random.happens(0.7)) return random.pick(knownNames);
  return `${random.pick(['a', '_', 'X'])}${'n'.repeat(randomLength(random, max))}${random.below(10)}`;
}

/** Any JSON value of about as many characters as there is room for, which may be deep, wide or long. */
function anyJson(random: SeededRandom, levels: number, room = 200_000): unknown {
  const kind = random.below(levels > 0 ? 14 : 7);
  if (kind === 0) return null;
  if (kind === 1) return random.happens(0.5);
  if (kind === 2) return random.pick([0, -0, 1.5, 2 ** 53, 1e308, -1, 5e-324]);
  if (kind === 3)
    return new RawJson(
      random.pick(['1e999', '-1e999', '123456789012345678901234567890', `1${'0'.repeat(300)}`]),
    );
  if (kind < 6) return randomText(random, room);
  if (kind === 6) return deep(random, room);
  const size = randomLength(random, Math.min(room / 4, 3000)) >> random.below(6);
  if (kind < 10) return Array.from({ length: size }, () => anyJson(random, levels - 2, room / size));
  return Object.fromEntries(
    Array.from({ length: size }, (_, index) => [
      keyName(random, index, room / size),
      anyJson(random, levels - 2, room / size),
    ]),
  );
}

function keyName(random: SeededRandom, index: number, room: number): string {
  if (random.happens(0.2))
    return random.pick([
      '__proto__',
      'constructor',
      'toString',
      'toJSON',
      'valueOf',
      'length',
      'query',
      'variables',
    ]);
  return random.happens(0.8) ? `k${index}` : randomText(random, room);
}

function deep(random: SeededRandom, room: number): RawJson {
  const [open, close] = random.pick<[open: string, close: string]>([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"":', '}]'],
  ]);
  const levels = Math.min(random.pick([50, 101, 1000, 10_000, 100_000]), room / (open.length + close.length));
  const value = random.pick(['1', '"x"', 'null', '{}']);
  return new RawJson(`${open.repeat(levels)}${value}${close.repeat(levels)}`);
}

/** Serializes JSON whose parts may be raw. */
function toJson(random: SeededRandom, value: unknown): string {
  const parts: RawJson[] = [];
  const mark = `raw${random.below(1e9)}-`;
  const text = JSON.stringify(value, (_key, member: unknown) =>
    member instanceof RawJson ? `${mark}${parts.push(member) - 1}` : member,
  );
  return text.replaceAll(
    new RegExp(`"${mark}(\\d+)"`, 'g'),
    (_match, index) => parts[Number(index)]?.text ?? '',
  );
}

function repeated(random: SeededRandom, units: readonly [string, ...string[]]): string {
  const unit = Array.from({ length: 1 + random.below(3) }, () => random.pick(units)).join('');
  return unit.repeat(Math.ceil(randomLength(random, MAX_BYTES) / unit.length));
}

/** A text with a few pieces changed, removed or repeated. */
function corrupted(random: SeededRandom, text: string): string {
  let result = text;
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) {
    const from = random.below(result.length);
    const to = Math.min(result.length, from + random.below(30));
    const piece = random.pick([
      '',
      result.slice(from, to).repeat(2),
      randomText(random, 300),
      random.pick(characters),
    ]);
    result = result.slice(0, from) + piece + result.slice(to);
  }
  return result;
}

function validRequest(random: SeededRandom): { query: string; variables: Record<string, unknown> } {
  const field = random.pick(fieldNames as [(typeof fieldNames)[number]]);
  const variables = structuredClone(random.pick(allValidArguments(field) as [Record<string, unknown>]));
  const type = isMutation(field) ? 'mutation' : 'query';
  const query = random.happens(0.7)
    ? randomOperation({ schema, random, field, type })
    : asVariables(field, {}).query;
  return { query, variables };
}

/** A valid operation whose variables have values that are wrong, deep, wide or long, and which many fields may use. */
function wrongInput(random: SeededRandom): object {
  const { query, variables } = validRequest(random);
  let wrong: unknown = variables;
  for (let changes = random.below(4); changes > 0; changes -= 1) wrong = mutateValue(random, wrong);
  if (random.happens(0.7)) wrong = replacedLeaf(random, wrong);
  return { query: random.happens(0.3) ? withAliases(random, query) : query, variables: wrong };
}

/** Replaces one value anywhere within a value by any other JSON. */
function replacedLeaf(random: SeededRandom, value: unknown, room = 200_000): unknown {
  const isObject = typeof value === 'object' && value !== null;
  const keys = isObject ? Object.keys(value) : [];
  const [first, ...others] = keys;
  if (first === undefined || random.happens(0.15)) return anyJson(random, 4, room);
  const key = random.pick([first, ...others]);
  const count = Array.isArray(value) && random.happens(0.5) ? 1 + randomLength(random, 1000) : 1;
  const member = replacedLeaf(random, (value as Record<string, unknown>)[key], room / count);
  return Array.isArray(value) ? Array<unknown>(count).fill(member) : { ...(value as object), [key]: member };
}

/** The same root field several times, under aliases. */
function withAliases(random: SeededRandom, query: string): string {
  const [, head = '', selection = '', tail = ''] =
    /^([^{]*\{ )(.*?)( \}(?:\nfragment[^]*)?)$/.exec(query) ?? [];
  const name = 'n'.repeat(randomLength(random, 2000));
  const count = 1 + random.below(60);
  const field = selection.replace(/^\w+: /, '');
  return `${head}${Array.from({ length: count }, (_, index) => `a${name}${index}: ${field}`).join(' ')}${tail}`;
}

// prettier-ignore
const punctuators = [
  '{', '}', '(', ')', '[', ']', ':', '!', '=', '@', '$', '...', '|', '&', ',', '\ufeff', '#', '"""', '"',
] as const;

/** Tokens in any order. */
function tokenSoup(random: SeededRandom): string {
  const token = () => {
    const kind = random.below(10);
    if (kind < 4) return random.pick(punctuators);
    if (kind < 7) return randomName(random, 20_000);
    if (kind === 7)
      return random.pick(['0', '-1', '1.5e10', '9'.repeat(randomLength(random, 20_000)), '00', '1a']);
    if (kind === 8)
      return random.pick([JSON.stringify(randomText(random, 20_000)), `"""${randomText(random, 5000)}"""`]);
    return random.pick([' ', '\n', '\r\n', `#${'c'.repeat(randomLength(random, 20_000))}\n`]);
  };
  return `${random.pick(['{', 'query ', 'mutation {', 'fragment F on Query {', ''])}${Array.from({ length: randomLength(random, 1500) }, token).join(random.pick([' ', '']))}`;
}

/** Much of the same: aliases, variables, directives, fragments, arguments, values, or levels of any of them. */
function wideDocument(random: SeededRandom): object {
  const count = 1 + random.below(random.pick([5, 60, 400]));
  const long = 'n'.repeat(randomLength(random, 200_000 / count));
  const many = (part: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => part(index)).join(' ');
  const literal = () =>
    random.pick([
      '1',
      `"${long}"`,
      'null',
      `{a:"${long}"}`,
      `[${many(() => '"x"')}]`,
      long || 'x',
      '$v',
      `${'['.repeat(count)}${']'.repeat(count)}`,
      `${'{a:'.repeat(count)}1${'}'.repeat(count)}`,
    ]);
  const read = `notification(notificationGuid: ${literal()})`;
  const shapes: [() => string, ...(() => string)[]] = [
    () => `{ ${many((index) => `a${long}${index}: ${read} { notificationGuid }`)} }`,
    () => `{ ${many(() => `${read} { notificationGuid }`)} }`,
    () =>
      `query ${long}(${many((index) => `$v${long}${index}: ${random.pick(['ID', 'ID!', 'NotificationInput', long || 'X', `${'['.repeat(index)}ID${']'.repeat(index)}`])}`)}) { __typename }`,
    () =>
      `{ __typename ${many(() => `@${random.pick(['skip(if: true)', 'include(if: false)', long || 'x', 'skip'])}`)} }`,
    () =>
      `{ ${many((index) => `...F${index}`)} } ${many((index) => `fragment F${index} on ${random.pick(['Query', long || 'X', 'Mutation'])} { ...F${random.below(count)} a: ${random.pick(['__typename', long || 'x'])} }`)}`,
    () =>
      `{ notifications(${many((index) => `${long}${random.pick(['additionalParameters', `x${index}`])}: ${literal()}`)}) { messages } }`,
    () =>
      `mutation ${long} { ${many((index) => `d${index}: deleteNotification(notificationGuid: ${literal()}) { messages }`)} }`,
    () =>
      `mutation { createNotification(input: {${many((index) => `${random.pick(['notificationName', `f${long}${index}`, 'filters'])}: ${literal()}`)}}) { messages } }`,
    () => `${'{a'.repeat(count)} ${'}'.repeat(count)}`,
    () =>
      `{ notifications { ${many(() => `a${long}: ${random.pick(['messages', 'totalPossibleCount', '__typename'])}`)} } }`,
    () =>
      `{ notificationsByGuid(notificationGuids: [${many((index) => random.pick([`"${index}"`, '".."', literal()]))}]) { ${many(() => 'notificationGuid')} } }`,
    () => many((index) => `query Q${index}${long} { __typename }`),
  ];
  const query = random.pick(shapes)();
  const space = random.happens(0.2)
    ? random.pick(['\n', ' ', '#c\n', ',']).repeat(randomLength(random, 100_000))
    : '';
  return {
    query: random.happens(0.5) ? `${space}${query}` : `${query}${space}`,
    variables: { v: anyJson(random, 2) },
  };
}

function mutatedBomb(random: SeededRandom): object {
  const { query, variables } = random.pick([firstBomb, ...otherBombs]);
  return { query: random.happens(0.5) ? corrupted(random, query) : query, variables };
}

function withOddParams(random: SeededRandom): object {
  const params: Record<string, unknown> = { ...validRequest(random) };
  const names = [
    'query',
    'operationName',
    'variables',
    'extensions',
    'id',
    'documentId',
    '__proto__',
  ] as const;
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1)
    params[random.pick(names)] = random.happens(0.3)
      ? { persistedQuery: { version: random.pick([1, 2, '1']), sha256Hash: anyJson(random, 2) } }
      : anyJson(random, 3);
  return params;
}
