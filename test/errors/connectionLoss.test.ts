import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeAndRecord, type PresentedError } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import {
  isDeletion,
  isMutation,
  validArguments,
  asVariables,
  type FieldName,
} from '../support/graphql/rootFields.js';

const NO_RETRIES = { SERVICE_RETRIES: '0' };
let gateway: TestGateway;
let impatient: TestGateway;
let unconnected: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: NO_RETRIES });
  impatient = await startGateway({ env: { SERVICE_TIMEOUT_MS: '300' } });
  unconnected = await startGateway({ env: { ...NO_RETRIES, SERVICE_URL: await closedAddress() } });
});
afterAll(async () => {
  await gateway.stop();
  await impatient.stop();
  await unconnected.stop();
});

const fields = [
  'notification',
  'notifications',
  'createNotification',
  'updateNotification',
  'deleteNotification',
  'trackShipment',
  'deleteException',
] as const satisfies FieldName[];

describe.each(fields)('%s', (field) => {
  test('may have happened when the connection is lost before the answer', async () => {
    gateway.injectFaults({ disconnect: 'beforeResponse' });
    expect(await send(gateway, field)).toEqual(lost(field, CONNECTION_LOST));
  });

  test('may have happened when the service says nothing in time', async () => {
    impatient.injectFaults({ neverRespond: true });
    expect(await send(impatient, field)).toEqual(
      lost(field, {
        code: 'SERVICE_TIMEOUT',
        message: 'The service did not respond in time',
        outcome: 'UNKNOWN',
        restCalls: 1,
      }),
    );
  });

  test('has not happened when there is no service', async () => {
    expect(await send(unconnected, field)).toEqual(
      lost(field, {
        code: 'SERVICE_UNAVAILABLE',
        message: 'Could not connect to the service',
        outcome: 'NOT_APPLIED',
        restCalls: 0,
      }),
    );
  });
});

test.each(fields.filter((field) => !isDeletion(field)))(
  '%s may have happened when the connection is lost within the answer',
  async (field) => {
    gateway.injectFaults({ disconnect: 'midBody' });
    expect(await send(gateway, field)).toEqual(lost(field, CONNECTION_LOST));
  },
);

test.each([
  ['deleteNotification', { messages: [] }],
  ['deleteException', { deleted: true }],
] as const)('%s has happened when the connection is lost after the status', async (field, payload) => {
  gateway.injectFaults({ disconnect: 'midBody' });
  expect(await send(gateway, field)).toEqual({
    data: { [field]: payload },
    errors: undefined,
    restCalls: 1,
  });
});

interface Loss {
  code: string;
  message: string;
  outcome: 'NOT_APPLIED' | 'UNKNOWN';
  restCalls: number;
}

const CONNECTION_LOST: Loss = {
  code: 'SERVICE_ERROR',
  message: 'The connection to the service was lost',
  outcome: 'UNKNOWN',
  restCalls: 1,
};

/** The whole answer of an operation whose REST call got none. */
function lost(field: FieldName, { code, message, outcome, restCalls }: Loss) {
  const verdict = isMutation(field) ? { outcome, retryable: outcome === 'NOT_APPLIED' } : { retryable: true };
  const error: PresentedError = { message, path: [field], extensions: { code, ...verdict } };
  return { data: field === 'notifications' ? null : { [field]: null }, errors: [error], restCalls };
}

async function send(to: TestGateway, field: FieldName) {
  const { data, errors, calls } = await executeAndRecord(to, asVariables(field, validArguments(field)));
  return { data, errors, restCalls: calls.length };
}

/** An address where nobody listens. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}
