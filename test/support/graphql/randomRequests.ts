/** Generates bodies of requests: valid operations with wrong input, expensive documents, JSON of any shape, and bytes. */
import type { SeededRandom } from '../tools/seededRandom.js';
import { documentBombs, type DocumentBomb } from './documentBombs.js';
import { mutateValue } from './mutateValue.js';
import { allValidArguments, asLiterals, asVariables, fieldNames } from './rootFields.js';

/** Maximum bytes of a body: what the gateway accepts. */
const MAX_BYTES = 262_144;

const bombs = Object.values(documentBombs) as [DocumentBomb, ...DocumentBomb[]];
// oxfmt-ignore
const pieces = [
  '[', ']', '{"a":', '}', '{"query":', '"', '\\', '\0', '\u00e9', '🚚', '\\ud800', '0', '-', '1e999', 'nul', ' ', '\n', '{', '...', '@', '$', '#', '"""',
] as const;
// oxfmt-ignore
const names = [
  'query', 'operationName', 'variables', 'extensions', 'id', 'documentId', 'a', '', '__proto__', 'constructor', 'toString', 'toJSON', 'length',
] as const;

/** Generates one body. The same state of the generator gives the same body. */
export function randomBody(random: SeededRandom): Buffer {
  const bodies: [() => Buffer | string, ...(() => string)[]] = [
    () => random.bytes(random.below(2000)),
    () => randomText(random),
    () => corrupted(random, JSON.stringify(validRequest(random))),
    () => JSON.stringify(mutatedBomb(random)),
    () => JSON.stringify(anyJson(random)),
    () => JSON.stringify({ ...validRequest(random), [random.pick(names)]: anyJson(random) }),
    () => wrongInput(random),
    () => wrongInput(random),
  ];
  return Buffer.from(random.pick(bodies)()).subarray(0, MAX_BYTES);
}

/** Few repetitions mostly, and now and then as many as a body has room for. */
function randomText(random: SeededRandom, max = MAX_BYTES): string {
  const unit = Array.from({ length: 1 + random.below(3) }, () => random.pick(pieces)).join('');
  return unit.repeat(random.below(random.happens(0.8) ? 50 : max / unit.length));
}

/** Any JSON value, of about as many characters as there is room for: deep, wide or long. */
function anyJson(random: SeededRandom, levels = 4, room = 200_000): unknown {
  const kind = random.below(levels > 0 ? 7 : 5);
  if (kind === 0) return random.pick([null, true, 0, -0, 1.5, 2 ** 53, 1e308]);
  if (kind < 3) return randomText(random, room);
  if (kind < 5) return deep(Math.min(random.pick([50, 101, 1000, 3000]), room / 5));
  const size = random.below(random.pick([3, 30, 300]));
  const members = Array.from({ length: size }, () => anyJson(random, levels - 2, room / size));
  if (kind === 5) return members;
  return Object.fromEntries(members.map((member) => [random.pick(names) + random.pick(pieces), member]));
}

function deep(levels: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** A text with a few pieces changed, removed or repeated. */
function corrupted(random: SeededRandom, text: string): string {
  let result = text;
  for (let changes = 1 + random.below(4); changes > 0; changes -= 1) {
    const from = random.below(result.length);
    const to = Math.min(result.length, from + random.below(30));
    const piece = random.pick(['', result.slice(from, to).repeat(2), randomText(random, 300)]);
    result = result.slice(0, from) + piece + result.slice(to);
  }
  return result;
}

function mutatedBomb(random: SeededRandom): object {
  const { query, variables } = random.pick(bombs);
  return { query: random.happens(0.5) ? corrupted(random, query) : query, variables };
}

function validRequest(random: SeededRandom) {
  const field = random.pick(fieldNames as [(typeof fieldNames)[number]]);
  const toOperation = random.pick([asLiterals, asVariables]);
  return toOperation(field, structuredClone(random.pick(allValidArguments(field))));
}

/** A valid operation whose variables have values that are wrong, deep, wide or long. */
function wrongInput(random: SeededRandom): string {
  const field = random.pick(fieldNames as [(typeof fieldNames)[number]]);
  let variables: unknown = asVariables(field, random.pick(allValidArguments(field))).variables;
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1)
    variables = mutateValue(random, variables);
  const text = JSON.stringify({ ...asVariables(field, {}), variables });
  const leaf = JSON.stringify(anyJson(random, 1, 300));
  const list = Array<string>(1 + random.below(300))
    .fill(leaf)
    .join();
  return random.happens(0.5)
    ? text.replace(/\["[^"]*"\]/, () => `[${list}]`)
    : text.replace(/"(?:REF|XID|Dock|Stop|EXMA|e\d{7})[^"]*"/, () => leaf);
}
