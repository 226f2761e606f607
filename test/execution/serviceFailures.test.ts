/** What fails in the service is told the same on every way, and no write is sent twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/reference-service/referenceService.js';
import {
  fieldNames,
  SEED_GUID,
  validArguments,
  asLiterals,
  asVariables,
} from '../support/graphql/rootFields.js';
import { startExecutionModes, type ExecutionModes } from '../support/executionModes.js';

const messages = JSON.stringify({ messages: [{ field: '/carrier', message: 'not known' }, 'twice', 7] });
const wrongShape = JSON.stringify({
  data: [{ notificationGuid: 5 }],
  messages: 'none',
  totalPossibleCount: -1.5,
});
const oddContent = `{"data":[{"notificationGuid":"g","notificationName":"\\u2028</script>","notificationRecipientType":"__proto__","notificationTypeLabel":"","notificationTypes":["constructor"],"filters":[{"__proto__":{"a":1},"then":"x","":[null]},-0,1e21,null],"notificationMetaData":{"constructor":{"prototype":1}},"lastUpdateDate":"2021-03-04T05:06:07.1234567-05:00"}],"messages":[null,{"toString":null}],"totalPossibleCount":1}`;

const failures: [what: string, fault: Fault][] = [
  ...[400, 401, 403, 404, 409, 418, 429, 500, 503].map((status): [string, Fault] => [
    String(status),
    { status, body: messages, headers: { 'retry-after': '7' } },
  ]),
  ['broken JSON', { body: '{"data":[' }],
  ['no JSON', { body: '<p>no</p>', headers: { 'content-type': 'text/html' } }],
  ['a wrong shape', { body: wrongShape }],
  ['null', { body: 'null' }],
  ['an empty answer', { body: '{"data":[],"messages":[]}' }],
  ['odd content', { body: oddContent }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
  ['a lost connection', { disconnect: 'beforeResponse' }],
  ['a lost half', { disconnect: 'midBody' }],
];

describe.each(fieldNames)('%s', (field) => {
  // Each of its own, as a service that fails in all of these ways is not called for a while.
  let ways: ExecutionModes;
  beforeAll(async () => {
    ways = await startExecutionModes();
  });
  afterAll(() => ways.stop());

  test.each(failures)('and %s', async (_what, fault) => {
    const args = field === 'notifications' ? { additionalParameters: { page: 1 } } : validArguments(field);
    const { calls, isCompiled } = await ways.expectSame({
      body: asVariables(field, args),
      faults: [fault],
    });
    const [sent] = calls;
    const again = calls.filter(({ method }) => method === sent?.method);
    expect({ calls: again.length, isCompiled }).toEqual({ calls: 1, isCompiled: true });
  });

  test.each(failures.slice(0, 3))('in literals and %s', async (_what, fault) => {
    const body = asLiterals(field, validArguments(field));
    expect((await ways.expectSame({ body, faults: [fault] })).calls.length).toBe(1);
  });
});

describe('of several', () => {
  let ways: ExecutionModes;
  beforeAll(async () => {
    ways = await startExecutionModes();
  });
  afterAll(() => ways.stop());

  const [found, missing, broken, other] = [SEED_GUID, 'unknown', ' ', '268a56bc-f2d2-4fef-9422-cdf49d95b972'];
  const refused: Fault = { status: 403, body: messages };
  const lost: Fault = { disconnect: 'beforeResponse' };

  test.each<[what: string, guids: string[], faults: Fault[], calls: number]>([
    ['found ones', [found, other, found], [], 2],
    ['some not found', [missing, found, missing, other, 'unknown-2'], [], 4],
    ['a malformed one', [found, broken, missing], [], 0],
    ['the first refused', [found, other, found, missing, found], [refused], 3],
    ['the second refused', [found, other, found, other, missing], [{}, refused], 3],
    ['the last lost', [found, missing, other], [{}, {}, lost], 3],
    ['all of them lost', [found, other, found], [lost, lost], 2],
  ])('%s', async (_what, guids, faults, count) => {
    const query =
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationName } }';
    const { body, calls, isCompiled } = await ways.expectSame({
      body: { query, variables: { guids } },
      faults: faults,
    });
    const { data } = JSON.parse(body) as { data: { notificationsByGuid: unknown[] } | null };
    expect({ calls: calls.length, isCompiled }).toEqual({ calls: count, isCompiled: true });
    expect(data?.notificationsByGuid.length).toBe(count === 0 ? undefined : guids.length);
  });

  test.each<[what: string, faults: Fault[]]>([
    ['the first', [refused]],
    ['the second', [{}, lost]],
    ['both', [lost, { status: 500 }]],
  ])('writes %s failed', async (_what, faults) => {
    const query =
      'mutation ($input: TrackShipmentInput!, $guid: ID!) { a: trackShipment(input: $input) { tracked } b: deleteNotification(notificationGuid: $guid) { messages } }';
    const variables = { ...validArguments('trackShipment'), guid: missing };
    expect((await ways.expectSame({ body: { query, variables }, faults: faults })).calls.length).toBe(2);
  });

  test('reads, of which those that may not be null have the last word', async () => {
    const query = `query ($guid: ID!) { notification(notificationGuid: $guid) { filters } notifications { messages } b: notification(notificationGuid: "${other}") { filters } }`;
    for (const faults of [[refused], [{}, refused], [{}, {}, lost], [refused, refused, refused]])
      await ways.expectSame({ body: { query, variables: { guid: found } }, faults: faults });
  });
});
