/** Failures of the service have the same response in every execution mode, and no write is sent twice. */
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import {
  fieldNames,
  SEED_GUID,
  validArguments,
  asLiterals,
  asVariables,
} from '../support/graphql/rootFields.js';
import { startExecutionModes } from '../support/execution/executionModes.js';
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

describe.each(fieldNames)('%s', (field) => {
  const modes = useStarted(() => startExecutionModes({ readsBack: true }));

  test.each(failures)('with variables, after %s', async (_failure, fault) => {
    const args = field === 'notifications' ? { additionalParameters: { page: 1 } } : validArguments(field);
    const { calls, isCompiled } = await modes.expectSame({
      body: asVariables(field, args),
      faults: [fault],
    });
    const [sent] = calls;
    const again = calls.filter(({ method }) => method === sent?.method);
    expect({ calls: again.length, isCompiled }).toEqual({ calls: 1, isCompiled: true });
  });

  test.each(failures.slice(0, 3))('with literals, after %s', async (_failure, fault) => {
    const body = asLiterals(field, validArguments(field));
    expect((await modes.expectSame({ body, faults: [fault] })).calls.length).toBe(1);
  });
});

describe('several reads or writes in one operation', () => {
  const modes = useStarted(startExecutionModes);

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
    const { body, calls, isCompiled } = await modes.expectSame({
      body: { query, variables: { guids } },
      faults: faults,
    });
    const { data } = JSON.parse(body) as { data: { notificationsByGuid: unknown[] | null } | null };
    expect({ calls: calls.length, isCompiled }).toEqual({ calls: count, isCompiled: true });
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
    expect((await modes.expectSame({ body: { query, variables }, faults: faults })).calls.length).toBe(2);
  });

  test('a non-null root field that fails nulls its siblings', async () => {
    const query = `query ($guid: ID!) { notification(notificationGuid: $guid) { filters } notifications { messages } b: notification(notificationGuid: "${other}") { filters } }`;
    for (const faults of [[rejected], [{}, rejected], [{}, {}, lost], [rejected, rejected, rejected]])
      await modes.expectSame({ body: { query, variables: { guid: found } }, faults: faults });
  });
});
