/** What the service says about a call that it rejects, or confirms in a way that the contract does not have. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { useGateway } from '../support/gateway/gateway.js';
import { asVariables, validArguments, type FieldName } from '../support/graphql/rootFields.js';

const gateway = useGateway({
  readsBack: false,
  env: { SHIPMENT_PARAMETERS: '{"apiKey":"fixed-secret"}' },
  config: { service: { retries: 0 } },
});

async function extensionsOf(field: FieldName, fault: Fault) {
  gateway.takeCalls();
  gateway.logLines.length = 0;
  gateway.injectFaults(fault);
  const { query, variables = {} } = asVariables(field, validArguments(field));
  const { errors = [] } = await gateway.execute(query, { variables });
  return errors.map(({ extensions }) => extensions);
}

const requestId = expect.any(String) as string;

test.each<[field: FieldName, body: object]>([
  ['createNotification', { data: [], messages: ['The name is taken.'] }],
  ['trackShipment', { data: false, messages: ['The name is taken.'] }],
  ['notification', { data: [{}], messages: ['The name is taken.'] }],
  ['notification', { data: [{}], messages: 'The name is taken.' }],
])('an error of %s has the messages of a response that violates the contract', async (field, body) => {
  expect(await extensionsOf(field, { body: JSON.stringify(body) })).toEqual([
    {
      code: 'SERVICE_RESPONSE_INVALID',
      status: 200,
      retryable: false,
      ...(field !== 'notification' && { outcome: 'UNKNOWN' }),
      serviceMessages: ['The name is taken.'],
      requestId,
    },
  ]);
  expect(gateway.takeCalls()[0]).toMatchObject({ method: field === 'notification' ? 'GET' : 'POST' });
});

test.each<[body: object, serviceMessages: unknown[] | undefined]>([
  [{ message: 'No' }, ['No']],
  [{ messages: 'No' }, ['No']],
  [{ messages: [{ a: 1 }, null], message: 'No', error: 'No' }, [{ a: 1 }, 'No']],
  [{ error: 'invalid_request', error_description: 'No' }, ['invalid_request', 'No']],
  [{ type: 'about:blank', title: 'Bad', status: 400, detail: 'No' }, ['Bad', 'No']],
  [{ messages: ['by fixed-secret'], detail: 'No' }, ['[redacted]', 'No']],
  [{ message: ' ', error: { code: 1 }, title: 5 }, undefined],
])('an error for the rejection %j has its texts', async (body, serviceMessages) => {
  const fault = {
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify(body),
  };
  expect(await extensionsOf('trackShipment', fault)).toEqual([
    {
      code: 'SERVICE_REJECTED',
      status: 400,
      retryable: false,
      outcome: 'NOT_APPLIED',
      ...(serviceMessages && { serviceMessages }),
      requestId,
    },
  ]);
});

test.each<[what: string, status: number, sent: number, mostSearched: number]>([
  ['none of reads that find nothing', 404, 0, 0],
  ['few more than the errors have room for', 403, 26, 27],
])(
  'messages that are not sent are not searched for secrets: %s',
  async (_what, status, sent, mostSearched) => {
    gateway.takeCalls();
    const search = vi.spyOn(String.prototype, 'toWellFormed');
    const text = 'é'.repeat(1000);
    const padding = 'x'.repeat(16_000); // the log has a part of the body without the messages
    gateway.injectFault({ status, body: JSON.stringify({ padding, messages: [text] }) });
    const notificationGuids = Array.from({ length: 50 }, (_, index) => `guid ${index}`);
    const query =
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationGuid } }';
    const { data, errors = [] } = await gateway.execute(query, { variables: { guids: notificationGuids } });
    gateway.injectFault(undefined);
    expect(data).toEqual({ notificationsByGuid: Array(50).fill(null) });
    expect(errors.map(({ extensions }) => extensions['serviceMessages'])).toEqual([
      ...Array<unknown>(sent).fill([text]),
      ...Array<unknown>(status === 404 ? 0 : 50 - sent).fill(undefined),
    ]);
    const searched = search.mock.contexts.filter((each) => String(each) === text).length;
    search.mockRestore();
    expect(searched).toBeGreaterThanOrEqual(sent);
    expect(searched).toBeLessThanOrEqual(mostSearched);
    expect(gateway.takeCalls()).toHaveLength(50);
  },
);

describe('at level debug, the line of a REST call has the body of', () => {
  const bodies = () =>
    gateway.logLines.filter(({ msg }) => msg === 'REST call').map((line): unknown => line['body']);

  test.each<[string, Fault, string | undefined]>([
    ['a rejection', { status: 400, body: '{"reason":"too old"}' }, '{"reason":"too old"}'],
    ['an invalid response', { body: '{"reason":"too old"}' }, '{"reason":"too old"}'],
    [
      'a page of a proxy, even if it is compressed',
      {
        status: 502,
        headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' },
        body: gzipSync('<h1>Bad Gateway</h1>'),
      },
      '<h1>Bad Gateway</h1>',
    ],
    ['at most 1 kB', { body: `"${'ä'.repeat(5000)}"` }, `"${'ä'.repeat(499)}`],
    ['no response without one', { status: 400 }, undefined],
    ['no response that cannot be decoded', { body: '{}', headers: { 'content-encoding': 'br' } }, undefined],
  ])('%s', async (_what, fault, body) => {
    await extensionsOf('trackShipment', fault);
    expect(bodies()).toEqual([body]);
  });

  test('a response without secrets, identifiers and contacts', async () => {
    const said = {
      apiKey: 'fixed-secret',
      name: 'Dock team',
      id: 'in E124B63A-74ab-43ac-abaf-d76b3b1ddf1a',
      email: 'to dock@example.com',
      sms: ['+1 (303) 555-0110', 'x'],
      date: '2024-01-08T07:15:30.1234567-05:00',
    };
    await extensionsOf('trackShipment', { status: 400, body: JSON.stringify(said) });
    const shown = {
      ...said,
      apiKey: '[redacted]',
      id: 'in [redacted]',
      email: 'to [redacted]',
      sms: ['[redacted]', 'x'],
    };
    expect(bodies()).toEqual([JSON.stringify(shown)]);
    await extensionsOf('trackShipment', { status: 400, body: `<p>${JSON.stringify(said)}` });
    expect(bodies()).toEqual(['[redacted]']);
  });

  test('no response that is accepted', async () => {
    await extensionsOf('trackShipment', { body: 'true' });
    expect(bodies()).toEqual([undefined]);
  });
});
