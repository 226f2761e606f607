/** The operation cache holds only what Apollo Server accepted, and only for clients that may send it. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';

/** More executions than it takes to compile an operation. */
const TIMES = 45;
const SUBGRAPH_TOKEN = 'a-token-of-a-composing-gateway';
const SUPERGRAPH = { headers: { 'x-subgraph-token': SUBGRAPH_TOKEN } };
const MANIFEST = fileURLToPath(new URL('../http/manifests/relay.json', import.meta.url));
const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const open = useGateway({ env: { SUBGRAPH_TOKEN } });
const listed = useGateway({ env: { SUBGRAPH_TOKEN, OPERATIONS_MANIFEST: MANIFEST } });

describe('a rejected document is never cached:', () => {
  test.each<[document: string, query: string]>([
    ['a syntax error', '{'],
    ['an unknown field', '{ notifications { color } }'],
    ['an unused variable', 'query ($guid: ID!) { __typename }'],
    ['a recursive fragment', '{ ...F } fragment F on Query { ...F }'],
    ['introspection', '{ __schema { queryType { name } } }'],
    ['too many tokens', `{ ${'__typename '.repeat(999)} }`],
    ['too many lines', `{ __typename ${'\n'.repeat(1001)} }`],
    ['too many aliases', `{ ${repeat(52, (index) => `a${index}: notifications { messages }`)} }`],
    ['too many directives', `{ __typename ${'@include(if: true) '.repeat(51)} }`],
    ['fields for supergraph gateways', '{ _service { sdl } }'],
  ])('%s', async (document, query) => {
    for (let time = 0; time < 3; time += 1)
      expect(await executeAndRecord(open, { query })).toMatchObject({
        status: document === 'a syntax error' ? 400 : 422,
        data: undefined,
        calls: [],
      });
  });

  test('an operation that is not in the manifest', async () => {
    const query = '{ notifications { totalPossibleCount } }';
    for (let time = 0; time < 3; time += 1)
      expect(await executeAndRecord(listed, { query })).toMatchObject({ status: 403, calls: [] });
  });
});

test('keeps the operations of supergraph gateways from other clients', async () => {
  const query =
    'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Notification { notificationGuid } } }';
  const variables = { r: [{ __typename: 'Notification', notificationGuid: SEED_GUID }] };
  for (let time = 0; time < TIMES; time += 1) {
    expect(await executeAndRecord(open, { query, variables }, SUPERGRAPH)).toMatchObject({
      status: 200,
      data: { _entities: [{ notificationGuid: SEED_GUID }] },
    });
    for (const headers of [{}, { 'x-subgraph-token': `${SUBGRAPH_TOKEN}x` }])
      expect(await executeAndRecord(open, { query, variables }, { headers })).toMatchObject({
        status: 422,
        calls: [],
      });
  }
});
