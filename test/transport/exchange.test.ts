/** One request on one connection, over a real socket: what is left of a response whose body is lost, late or too large. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/transport/cancellation.js';
import { createConnectionPool, type Connection } from '../../src/transport/connectionPool.js';
import { createConnector } from '../../src/transport/connector.js';
import { exchange, type ExchangeOptions } from '../../src/transport/exchange.js';
import { MemoryBudget, MemoryShare } from '../../src/transport/memoryBudget.js';
import type { FaultPlan } from '../support/service/faults.js';
import { startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import { clientNamed } from '../support/service/clientIdentities.js';

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
  connection = pool.acquire() as Connection;
});
afterEach(async () => {
  await connection.destroy();
  await service.stop();
});

function get(fault: FaultPlan, options: Partial<ExchangeOptions> = {}) {
  service.plan = () => fault;
  return exchange(
    connection,
    { method: 'GET', path: '/v1/customnotifications/a', headers: {} },
    {
      deadline: performance.now() + 10_000,
      connectTimeMs: 0,
      cancellation: new Cancellation(),
      maxResponseBytes: 1_000_000,
      memory: new MemoryShare(new MemoryBudget(10_000_000), 'response', clientNamed('ann')),
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

const memoryOf = (maxBodyBytes: number) =>
  new MemoryShare(new MemoryBudget(2 * maxBodyBytes), 'response', clientNamed('ann'));

describe('a response whose body is lost', () => {
  const cut = (status: number) => raw(status, 'content-length: 10', 'half');

  test.each([300, 399, 400, 499])('is incomplete with status %i', async (status) => {
    expect(await get(cut(status))).toMatchObject({ status, body: Buffer.alloc(0), isComplete: false });
  });

  test.each([200, 299, 500])('is an error with status %i', async (status) => {
    await expect(get(cut(status))).rejects.toMatchObject({
      name: 'ServiceFailureError',
      message: 'The connection to the service was lost',
      cause: expect.objectContaining({ code: 'UND_ERR_SOCKET' }) as Error,
    });
  });
});

describe('the end of a body', () => {
  test.each([
    ['its declared length', 'content-length: 4', 'text', true],
    ['the last chunk', 'transfer-encoding: chunked', '4\r\ntext\r\n0\r\n\r\n', true],
    ['the end of the connection', 'connection: close', 'text', false],
  ])('is known by %s', async (_what, headers, body, hasFraming) => {
    const response = await get(raw(200, headers, body));
    expect([response.body.toString(), response.hasFraming]).toEqual(['text', hasFraming]);
  });

  test('comes after all of its chunks', async () => {
    const { body } = await get(raw(200, 'transfer-encoding: chunked', '2\r\nte\r\n2\r\nxt\r\n0\r\n\r\n'));
    expect(body.toString()).toBe('text');
  });
});

describe('a body that does not fit the memory budget', () => {
  const discarded = { name: 'MemoryBudgetError', outcome: 'UNKNOWN' };

  test('is discarded before it arrives if its length is declared', async () => {
    await expect(get({ kind: 'drip' }, { memory: memoryOf(50_000) })).rejects.toMatchObject(discarded);
  });

  test('is discarded as it arrives otherwise', async () => {
    const fault: FaultPlan = { kind: 'stream', bytes: 200_000, isDeclared: false };
    await expect(get(fault, { memory: memoryOf(150_000) })).rejects.toMatchObject(discarded);
  });

  test('counts for no more than may be read', async () => {
    const fault: FaultPlan = { kind: 'stream', bytes: 200_000, isDeclared: true };
    const options = { memory: memoryOf(100_000), maxResponseBytes: 100_000 };
    await expect(get(fault, options)).rejects.toMatchObject({
      name: 'InvalidResponseError',
      message: 'The response is too large',
      status: 200,
    });
  });
});
