/** A list of which some notifications violate the contract: what can be read is data for clients that select the rest of it. */
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { startGateway, TOKEN, useGateway } from '../support/gateway/gateway.js';
import { oneNotification } from '../support/service/examples.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { forTest } from '../support/tools/useStarted.js';

const { notification: record } = oneNotification('shipmentLevel');
const named = (notificationName: unknown, changes: object = {}) => ({
  ...record,
  notificationName,
  ...changes,
});
const responding = (data: readonly unknown[], others: object = {}): Fault => ({
  body: JSON.stringify({ data, messages: ['page 1'], totalPossibleCount: data.length, ...others }),
});

const PATH = '/v1/customnotifications';
const PROBLEM = '/data/1/notificationName: expected a string, got an object';
const two = [named('first'), named({}), named('third')];
const call = restCall('GET', PATH);
const gateway = useGateway();

const send = async (query: string, fault: Fault, variables: Record<string, unknown> = {}) => {
  gateway.injectFaults(fault);
  const { data, errors } = await gateway.execute(query, { variables });
  return { data, errors, calls: summariesOf(gateway.takeCalls()) };
};

describe('A client that selects the unreadable notifications', () => {
  test('gets the others, and what is wrong with each', async () => {
    const query =
      '{ notifications { notifications { notificationName } unreadable { index notificationGuid problem } totalPossibleCount messages } }';
    const data = [
      named('first'),
      named(null, { notificationGuid: 'bad name', notificationTypes: [null, {}] }),
      named('unknown members are no violation', { size: 5 }),
      named('bad guid', { notificationGuid: 'x'.repeat(257) }),
      null,
      'text',
      named('bad flag', {
        notificationGuid: 7,
        notificationRecipientType: 'stopLevel',
        notifyStopContactsBySms: 'yes',
      }),
      named('bad date', { lastUpdateDate: 'yesterday' }),
      named('bad emails', { emailList: ['dock@example.com', true, {}] }),
    ];
    expect(await send(query, responding(data, { totalPossibleCount: undefined }))).toEqual({
      data: {
        notifications: {
          notifications: [
            { notificationName: 'first' },
            { notificationName: 'unknown members are no violation' },
            { notificationName: 'bad date' },
          ],
          unreadable: [
            {
              index: 1,
              notificationGuid: 'bad name',
              problem:
                '/data/1/notificationName: expected a string, got null; /data/1/notificationTypes/0: expected a string, got an object',
            },
            {
              index: 3,
              notificationGuid: null,
              problem: '/data/3/notificationGuid: Too big: expected string to have <=256 characters',
            },
            {
              index: 4,
              notificationGuid: null,
              problem: '/data/4: expected an object, got null',
            },
            {
              index: 5,
              notificationGuid: null,
              problem: '/data/5: expected an object, got a string',
            },
            {
              index: 6,
              notificationGuid: '7',
              problem: '/data/6/notifyStopContactsBySms: expected a boolean, got a string',
            },
            {
              index: 8,
              notificationGuid: record.notificationGuid,
              problem: '/data/8/emailList/1: expected a string, got a boolean',
            },
          ],
          totalPossibleCount: null,
          messages: ['page 1'],
        },
      },
      errors: undefined,
      calls: [call],
    });
  });

  test('gets an error if 101 notifications violate the contract', async () => {
    const fault = responding(Array(101).fill({}));
    const { data, errors, calls } = await send('{ notifications { unreadable { index } } }', fault);
    expect([data, calls]).toEqual([{ notifications: null }, [call]]);
    expect(errors?.map(({ message }) => message)).toEqual([
      expect.stringContaining('/data/0/notificationGuid: expected a string, got nothing'),
    ]);
  });

  test('gets 100 of them', async () => {
    const { data } = await send(
      '{ notifications { notifications { notificationName } unreadable { index } } }',
      responding([...Array<object>(100).fill({}), record]),
    );
    expect(data).toEqual({
      notifications: {
        notifications: [{ notificationName: record.notificationName }],
        unreadable: Array.from({ length: 100 }, (_, index) => ({ index })),
      },
    });
  });
});

test('The violation is logged and counted, whether or not it is selected', async () => {
  const logged = await forTest(startGateway({ env: { LOG_LEVEL: 'debug' } }));
  for (const selection of ['unreadable { problem }', 'messages']) {
    logged.injectFaults(responding(two, { messages: [TOKEN] }));
    const { errors } = await logged.execute(`{ notifications { ${selection} } }`);
    if (errors) expect(errors).toMatchObject([{ extensions: { serviceMessages: ['[redacted]'] } }]);
  }
  const problem = `The response does not match the contract: ${PROBLEM}`;
  const lines = logged.logLines.filter(({ msg }) => !/^(?:Request|Server listening.*)$/.test(String(msg)));
  expect(lines).toMatchObject(
    Array(2)
      .fill([
        { msg: 'REST call', error: 'InvalidResponseError', status: 200 },
        { msg: 'Upstream response violates the contract', level: 40, problem },
      ])
      .flat(),
  );
});

test('Small unreadable notifications do not multiply a result beyond its limit', async () => {
  const name = 'x'.repeat(4000);
  const query = `{ notifications { unreadable { ${name}: index } } }`;
  const fault = responding(Array(100).fill({}));
  const limited = await forTest(startGateway({ config: { graphql: { maxResultBytes: 100_000 } } }));
  limited.injectFaults(fault);
  const { data, errors } = await limited.execute(query);
  expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['QUERY_TOO_COMPLEX']);
  expect(data).toEqual({ notifications: null });
});
