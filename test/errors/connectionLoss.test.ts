import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { executeAndRecord, type RecordedError } from '../support/gateway/executeAndRecord.js';
import { useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { isMutation, validArguments, asVariables, type FieldName } from '../support/graphql/rootFields.js';

const NO_RETRIES = { SERVICE_RETRIES: '0' };
const gateway = useGateway({ env: NO_RETRIES });
const gatewayWithTimeout = useGateway({ env: { SERVICE_TIMEOUT_MS: '300' } });
const unconnected = useGateway(async () => ({ env: { ...NO_RETRIES, SERVICE_URL: await closedAddress() } }));

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
  test('has an unknown outcome if the connection is lost before the response', async () => {
    gateway.injectFaults({ disconnect: 'beforeResponse' });
    expect(await send(gateway, field)).toEqual(failed(field, CONNECTION_LOST));
  });

  test('has an unknown outcome if the service does not respond in time', async () => {
    gatewayWithTimeout.injectFaults({ neverRespond: true });
    expect(await send(gatewayWithTimeout, field)).toEqual(
      failed(field, {
        code: 'SERVICE_TIMEOUT',
        message: 'The service did not respond in time',
        outcome: 'UNKNOWN',
        restCalls: 1,
      }),
    );
  });

  test('is not applied if the service cannot be reached', async () => {
    expect(await send(unconnected, field)).toEqual(
      failed(field, {
        code: 'SERVICE_UNAVAILABLE',
        message: 'Could not connect to the service',
        outcome: 'NOT_APPLIED',
        restCalls: 0,
      }),
    );
  });
});

test.each(fields)(
  '%s has an unknown outcome if the connection is lost within the response',
  async (field) => {
    gateway.injectFaults({ disconnect: 'midBody' });
    expect(await send(gateway, field)).toEqual(failed(field, CONNECTION_LOST));
  },
);

interface Failure {
  code: string;
  message: string;
  outcome: 'NOT_APPLIED' | 'UNKNOWN';
  restCalls: number;
}

const CONNECTION_LOST: Failure = {
  code: 'SERVICE_ERROR',
  message: 'The connection to the service was lost',
  outcome: 'UNKNOWN',
  restCalls: 1,
};

/** The result of an operation whose REST call got no complete response. */
function failed(field: FieldName, { code, message, outcome, restCalls }: Failure) {
  const effect = isMutation(field) ? { outcome, retryable: outcome === 'NOT_APPLIED' } : { retryable: true };
  const error: RecordedError = { message, path: [field], extensions: { code, ...effect } };
  return { data: { [field]: null }, errors: [error], restCalls };
}

async function send(to: TestGateway, field: FieldName) {
  const { data, errors, calls } = await executeAndRecord(to, asVariables(field, validArguments(field)));
  return { data, errors, restCalls: calls.length };
}

/** The URL of a port on which nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}
