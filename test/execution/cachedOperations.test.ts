/** No document gets onto the short way that Apollo Server would refuse, or that this caller may not send. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { startGateway, TOKEN, type TestGateway } from '../support/gateway/gateway.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';

/** Texts of the documents that were made known. */
const added: string[] = [];
vi.mock(import('../../src/graphql/execution/operationCache.js'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    createOperationCache(options) {
      const known = original.createOperationCache(options);
      return {
        find: (text, name) => known.find(text, name),
        add(text, document) {
          added.push(text);
          known.add(text, document);
        },
      };
    },
  };
});
afterEach(() => {
  added.length = 0;
});

/** More than it takes for an operation to be compiled. */
const TIMES = 45;
const SUBGRAPH_TOKEN = 'a-token-of-a-composing-gateway';
const HOLDER = { headers: { 'x-subgraph-token': SUBGRAPH_TOKEN } };
const MANIFEST = fileURLToPath(new URL('../http/manifests/relay.json', import.meta.url));
const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

let open: TestGateway;
let listed: TestGateway;
beforeAll(async () => {
  open = await startGateway({ env: { SUBGRAPH_TOKEN, MAX_DEPTH: '2' } });
  listed = await startGateway({ env: { SUBGRAPH_TOKEN, OPERATIONS_MANIFEST: MANIFEST } });
});
afterAll(async () => {
  await open.stop();
  await listed.stop();
});

describe('it is never known', () => {
  test.each<[what: string, query: string]>([
    ['no GraphQL', '{'],
    ['an unknown field', '{ notifications { colour } }'],
    ['an unused variable', 'query ($guid: ID!) { __typename }'],
    ['a fragment of itself', '{ ...F } fragment F on Query { ...F }'],
    ['introspection', '{ __schema { queryType { name } } }'],
    ['too many tokens', `{ ${'__typename '.repeat(999)} }`],
    ['too many lines', `{ __typename ${'\n'.repeat(1001)} }`],
    ['too many aliases', `{ ${repeat(52, (index) => `a${index}: notifications { messages }`)} }`],
    ['too many directives', `{ __typename ${'@include(if: true) '.repeat(51)} }`],
    ['too deep', '{ notifications { notifications { recipient { __typename } } } }'],
    ['for gateways over several graphs', '{ _service { sdl } }'],
  ])('%s', async (_what, query) => {
    for (let time = 0; time < 3; time += 1)
      expect(await executeAndRecord(open, { query })).toMatchObject({
        status: 400,
        data: undefined,
        calls: [],
      });
    expect(added).toEqual([]);
  });

  test('an operation that the manifest does not list', async () => {
    const query = '{ notifications { totalPossibleCount } }';
    for (let time = 0; time < 3; time += 1)
      expect(await executeAndRecord(listed, { query })).toMatchObject({ status: 400, calls: [] });
    expect(added).toEqual([]);
  });
});

test('of a known document an operation beyond a limit is refused each time', async () => {
  const query =
    'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationGuid } }';
  const guids = Array.from({ length: 51 }, (_, index) => `unknown-${index}`);
  const few = { query, variables: { guids: guids.slice(0, 1) } };
  for (let time = 0; time < TIMES; time += 1) {
    expect((await executeAndRecord(open, few)).calls.length).toBe(1);
    expect(await executeAndRecord(open, { query, variables: { guids } })).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }],
      calls: [],
    });
  }
});

test('what is known for the holders of the token is not for others', async () => {
  const query =
    'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Notification { notificationGuid } } }';
  const variables = { r: [{ __typename: 'Notification', notificationGuid: SEED_GUID }] };
  for (let time = 0; time < TIMES; time += 1) {
    expect(await executeAndRecord(open, { query, variables }, HOLDER)).toMatchObject({
      status: 200,
      data: { _entities: [{ notificationGuid: SEED_GUID }] },
    });
    for (const headers of [{}, { 'x-subgraph-token': `${SUBGRAPH_TOKEN}x` }])
      expect(await executeAndRecord(open, { query, variables }, { headers })).toMatchObject({
        status: 400,
        calls: [],
      });
  }
});

test('what the manifest lists runs by its text and by its id, however well it is known', async () => {
  const operations = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Record<string, string>;
  const [id = '', query = ''] = Object.entries(operations).find(([, text]) => text.includes('query')) ?? [];
  const send = async (parameters: object) => {
    const response = await fetch(listed.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ ...parameters, variables: { guid: SEED_GUID } }),
    });
    return { status: response.status, text: await response.text(), calls: listed.takeCalls().length };
  };
  listed.takeCalls();
  const first = await send({ query });
  expect(first).toMatchObject({ status: 200, calls: 1 });
  for (let time = 0; time < TIMES; time += 1) {
    expect(await send({ query })).toEqual(first);
    expect(await send({ documentId: id })).toEqual(first);
  }
});

test('what the manifest does not list is for the holders of the token alone, however well it is known', async () => {
  const query = '{ notifications { totalPossibleCount } }';
  for (let time = 0; time < TIMES; time += 1) {
    expect(await executeAndRecord(listed, { query }, HOLDER)).toMatchObject({
      status: 200,
      errors: undefined,
    });
    expect(await executeAndRecord(listed, { query })).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'QUERY_NOT_IN_SAFELIST' } }],
      calls: [],
    });
  }
});
