/** Failures of the service have the same response through Apollo Server and past it, and no write is sent twice. */
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { SEED_GUID, validArguments, asVariables } from '../support/graphql/rootFields.js';
import { startBothPaths } from '../support/execution/bothPaths.js';
import { useStarted } from '../support/tools/useStarted.js';

const messages = JSON.stringify({ messages: [{ field: '/carrier', message: 'not known' }, 'twice', 7] });
const contractViolation = JSON.stringify({
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
  ['malformed JSON', { body: '{"data":[' }],
  ['HTML', { body: '<p>no</p>', headers: { 'content-type': 'text/html' } }],
  ['a contract violation', { body: contractViolation }],
  ['null', { body: 'null' }],
  ['an empty list', { body: '{"data":[],"messages":[]}' }],
  ['unusual content', { body: oddContent }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
  ['a connection loss before the response', { disconnect: 'beforeResponse' }],
  ['a connection loss within the response', { disconnect: 'midBody' }],
];

// One field for each kind of call.
describe.each(['notification', 'createNotification', 'deleteNotification'] as const)('%s', (field) => {
  const paths = useStarted(() => startBothPaths({ readsBack: true }));

  test.each(failures)('after %s', async (_failure, fault) => {
    const { calls } = await paths.expectSame({
      body: asVariables(field, validArguments(field)),
      faults: [fault],
    });
    const [sent] = calls;
    expect(calls.filter(({ method }) => method === sent?.method).length).toBe(1);
  });
});

describe('several reads or writes in one operation', () => {
  const paths = useStarted(startBothPaths);

  const [found, missing, broken, other] = [SEED_GUID, 'unknown', ' ', '268a56bc-f2d2-4fef-9422-cdf49d95b972'];
  const rejected: Fault = { status: 403, body: messages };
  const lost: Fault = { disconnect: 'beforeResponse' };

  test.each<[guidsRead: string, guids: string[], faults: Fault[], calls: number]>([
    ['all found', [found, other, found], [], 2],
    ['some unknown', [missing, found, missing, other, 'unknown-2'], [], 4],
    ['one malformed', [found, broken, missing], [], 0],
    ['the first rejected', [found, other, found, missing, found], [rejected], 3],
    ['the second rejected', [found, other, found, other, missing], [{}, rejected], 3],
    ['a connection loss for the last', [found, missing, other], [{}, {}, lost], 3],
    ['a connection loss for all', [found, other, found], [lost, lost], 2],
  ])('notificationsByGuid: %s', async (_guidsRead, guids, faults, count) => {
    const query =
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationName } }';
    const { body, calls } = await paths.expectSame({
      body: { query, variables: { guids } },
      faults: faults,
    });
    const { data } = JSON.parse(body) as { data: { notificationsByGuid: unknown[] | null } | null };
    expect(calls.length).toBe(count);
    expect(data?.notificationsByGuid?.length).toBe(count === 0 ? undefined : guids.length);
  });

  test.each<[failed: string, faults: Fault[]]>([
    ['the first', [rejected]],
    ['the second', [{}, lost]],
    ['both', [lost, { status: 500 }]],
  ])('two writes, %s failing', async (_failed, faults) => {
    const query =
      'mutation ($input: TrackShipmentInput!, $guid: ID!) { a: trackShipment(input: $input) { tracked } b: deleteNotification(notificationGuid: $guid) { messages } }';
    const variables = { ...validArguments('trackShipment'), guid: missing };
    expect((await paths.expectSame({ body: { query, variables }, faults: faults })).calls.length).toBe(2);
  });

  test('a non-null root field that fails nulls its siblings', async () => {
    const query = `query ($guid: ID!) { notification(notificationGuid: $guid) { filters } notifications { messages } b: notification(notificationGuid: "${other}") { filters } }`;
    for (const faults of [[rejected], [{}, rejected], [{}, {}, lost], [rejected, rejected, rejected]])
      await paths.expectSame({ body: { query, variables: { guid: found } }, faults: faults });
  });
});
