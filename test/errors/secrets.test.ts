import { beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/freight/operations.js';
import type { RestCall } from '../../src/mock/mockService.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { validArguments, asVariables, type FieldName } from '../support/graphql/rootFields.js';
import { settings } from '../support/service/settings.js';

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
    SHIPMENT_PARAMETERS: JSON.stringify(fixed),
    ...Object.fromEntries(
      Object.values(operations).map(({ path, pathVariable }) => [pathVariable, `${PATH}${path(settings)}`]),
    ),
  },
  config: { service: { retries: 0 } },
  toDocumentedForm: (call: RestCall) => ({ ...call, path: call.path.slice(PATH.length) }),
});
beforeAll(() => {
  ({ host, hostname } = new URL(gateway.serviceUrl));
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

describe('Messages of a success', () => {
  test.each([
    ['deleteNotification', { deleteNotification: { messages: ['[redacted]', 'is canary'] } }],
    ['deleteException', { deleteException: { messages: ['[redacted]', 'is canary'] } }],
    ['notifications', { notifications: { messages: ['[redacted]', 'is canary'] } }],
  ] as const)('are redacted as well: %s', async (field, data) => {
    const messages = ['apiKey=canary-key', 'is canary'];
    gateway.injectFaults({
      status: 200,
      body: JSON.stringify({ data: [], success: true, messages }),
    });
    expect(
      await executeAndRecord(gateway, asVariables(field, validArguments(field), '{ messages }')),
    ).toMatchObject({
      data,
      errors: undefined,
    });
  });
});

async function returnedMessages(field: FieldName, messages: unknown[], token = TOKEN): Promise<unknown> {
  gateway.injectFaults({ status: 422, body: JSON.stringify({ messages }) });
  const { errors } = await executeAndRecord(gateway, asVariables(field, validArguments(field)), { token });
  return errors?.[0]?.extensions['serviceMessages'];
}
