import { beforeAll, describe, expect, test } from 'vitest';
import type { Fault, RestCall } from '../../src/mock/mockService.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { validArguments, asVariables, type FieldName } from '../support/graphql/rootFields.js';

const PATH = '/canary-path';
const fixed = {
  apiKey: 'canary-key',
  account: { pins: ['canary-pin', 'canary-pin-2'] },
  site: 12345678,
  isTest: true,
  unit: 'abc',
};
let host: string;
let hostname: string;
const gateway = useGateway({
  env: {
    SERVICE_RETRIES: '0',
    SERVICE_TIMEOUT_MS: '1000',
    SHIPMENT_PARAMETERS: JSON.stringify(fixed),
    NOTIFICATIONS_PATH: `${PATH}/v1/customnotifications`,
    NOTIFICATION_PATH: `${PATH}/v1/customnotifications/{notificationGuid}`,
    TRACKING_PATH: `${PATH}/atlas/frexapi/shipment/track/`,
  },
  config: { service: { maxResponseBytes: 5000 } },
  toDocumentedForm: (call: RestCall) => ({ ...call, path: call.path.slice(PATH.length) }),
});
beforeAll(() => {
  ({ host, hostname } = new URL(gateway.serviceUrl));
});

const headers = { 'x-canary': 'canary-header', 'set-cookie': 'canary=canary-cookie' };
const body = JSON.stringify({
  trace: 'canary-body',
  messages: ['returned'],
  stack: 'canary at file.ts:1:1',
});

describe('A response contains no secrets or upstream details', () => {
  test.each<[failure: string, fault: Fault]>([
    ['400', { status: 400, headers, body }],
    [
      '401',
      { status: 401, headers: { ...headers, 'www-authenticate': 'Bearer realm="canary-realm"' }, body },
    ],
    ['404', { status: 404, headers, body }],
    ['429', { status: 429, headers, body }],
    ['500', { status: 500, headers, body }],
    [
      '500 in HTML',
      { status: 500, headers: { ...headers, 'content-type': 'text/html' }, body: '<p>canary-body' },
    ],
    [
      'a redirect',
      { status: 302, headers: { ...headers, location: 'http://canary-host/canary-path' }, body },
    ],
    ['a body that is not JSON', { headers, body: 'canary-body' }],
    ['an unexpected content type', { headers: { 'content-type': 'text/canary-type' }, body: 'canary-body' }],
    [
      'an unsupported content encoding',
      { headers: { ...headers, 'content-encoding': 'canary-coding' }, body },
    ],
    ['a body that violates the contract', { headers, body }],
    ['another notification', { headers, body: '{"data":[{"notificationGuid":"canary-guid"}]}' }],
    ['a body over the size limit', { headers, body: 'canary-body'.repeat(1000) }],
    ['a connection loss before the response', { disconnect: 'beforeResponse' }],
    ['a connection loss within the response', { disconnect: 'midBody', headers, body }],
    ['a timeout', { neverRespond: true }],
  ])('after %s', async (_failure, fault) => {
    const fields = ['notification', 'createNotification', 'trackShipment'] as const;
    gateway.injectFaults(...fields.map(() => fault));
    const sendEach = fields.map(async (field) => {
      const { query, variables = {} } = asVariables(field, validArguments(field));
      const { status, headers, data, errors } = await gateway.execute(query, { variables });
      const text = JSON.stringify({ status, headers: [...headers], data, errors });
      const expectsError = fault.status !== 404 || field !== 'notification';
      expect(errors?.length, text).toBe(expectsError ? 1 : undefined);
      for (const secret of ['canary', TOKEN, host, hostname, 'node_modules', '.ts:', 'Error:', 'ECONN'])
        expect(text).not.toContain(secret);
    });
    await Promise.all(sendEach);
  });
});

describe("Texts in the service's messages are redacted if they contain a secret", () => {
  test.each(['trackShipment', 'deleteNotification'] as const)('for %s', async (field) => {
    expect(
      await returnedMessages(field, [
        `Bearer ${TOKEN} is no token`,
        `GET http://${host}${PATH}`,
        `(${hostname})`,
        {
          apiKey: 'canary-key',
          deep: [['is canary-pin, or canary-pin', 'is canary']],
          'canary-key': { site: '#12345678.' },
        },
        'units abc, true',
        [null, 7, true],
      ]),
    ).toEqual([
      '[redacted]',
      '[redacted]',
      '[redacted]',
      {
        apiKey: '[redacted]',
        deep: [['[redacted]', 'is canary']],
        '[redacted]': { site: '[redacted]' },
      },
      'units abc, true',
      [null, 7, true],
    ]);
  });

  test('even if a secret is a number, of either sign', async () => {
    expect(await returnedMessages('trackShipment', [{ site: 12345678 }, -12345678])).toEqual([
      { site: '[redacted]' },
      '[redacted]',
    ]);
  });

  test.each(['key/canary-ke', 'key/canary-key.j', 'ary-key', 'y.json', 'redacted', '4567'])(
    "whatever the client's token overlaps: %s",
    async (token) => {
      expect(await returnedMessages('trackShipment', ['POST key/canary-key.json', 12345678], token)).toEqual([
        '[redacted]',
        '[redacted]',
      ]);
    },
  );
});

async function returnedMessages(field: FieldName, messages: unknown[], token = TOKEN): Promise<unknown> {
  gateway.injectFaults({ status: 422, body: JSON.stringify({ messages }) });
  const { errors } = await executeAndRecord(gateway, asVariables(field, validArguments(field)), { token });
  return errors?.[0]?.extensions['serviceMessages'];
}
