import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault, RestCall } from '../../src/reference-service/referenceService.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { startGateway, TOKEN, type TestGateway } from '../support/gateway/gateway.js';
import { validArguments, asVariables, type FieldName } from '../support/graphql/rootFields.js';

const PATH = '/canary-path';
const fixed = {
  apiKey: 'canary-key',
  account: { pins: ['canary-pin', 'canary-pin-2'] },
  site: 12345678,
  isTest: true,
  unit: 'abc',
};
let gateway: TestGateway;
let host: string;
let hostname: string;
beforeAll(async () => {
  gateway = await startGateway({
    env: {
      SERVICE_RETRIES: '0',
      SERVICE_TIMEOUT_MS: '1000',
      MAX_RESPONSE_BYTES: '5000',
      SHIPMENT_PARAMETERS: JSON.stringify(fixed),
      NOTIFICATIONS_PATH: `${PATH}/v1/customnotifications`,
      NOTIFICATION_PATH: `${PATH}/v1/customnotifications/{notificationGuid}`,
      TRACKING_PATH: `${PATH}/atlas/frexapi/shipment/track/`,
    },
    toDocumentedForm: (call: RestCall) => ({ ...call, path: call.path.slice(PATH.length) }),
  });
  ({ host, hostname } = new URL(gateway.serviceUrl));
});
afterAll(() => gateway.stop());

const headers = { 'x-canary': 'canary-header', 'set-cookie': 'canary=canary-cookie' };
const body = JSON.stringify({ detail: 'canary-body', messages: ['shown'], stack: 'canary at file.ts:1:1' });

describe('what is not for callers is nowhere in an answer', () => {
  test.each<[what: string, interference: Fault]>([
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
    ['no JSON', { headers, body: 'canary-body' }],
    ['another type', { headers: { 'content-type': 'text/canary-type' }, body: 'canary-body' }],
    ['another coding', { headers: { ...headers, 'content-encoding': 'canary-coding' }, body }],
    ['another shape', { headers, body }],
    ['another record', { headers, body: '{"data":[{"notificationGuid":"canary-guid"}]}' }],
    ['too much', { headers, body: 'canary-body'.repeat(1000) }],
    ['a hang-up before the answer', { disconnect: 'beforeResponse' }],
    ['a hang-up within the answer', { disconnect: 'midBody', headers, body }],
    ['silence', { neverRespond: true }],
  ])('after %s', async (_what, interference) => {
    for (const field of ['notification', 'createNotification', 'trackShipment'] as const) {
      gateway.injectFaults(interference);
      const operation = asVariables(field, validArguments(field));
      const answer = await gateway.execute(operation.query, operation);
      const { status, data, errors } = answer;
      const text = JSON.stringify({ status, headers: [...answer.headers], data, errors });
      const isFound = interference.status !== 404 || field !== 'notification';
      expect(errors?.length, text).toBe(isFound ? 1 : undefined);
      for (const secret of ['canary', TOKEN, host, hostname, 'node_modules', '.ts:', 'Error:', 'ECONN']) {
        expect(text).not.toContain(secret);
      }
    }
  });
});

describe("the service's messages are shown without secrets", () => {
  test.each(['trackShipment', 'deleteNotification'] as const)('of %s', async (field) => {
    expect(
      await shownMessages(field, [
        `Bearer ${TOKEN} is no token of http://${host}${PATH} (${hostname})`,
        {
          apiKey: 'canary-key',
          deep: [['is canary-pin, or canary-pin']],
          'canary-key': { site: '#12345678.' },
        },
        'units abc, true',
        [null, 7, true],
      ]),
    ).toEqual([
      `Bearer [redacted] is no token of [redacted]${PATH} ([redacted])`,
      {
        apiKey: '[redacted]',
        deep: [['is [redacted], or [redacted]']],
        '[redacted]': { site: '#[redacted].' },
      },
      'units abc, true',
      [null, 7, true],
    ]);
  });

  test('of which one is a number', async () => {
    expect(await shownMessages('trackShipment', [{ site: 12345678 }])).toEqual([{ site: '[redacted]' }]);
  });

  test('of which one begins with another', async () => {
    expect(await shownMessages('trackShipment', ['canary-pin-2'])).toEqual(['[redacted]']);
  });
});

async function shownMessages(field: FieldName, messages: unknown[]): Promise<unknown> {
  gateway.injectFaults({ status: 422, body: JSON.stringify({ messages }) });
  const { errors } = await executeAndRecord(gateway, asVariables(field, validArguments(field)));
  return errors?.[0]?.extensions['serviceMessages'];
}
