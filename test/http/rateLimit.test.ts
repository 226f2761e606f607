import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { requestError } from '../support/graphql/fieldError.js';
import { keyLine, writeKeysFile } from '../support/http/clientCredentials.js';
import { forTest } from '../support/tools/useStarted.js';

const QUERY = '{ notifications { totalPossibleCount } }';
/** An operation without REST calls. */
const TYPENAME = '{ __typename }';

let gateway: TestGateway;
async function start(env: Record<string, string>): Promise<void> {
  gateway = await forTest(startGateway({ env: { RATE_LIMIT: '3/60s', ...env } }));
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
      type: 'application/graphql-response+json; charset=utf-8',
      data: undefined,
      errors: [
        requestError(
          'Too many requests',
          { code: 'RATE_LIMITED', retryable: true, retryAfterSeconds: retryAfter },
          headers.get('x-request-id'),
        ),
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

  test('is identified by its address, whatever tokens it sends', async () => {
    await start({});
    const headers = [bearer('a'), bearer('b'), {}, { authorization: 'Basic c' }];
    expect(await statusesOf(...headers)).toEqual([200, 200, 200, 429]);
  });

  test('is identified by its name if it is known, whatever its token', async () => {
    const CLIENT_KEYS_FILE = writeKeysFile(
      `${keyLine('app', 'key-1')}\n${keyLine('app', 'key-2')}\n${keyLine('other', 'key-3')}`,
    );
    await start({ CLIENT_KEYS_FILE });
    const known = (key: string, token: string) => ({ 'x-client-key': key, ...bearer(token) });
    expect(
      await statusesOf(known('key-1', 'a'), known('key-2', 'b'), known('key-1', 'c'), known('key-2', 'd')),
    ).toEqual([200, 200, 200, 429]);
    expect(
      await statusesOf(known('key-3', 'a'), bearer('a'), known('unknown', 'b'), bearer('c'), bearer('d')),
    ).toEqual([200, 200, 200, 200, 429]);
  });

  test('is not counted if it is a supergraph gateway, which serves many clients', async () => {
    const SUBGRAPH_TOKEN = 'the-token-of-the-supergraph';
    await start({ SUBGRAPH_TOKEN });
    const requests = Array.from({ length: 5 }, () => ({ 'x-subgraph-token': SUBGRAPH_TOKEN }));
    expect(await statusesOf(...requests)).toEqual([200, 200, 200, 200, 200]);
    const others = Array.from({ length: 4 }, () => ({ 'x-subgraph-token': 'made-up' }));
    expect(await statusesOf(...others)).toEqual([200, 200, 200, 429]);
  });
});

test('a proxy that adds no address to X-Forwarded-For is logged at most once a minute', async () => {
  await start({ TRUST_PROXY: '1' });
  const lists = ['10.0.0.1:80', 'unknown', 'unknown', 'unknown, 10.0.0.1'];
  await statusesOf(...lists.map((list) => ({ 'x-forwarded-for': list })));
  expect(gateway.logLines.filter(({ level }) => Number(level) >= 40)).toEqual([
    {
      level: 40,
      msg: 'X-Forwarded-For lacks the address that a trusted proxy adds: using the address of the connection',
      requestId: expect.any(String) as string,
      time: expect.any(Number) as number,
      pid: expect.any(Number) as number,
      hostname: expect.any(String) as string,
    },
  ]);
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
    [
      'distinguishes clients by the last address outside of networks',
      '127.0.0.0/8, 10.1.0.0/16',
      (index) => `10.2.0.1, 10.0.0.${index}, 10.1.0.1`,
      [200, 200, 200, 200],
    ],
    [
      'ignores addresses before the last one outside of networks',
      '127.0.0.1,10.1.0.0/16',
      (index) => `10.2.0.${index}, 10.0.0.1, 10.1.0.1`,
      [200, 200, 200, 429],
    ],
    [
      'ignores X-Forwarded-For of a client outside of networks',
      '10.1.0.0/16,fd00::/8',
      (index) => `10.0.0.${index}`,
      [200, 200, 200, 429],
    ],
    ['groups IPv6 addresses by /64', '1', (index) => `2001:db8:0:1::${index}`, [200, 200, 200, 429]],
    ['ignores ports', '1', (index) => `10.0.0.1:500${index}`, [200, 200, 200, 429]],
    ['ignores ports of IPv6 addresses', '1', (index) => `[2001:db8::1]:500${index}`, [200, 200, 200, 429]],
    ['ignores brackets', '1', (index) => (index % 2 ? '[2001:db8::1]' : '2001:db8::1'), [200, 200, 200, 429]],
    [
      'distinguishes clients whose proxies append ports',
      '127.0.0.0/8, 10.1.0.0/16',
      (index) => `10.2.0.1:80, 10.0.0.${index}:500${index}, 10.1.0.1:443`,
      [200, 200, 200, 200],
    ],
    [
      'ignores ports, and what is before the last address outside of networks',
      '127.0.0.0/8, fd00::/8',
      (index) => `10.2.0.${index}, 10.0.0.1:500${index}, [fd00::1]:443`,
      [200, 200, 200, 429],
    ],
    ...['unknown', '_hidden', '10.0.0', '10.0.0.1:x', '10.0.0.1:', '[10.0.0.1]:80'].map(
      (word): [string, string, (index: number) => string, number[]] => [
        `uses the address of the connection instead of ${word}`,
        '1',
        (index) => `10.0.0.${index}, ${word}${index}`,
        [200, 200, 200, 429],
      ],
    ),
    ['distinguishes IPv6 networks', '1', (index) => `2001:db8:0:${index}::1`, [200, 200, 200, 200]],
  ])('%s with TRUST_PROXY=%s', async (_behavior, TRUST_PROXY, list, expected) => {
    await start({ TRUST_PROXY });
    expect(await fourRequests(list)).toEqual(expected);
  });
});
