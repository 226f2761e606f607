/** Whatever arrives, every response is GraphQL JSON, and the gateway stays healthy. */
import pMap from 'p-map';
import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { malformedGraphQL } from '../support/graphql/malformedGraphQL.js';
import { brokenRequests, malformedHttp } from '../support/http/malformedHttp.js';
import { exchange, type RawResponse } from '../support/http/rawHttp.js';
import { seededRandom } from '../support/tools/seededRandom.js';
const gateway = useGateway();

/** What no response may contain: HTML, stack traces, local paths and addresses. */
const LEAK =
  /<(!doctype|html|body|pre|script)|\n {4}at |node_modules|\.[jt]s:\d|file:\/\/|\/(home|tmp|work|usr|root)\/|127\.0\.0\.1/i;

const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

/** What is wrong with a response to a request that cannot be executed; the type is one of those given. */
function problemsOf({ status, headers, body }: RawResponse, types: readonly string[]): string[] {
  const { errors = [], data } = JSON.parse(body) as {
    errors?: { message: unknown; extensions?: { code?: unknown; requestId?: unknown } }[];
    data?: unknown;
  };
  const codes = errors.map(({ extensions }) => String(extensions?.code));
  return [
    /^4\d\d$/.test(`${status}`) ? [] : `status ${status}`,
    types.includes(headers['content-type'] ?? '') ? [] : `type ${headers['content-type'] ?? ''}`,
    headers['x-content-type-options'] === 'nosniff' ? [] : 'no security headers',
    Number.isNaN(Date.parse(headers['date'] ?? '')) ? 'no date' : [],
    errors.length > 0 && errors.every(({ message }) => typeof message === 'string')
      ? []
      : `errors of ${body}`,
    codes.every((code) => /^[A-Z_]+$/.test(code) && code !== 'INTERNAL_SERVER_ERROR')
      ? []
      : `codes of ${body}`,
    errors.every(({ extensions }) => extensions?.requestId === headers['x-request-id'])
      ? []
      : `request ID of ${body}`,
    data === undefined ? [] : `data of ${body}`,
    LEAK.test(body) ? `leak of ${body}` : [],
  ].flat();
}

/** The types that the first response to a mutated request may have; the bytes of others may be those of another path. */
function typesFor(bytes: Buffer, { status }: RawResponse): string[] {
  if (/^(GET|POST) \/graphql[ ?]/.test(bytes.toString('latin1'))) return [GRAPHQL_TYPE];
  return status === 404 ? [JSON_TYPE] : [GRAPHQL_TYPE, JSON_TYPE];
}

async function expectHealthy(): Promise<void> {
  expect((await gateway.execute('{ __typename }')).data).toEqual({ __typename: 'Query' });
  expect(gateway.logLines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
}

const requests = [...malformedHttp, ...malformedGraphQL];

test('responds to each malformed request with one error of the type that its path has, and makes no REST call', async () => {
  const results = await pMap(
    requests,
    async ([name, bytes, path]) => {
      const received = await exchange(gateway.url, bytes);
      const type = path === 'another path' ? JSON_TYPE : GRAPHQL_TYPE;
      const problems = received.flatMap((response) => problemsOf(response, [type]));
      return { name, count: received.length, problems };
    },
    { concurrency: 8 },
  );
  expect(results).toEqual(requests.map(([name]) => ({ name, count: 1, problems: [] })));
  expect(gateway.takeCalls()).toEqual([]);
  await expectHealthy();
});

test('rejects randomly mutated requests the same way, unless they are still valid', async () => {
  const mutated = brokenRequests(seededRandom('broken requests'), 500);
  let rejected = 0;
  const violations = await pMap(
    mutated,
    async ([name, bytes]) => {
      const received = await exchange(gateway.url, bytes);
      // A request that is still valid is executed and fails because it has no token.
      const rejections = received.filter(({ body }) => !body.includes('UNAUTHENTICATED'));
      rejected += rejections.length;
      const problems = rejections.flatMap((response) => problemsOf(response, typesFor(bytes, response)));
      return problems.length > 0 ? [{ name, request: bytes.toString('latin1'), problems }] : [];
    },
    { concurrency: 8 },
  );
  expect(violations.flat()).toEqual([]);
  console.log(`${rejected} of ${mutated.length} mutated requests were rejected`);
  expect(rejected).toBeGreaterThan(250);
  await expectHealthy();
});
