/** An invalid OPERATIONS_MANIFEST prevents startup, with an error that says why. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config/config.js';

const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FORMATS =
  'expected a persisted-query manifest of Apollo Client (apollo-persisted-query-manifest, version 1) or Relay (an object of operations by ID)';
const NO_OPERATION = 'expected at least one operation, got none';
const apolloManifest = (operations: unknown, overrides = {}) =>
  JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations, ...overrides });

test.each<[reason: string, text: string, problem: string | RegExp]>([
  ['an empty file', '', /^expected a JSON file: /],
  ['invalid JSON', '{"a":', /^expected a JSON file: /],
  ['an array', '[]', FORMATS],
  ['null', 'null', FORMATS],
  ['a Relay manifest with a number as operation', '{"a":1}', FORMATS],
  ['a Relay manifest with an empty operation', '{"a":""}', FORMATS],
  ['an Apollo manifest without operations', apolloManifest([]), NO_OPERATION],
  ['a Relay manifest without operations', '{}', NO_OPERATION],
  ['an unsupported version', apolloManifest([], { version: 2 }), FORMATS],
  ['an unsupported format', apolloManifest([], { format: 'other' }), FORMATS],
  ['operations that are not an array', apolloManifest({}), FORMATS],
  ['an operation without a body', apolloManifest([{ id: 'a', name: 'A', type: 'query' }]), FORMATS],
  ['an operation without an id', apolloManifest([{ body: '{ a }' }]), FORMATS],
  [
    'a syntax error in a Relay manifest',
    '{"a":"{ __typename }","b":"{ "}',
    'expected a GraphQL document for "b": Syntax Error: Expected Name, found <EOF>.',
  ],
  [
    'a syntax error in an Apollo manifest',
    apolloManifest([{ id: 'c', name: 'C', type: 'query', body: 'query C {' }]),
    'expected a GraphQL document for "c": Syntax Error: Expected Name, found <EOF>.',
  ],
])('the manifest is rejected for %s', (_reason, text, problem) => {
  const file = join(folder, 'manifest.json');
  writeFileSync(file, text);
  const [reported, ...others] = problemsOf(file);
  expect(reported).toMatch(/^OPERATIONS_MANIFEST: /);
  if (typeof problem === 'string') expect(reported).toBe(`OPERATIONS_MANIFEST: ${problem}`);
  else expect(reported?.replace('OPERATIONS_MANIFEST: ', '')).toMatch(problem);
  expect(others).toEqual([]);
});

test('the manifest is rejected for a missing file', () => {
  const file = join(folder, 'none.json');
  expect(problemsOf(file)).toEqual([
    `OPERATIONS_MANIFEST: expected a readable file, got ${file}, which does not exist (ENOENT)`,
  ]);
});

test('the manifest is rejected for a directory', () => {
  expect(problemsOf(folder)).toEqual([
    `OPERATIONS_MANIFEST: expected a regular file, got ${folder}, which is not one`,
  ]);
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
