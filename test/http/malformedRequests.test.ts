/** Whatever comes, only GraphQL JSON goes back, and the gateway lives on. */
import pMap from 'p-map';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { malformedGraphQL } from '../support/graphql/malformedGraphQL.js';
import { brokenRequests, malformedHttp } from '../support/http/malformedHttp.js';
import { exchange, type RawAnswer } from '../support/http/rawHttp.js';
import { seededRandom } from '../support/tools/seededRandom.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** What is in no answer: pages, stacks, and places of this machine or of the service. */
const LEAK =
  /<(!doctype|html|body|pre|script)|\n {4}at |node_modules|\.[jt]s:\d|file:\/\/|\/(home|tmp|work|usr|root)\/|127\.0\.0\.1/i;

/** What is wrong with an answer to a request that cannot be executed. */
function faultsOf({ status, headers, body }: RawAnswer): string[] {
  const { errors = [], data } = JSON.parse(body) as {
    errors?: { message: unknown; extensions?: { code?: unknown } }[];
    data?: unknown;
  };
  const codes = errors.map(({ extensions }) => String(extensions?.code));
  const isStatusRight = codes.includes('PERSISTED_QUERY_NOT_SUPPORTED')
    ? status === 200
    : /^4\d\d$/.test(`${status}`);
  return [
    isStatusRight ? [] : `status ${status}`,
    headers['content-type'] === 'application/json; charset=utf-8'
      ? []
      : `type ${headers['content-type'] ?? ''}`,
    headers['x-content-type-options'] === 'nosniff' ? [] : 'no headers for safety',
    errors.length > 0 && errors.every(({ message }) => typeof message === 'string')
      ? []
      : `errors of ${body}`,
    codes.every((code) => /^[A-Z_]+$/.test(code) && code !== 'INTERNAL_SERVER_ERROR')
      ? []
      : `codes of ${body}`,
    data === undefined ? [] : `data of ${body}`,
    LEAK.test(body) ? `leak of ${body}` : [],
  ].flat();
}

async function expectAlive(): Promise<void> {
  expect((await gateway.execute('{ __typename }')).data).toEqual({ __typename: 'Query' });
  expect(gateway.logLines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
}

const requests = [...malformedHttp, ...malformedGraphQL];

test('there are more than 200 malformed requests', () => {
  expect(new Set(requests.map(([, bytes]) => bytes.toString('latin1'))).size).toBeGreaterThan(200);
});

test('each of them gets one answer of GraphQL JSON, and makes no REST call', async () => {
  const answers = await pMap(
    requests,
    async ([name, bytes]) => {
      const received = await exchange(gateway.url, bytes);
      return { name, count: received.length, faults: received.flatMap(faultsOf) };
    },
    { concurrency: 8 },
  );
  expect(answers).toEqual(requests.map(([name]) => ({ name, count: 1, faults: [] })));
  expect(gateway.takeCalls()).toEqual([]);
  await expectAlive();
});

test('requests with changed bytes get no other answers, unless they are sound', async () => {
  const broken = brokenRequests(seededRandom('broken requests'), 1000);
  let refused = 0;
  const strange = await pMap(
    broken,
    async ([name, bytes]) => {
      const received = await exchange(gateway.url, bytes);
      // A sound one is executed, and ends for want of a token.
      const refusals = received.filter(({ body }) => !body.includes('UNAUTHENTICATED'));
      refused += refusals.length;
      const faults = refusals.flatMap(faultsOf);
      return faults.length > 0 ? [{ name, request: bytes.toString('latin1'), faults }] : [];
    },
    { concurrency: 8 },
  );
  expect(strange.flat()).toEqual([]);
  console.log(`${refused} of ${broken.length} were refused`);
  expect(refused).toBeGreaterThan(500);
  await expectAlive();
});
