/** One request on one connection, over a real socket: what is left of a response whose body is lost, late or too large. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/transport/cancellation.js';
import { createConnectionPool, type Connection } from '../../src/transport/connectionPool.js';
import { createConnector } from '../../src/transport/connector.js';
import { exchange, type ExchangeOptions } from '../../src/transport/exchange.js';
import { createLargeResponses } from '../../src/transport/largeResponses.js';
import type { FaultPlan } from '../support/service/faults.js';
import { startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import { memoryOf } from '../support/service/responseMemory.js';

let service: FaultServer;
let connection: Connection;
beforeEach(async () => {
  service = await startFaultServer();
  const pool = createConnectionPool({
    origin: service.url,
    limit: 1,
    connector: createConnector({ timeoutMs: 10_000 }),
    maxAgeMs: Infinity,
    onFree: () => undefined,
  });
  connection = pool.acquire(false) as Connection;
});
afterEach(async () => {
  await connection.http.destroy();
  await service.stop();
});

function get(fault: FaultPlan, options: Partial<ExchangeOptions> = {}) {
  service.plan = () => fault;
  return exchange(
    connection,
    { method: 'GET', path: '/v1/customnotifications/a', headers: {} },
    {
      deadline: performance.now() + 10_000,
      minConnectTimeMs: 0,
      cancellation: new Cancellation(),
      maxResponseBytes: 1_000_000,
      memory: memoryOf(),
      messagesOf: () => undefined,
      onDetached: () => undefined,
      ...options,
    },
  );
}

/** A response as raw bytes, after which the service closes the connection. */
function raw(status: number, headers: string, body: string): FaultPlan {
  return {
    kind: 'garbage',
    bytes: Buffer.from(`HTTP/1.1 ${status} Status\r\n${headers}\r\n\r\n${body}`),
  };
}

describe('a response whose body is lost', () => {
  const cut = (status: number) => raw(status, 'content-length: 10', 'half');

  test.each([300, 399, 400, 499])('is incomplete with status %i', async (status) => {
    expect(await get(cut(status))).toMatchObject({ status, bytes: 0, isComplete: false });
  });

  test.each([200, 299, 500])('is an error with status %i', async (status) => {
    await expect(get(cut(status))).rejects.toMatchObject({
      name: 'ServiceFailureError',
      message: 'The connection to the service was lost',
      cause: expect.objectContaining({ code: 'UND_ERR_SOCKET' }) as Error,
    });
  });
});

describe('a large body', () => {
  const fault: FaultPlan = { kind: 'stream', bytes: 200_000, isDeclared: false };

  test('is discarded if its turn does not come before the deadline', async () => {
    const queue = createLargeResponses(1);
    await memoryOf('ben', queue).hold(100_000);
    const options = { memory: memoryOf('ann', queue), deadline: performance.now() + 300 };
    await expect(get(fault, options)).rejects.toMatchObject({
      name: 'ResponseDiscardedError',
      outcome: 'UNKNOWN',
      retryAfterSeconds: 1,
    });
  });
});
