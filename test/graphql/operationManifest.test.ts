/** Files of OPERATIONS_MANIFEST that are no manifest stop the start, and say what is wrong. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config/config.js';

const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const FORMATS =
  'expected a manifest in the format of Apollo Client (apollo-persisted-query-manifest, version 1) or of Relay (an object of operations by id)';
const apollo = (operations: unknown, others = {}) =>
  JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations, ...others });

test.each<[what: string, text: string, problem: string | RegExp]>([
  ['an empty file', '', /^expected a JSON file: /],
  ['no JSON', '{"a":', /^expected a JSON file: /],
  ['a list', '[]', FORMATS],
  ['null', 'null', FORMATS],
  ['numbers by id', '{"a":1}', FORMATS],
  ['an empty text', '{"a":""}', FORMATS],
  ['another version', apollo([], { version: 2 }), FORMATS],
  ['another format', apollo([], { format: 'other' }), FORMATS],
  ['operations that are no list', apollo({}), FORMATS],
  ['an operation without a text', apollo([{ id: 'a', name: 'A', type: 'query' }]), FORMATS],
  ['an operation without an id', apollo([{ body: '{ a }' }]), FORMATS],
  [
    'no GraphQL by id',
    '{"a":"{ __typename }","b":"{ "}',
    'expected a GraphQL document under "b": Syntax Error: Expected Name, found <EOF>.',
  ],
  [
    'no GraphQL in a list',
    apollo([{ id: 'c', name: 'C', type: 'query', body: 'query C {' }]),
    'expected a GraphQL document under "c": Syntax Error: Expected Name, found <EOF>.',
  ],
])('%s', (_what, text, problem) => {
  const file = join(folder, 'manifest.json');
  writeFileSync(file, text);
  const [found, ...others] = problemsOf(file);
  expect(found).toMatch(/^OPERATIONS_MANIFEST: /);
  if (typeof problem === 'string') expect(found).toBe(`OPERATIONS_MANIFEST: ${problem}`);
  else expect(found?.replace('OPERATIONS_MANIFEST: ', '')).toMatch(problem);
  expect(others).toEqual([]);
});

test('a file that is not there', () => {
  const file = join(folder, 'none.json');
  expect(problemsOf(file)).toEqual([
    `OPERATIONS_MANIFEST: ENOENT: no such file or directory, open '${file}'`,
  ]);
});

test('a folder', () => {
  expect(problemsOf(folder)).toEqual(['OPERATIONS_MANIFEST: EISDIR: illegal operation on a directory, read']);
});

function problemsOf(file: string): readonly string[] {
  try {
    parseConfig({ OPERATIONS_MANIFEST: file });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
