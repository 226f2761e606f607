import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startGateway, TOKEN, type TestGateway } from '../support/gateway/gateway.js';

const QUERY = '{ notifications { totalPossibleCount } }';
/** An operation without REST calls. */
const TYPENAME = '{ __typename }';

let gateway: TestGateway;
afterEach(() => gateway.stop());

async function start(env: Record<string, string>): Promise<void> {
  gateway = await startGateway({ env: { RATE_LIMIT: '3/60s', ...env } });
}

/** The statuses of requests with these headers, sent one after the other. */
async function statusesOf(...requests: Record<string, string>[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const headers of requests) statuses.push((await send(headers)).status);
  return statuses;
}

function send(headers: Record<string, string>) {
  return gateway.execute(TYPENAME, { token: null, headers });
}

describe('A request over the limit', () => {
  test('is rejected with 429 and a GraphQL error, without a REST call', async () => {
    await start({});
    for (let count = 0; count < 3; count += 1) await gateway.data(QUERY);
    gateway.takeCalls();
    const { status, headers, data, errors } = await gateway.execute(QUERY);
    const retryAfter = Number(headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(30);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect({ status, type: headers.get('content-type'), data, errors }).toEqual({
      status: 429,
      type: 'application/json; charset=utf-8',
      data: undefined,
      errors: [
        {
          message: 'Too many requests',
          extensions: {
            code: 'RATE_LIMITED',
            outcome: 'NOT_APPLIED',
            retryable: true,
            retryAfterSeconds: retryAfter,
            requestId: headers.get('x-request-id'),
          },
        },
      ],
    });
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('is accepted again once the window has passed', async () => {
    await start({ RATE_LIMIT: '1/1s' });
    expect((await send({})).status).toBe(200);
    const { status, headers } = await send({});
    expect(status).toBe(429);
    await sleep(1000 * Number(headers.get('retry-after')) + 50);
    expect((await send({})).status).toBe(200);
  });

  test('does not affect the health endpoints', async () => {
    await start({ RATE_LIMIT: '1/60s' });
    expect(await statusesOf({}, {})).toEqual([200, 429]);
    for (const path of ['/livez', '/readyz'])
      expect((await fetch(new URL(path, gateway.url))).status).toBe(200);
  });
});

describe('A client', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  test('is identified by its token, or by its address without one', async () => {
    await start({});
    expect(await statusesOf(...Array<Record<string, string>>(4).fill(bearer('a')))).toEqual([
      200, 200, 200, 429,
    ]);
    expect(await statusesOf(bearer('b'), {}, {}, {}, {}, bearer('b'))).toEqual([
      200, 200, 200, 200, 429, 200,
    ]);
  });

  test('is the same for every spelling of the bearer scheme', async () => {
    await start({});
    expect(
      await statusesOf(
        ...[`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER   ${TOKEN}`, `Bearer  ${TOKEN}`].map(
          (authorization) => ({ authorization }),
        ),
      ),
    ).toEqual([200, 200, 200, 429]);
  });

  test('is identified by its address if its Authorization header holds no bearer token', async () => {
    await start({});
    expect(
      await statusesOf(
        ...['a', 'Basic b', 'Bearer', 'Bearer c d'].map((authorization) => ({ authorization })),
      ),
    ).toEqual([200, 200, 200, 429]);
  });
});

describe('The rate limit behind proxies', () => {
  const via = (list: string) => ({ 'x-forwarded-for': list });
  const fourRequests = (list: (index: number) => string) =>
    statusesOf(...[1, 2, 3, 4].map((each) => via(list(each))));

  test.each<[behavior: string, TRUST_PROXY: string, (index: number) => string, number[]]>([
    ['ignores X-Forwarded-For', '0', (index) => `10.0.0.${index}`, [200, 200, 200, 429]],
    ['distinguishes clients by the last address', '1', (index) => `10.0.0.${index}`, [200, 200, 200, 200]],
    [
      'ignores addresses before the last one',
      '1',
      (index) => `10.0.0.${index}, 10.1.0.1`,
      [200, 200, 200, 429],
    ],
    [
      'distinguishes clients by the last address but one',
      '2',
      (index) => `10.0.0.${index}, 10.1.0.1`,
      [200, 200, 200, 200],
    ],
    [
      'ignores addresses before the last two',
      '2',
      (index) => `10.2.0.${index}, 10.0.0.1, 10.1.0.1`,
      [200, 200, 200, 429],
    ],
    ['uses the address of the connection if there is no other', '2', () => '', [200, 200, 200, 429]],
    ['groups IPv6 addresses by /64', '1', (index) => `2001:db8:0:1::${index}`, [200, 200, 200, 429]],
    ['distinguishes IPv6 networks', '1', (index) => `2001:db8:0:${index}::1`, [200, 200, 200, 200]],
  ])('%s with TRUST_PROXY=%s', async (_behavior, TRUST_PROXY, list, expected) => {
    await start({ TRUST_PROXY });
    expect(await fourRequests(list)).toEqual(expected);
  });
});
