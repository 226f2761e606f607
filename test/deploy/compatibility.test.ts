/** What counts as a breaking change between two versions (docs/releasing.md). */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compareSurfaces } from '../../scripts/compatibility/changes.js';
import {
  formatSurface,
  PublicSurface,
  readPublicSurface,
  SURFACE_FILE,
} from '../../scripts/compatibility/publicSurface.js';
import { root } from '../support/deploy/deployment.js';

const committed = readFileSync(root + SURFACE_FILE, 'utf8');
const surface = PublicSurface.parse(JSON.parse(committed));

test('docs/public-surface.json lists the public surface of the sources (npm run surface)', async () => {
  expect(committed).toBe(await formatSurface(await readPublicSurface()));
});

test('it holds what clients and operators depend on', () => {
  expect(surface.schema).toEqual(expect.arrayContaining(['type Query {', 'type Mutation {']));
  expect(surface.entityKeys).toEqual({ Notification: ['notificationGuid'] });
  expect(surface.errorCodes).toMatchObject({
    NOT_FOUND: { outcome: '`NOT_APPLIED`', retryable: 'no' },
    RATE_LIMITED: { retryable: 'yes' },
  });
  expect(surface.variables).toMatchObject({
    METRICS_PORT: { minimum: 0, maximum: 65_535 },
    LOG_LEVEL: { default: 'info', values: expect.arrayContaining(['warn']) as string[] },
    MAX_BYTES_IN_FLIGHT: { minimum: 65_536, maximum: 17_179_869_184 },
    SERVICE_URL: {},
  });
  expect(surface.metrics).toMatchObject({
    read_backs_total: {
      type: 'counter',
      labels: { field: expect.arrayContaining(['updateNotification']) as string[] },
    },
    rest_circuit_open: { type: 'gauge', labels: { server_address: [] } },
  });
  expect(surface.logMessages).toMatchObject({ 'Circuit breaker opened': 'error (50)' });
  expect(surface.requestHeaders).toContain('idempotency-key');
  expect(surface.responseHeaders).toContain('retry-after');
  expect(surface.package).toMatchObject({
    commands: ['shipment-graphql-gateway'],
    exports: { './errors': { GatewayErrorExtensions: { 'outcome?': "'NOT_APPLIED' | 'UNKNOWN'" } } },
  });
});

test('the same surface has no changes', async () => {
  expect(await compareSurfaces(surface, surface)).toEqual([]);
});

test('a label whose list of values is closed, or no longer closed, has no changes', async () => {
  const metric = (values: string[]) =>
    PublicSurface.parse({ ...surface, metrics: { up: { type: 'counter', labels: { result: values } } } });
  expect(await compareSurfaces(metric([]), metric(['success']))).toEqual([]);
  expect(await compareSurfaces(metric(['success']), metric([]))).toEqual([]);
});

/** A small surface; each test changes one name of it. */
const base = PublicSurface.parse({
  schema: [
    'directive @merge(keyField: String!) on FIELD_DEFINITION',
    'type Query { item(id: ID!, first: Int = 10): Item items: [Item!]! @merge(keyField: "id") }',
    'type Item { id: ID! state: State }',
    'enum State { OPEN CLOSED }',
    'input Choice { one: Int two: Int }',
  ],
  entityKeys: { Item: ['id'] },
  errorCodes: { NOT_FOUND: { outcome: 'NOT_APPLIED', retryable: 'no' } },
  inputRules: ['REQUIRED'],
  variables: {
    LIMIT: { default: 10, minimum: 1, maximum: 100 },
    LEVEL: { values: ['info', 'warn'] },
    URL: {},
  },
  metrics: {
    requests_total: { type: 'counter', labels: { result: ['success', 'failure'], route: [] } },
  },
  logMessages: { 'Circuit opened': 'error (50)' },
  requestHeaders: ['x-dry-run'],
  responseHeaders: ['retry-after'],
  package: {
    node: '>=20.19',
    commands: ['gateway'],
    exports: { '.': { start: {}, Gateway: { url: 'string' }, Options: { 'port?': 'number' } } },
  },
});

/** Compares the base with its JSON after a replacement. */
async function changesAfter(text: string, replacement: string): Promise<string[]> {
  const before = JSON.stringify(base);
  expect(before.split(text)).toHaveLength(2);
  const after = PublicSurface.parse(JSON.parse(before.replace(text, replacement)));
  return (await compareSurfaces(base, after)).map(({ level, message }) => `${level}: ${message}`);
}

describe('It is breaking', () => {
  test.each([
    ['to remove a field', ' state: State', '', "Schema: Field 'state' was removed from object type 'Item'"],
    ['to remove an argument', ', first: Int = 10', '', "Schema: Argument 'first: Int' was removed"],
    ['to make an argument required', 'first: Int = 10', 'first: Int!', "Schema: Type for argument 'first'"],
    ['to make a response nullable', '[Item!]!', '[Item!]', "changed type from '[Item!]!' to '[Item!]'"],
    ['to remove an enum value', ' CLOSED', '', "Schema: Enum value 'CLOSED' was removed from enum 'State'"],
    ['to require an input field', 'one: Int ', 'one: Int! ', "Schema: Input field 'Choice.one' changed type"],
    ['to make an input @oneOf', 'input Choice', 'input Choice @oneOf', "'oneOf'"],
    ['to remove a stitching key', ' @merge(keyField: \\"id\\")', '', "Schema: Directive 'merge' was removed"],
    ['to remove an entity key', '"Item":["id"]', '"Item":["no"]', 'Entity Item: key removed: id'],
    ['to rename an error code', '"NOT_FOUND"', '"MISSING"', 'Error code removed: NOT_FOUND'],
    ['to remove an input rule', '"REQUIRED"', '', 'Input rule removed: REQUIRED'],
    ['to rename a variable', '"URL"', '"ADDRESS"', 'Environment variable removed: URL'],
    [
      'to lower a maximum',
      '"maximum":100',
      '"maximum":99',
      'Environment variable LIMIT: range changed from "1–100" to "1–99"',
    ],
    [
      'to raise a minimum',
      '"minimum":1,',
      '"minimum":2,',
      'Environment variable LIMIT: range changed from "1–100" to "2–100"',
    ],
    [
      'to give a variable a range that it did not have',
      '"URL":{}',
      '"URL":{"minimum":0,"maximum":9}',
      'Environment variable URL: range changed from none to "0–9"',
    ],
    [
      'to remove a value of a variable',
      '["info","warn"]',
      '["info"]',
      'Environment variable LEVEL: value removed: warn',
    ],
    [
      'to allow only some values of a variable',
      '"URL":{}',
      '"URL":{"values":["a"]}',
      'Environment variable URL: allowed values changed from none to ["a"]',
    ],
    ['to rename a metric', '"requests_total"', '"request_total"', 'Metric removed: requests_total'],
    [
      'to change the type of a metric',
      '"counter"',
      '"gauge"',
      'Metric requests_total: type changed from "counter" to "gauge"',
    ],
    ['to rename a label', '"route"', '"path"', 'Metric requests_total: label removed: route'],
    [
      'to remove a value of a label',
      '"success","failure"',
      '"success"',
      'Metric requests_total: value of result removed: failure',
    ],
    [
      'to reword a documented log message',
      'Circuit opened',
      'Circuit open',
      'Log message removed: Circuit opened',
    ],
    ['to rename a header of requests', 'x-dry-run', 'dry-run', 'Request header removed: x-dry-run'],
    ['to remove a header of responses', '"retry-after"', '', 'Response header removed: retry-after'],
    [
      'to end the support of a Node.js version',
      '>=20.19',
      '>=22.1',
      'Package: Node.js versions changed from ">=20.19" to ">=22.1"',
    ],
    [
      'to rename the command',
      '"commands":["gateway"]',
      '"commands":["run"]',
      'Package: command removed: gateway',
    ],
    ['to remove a subpath', '"exports":{"."', '"exports":{"./new"', 'Package: export removed: .'],
    ['to remove an exported name', '"start":{},', '', 'Package: name in . removed: start'],
    ['to remove a member of a type', '"url":"string"', '', 'Package: member of Gateway removed: url'],
    [
      'to add an option that is required',
      '"port?":"number"',
      '"port?":"number","host":"string"',
      'Package: member of Options added: host',
    ],
  ])('%s', async (_what, text, replacement, message) => {
    const [first] = await changesAfter(text, replacement);
    expect(first).toMatch(/^breaking: /);
    expect(first).toContain(message);
  });
});

describe('It is not breaking, but has to be looked at,', () => {
  test.each([
    [
      'to add an enum value',
      ' CLOSED',
      ' CLOSED LOST',
      "Schema: Enum value 'LOST' was added to enum 'State'",
    ],
    [
      'to add an error code',
      '"NOT_FOUND":',
      '"GONE":{"outcome":"","retryable":""},"NOT_FOUND":',
      'Error code added: GONE',
    ],
    [
      'to change the outcome of an error code',
      'NOT_APPLIED',
      'UNKNOWN',
      'Error code NOT_FOUND: outcome changed from "NOT_APPLIED" to "UNKNOWN"',
    ],
    ['to add an input rule', '"REQUIRED"', '"REQUIRED","UUID"', 'Input rule added: UUID'],
    [
      'to change a default',
      '"default":10',
      '"default":20',
      'Environment variable LIMIT: default changed from 10 to 20',
    ],
    ['to add a label', '"route":[]', '"route":[],"method":[]', 'Metric requests_total: label added: method'],
    [
      'to change the level of a log message',
      'error (50)',
      'warn (40)',
      'Log message Circuit opened: level changed from "error (50)" to "warn (40)"',
    ],
    [
      'to change the type of a member',
      '"url":"string"',
      '"url":"URL"',
      'Package: Gateway.url changed from "string" to "URL"',
    ],
  ])('%s', async (_what, text, replacement, message) => {
    expect(await changesAfter(text, replacement)).toEqual([`dangerous: ${message}`]);
  });
});

describe('It is safe', () => {
  test.each([
    [
      'to add a field',
      'type Item {',
      'type Item { name: String',
      "Schema: Field 'name' was added to object type 'Item'",
    ],
    [
      'to add an optional input field',
      'two: Int',
      'two: Int three: Int',
      "Schema: Input field 'three' of type 'Int' was added to input object type 'Choice'",
    ],
    ['to add a variable', '"URL":{}', '"URL":{},"NAME":{}', 'Environment variable added: NAME'],
    [
      'to widen a range',
      '"maximum":100',
      '"maximum":200',
      'Environment variable LIMIT: range changed from "1–100" to "1–200"',
    ],
    [
      'to add a value of a variable',
      '"warn"',
      '"warn","error"',
      'Environment variable LEVEL: value added: error',
    ],
    [
      'to add a metric',
      '"requests_total"',
      '"up":{"type":"gauge","labels":{}},"requests_total"',
      'Metric added: up',
    ],
    [
      'to add a value of a label',
      '"failure"',
      '"failure","timeout"',
      'Metric requests_total: value of result added: timeout',
    ],
    [
      'to document a log message',
      '"Circuit opened"',
      '"Started":"info (30)","Circuit opened"',
      'Log message added: Started',
    ],
    ['to add a header', '"x-dry-run"', '"x-dry-run","x-trace"', 'Request header added: x-trace'],
    [
      'to support an older Node.js',
      '>=20.19',
      '>=20.9',
      'Package: Node.js versions changed from ">=20.19" to ">=20.9"',
    ],
    ['to add an exported name', '"start":{}', '"start":{},"stop":{}', 'Package: name in . added: stop'],
    [
      'to add an optional option',
      '"port?":"number"',
      '"port?":"number","host?":"string"',
      'Package: member of Options added: host?',
    ],
  ])('%s', async (_what, text, replacement, message) => {
    expect(await changesAfter(text, replacement)).toEqual([`safe: ${message}`]);
  });
});
