/** Whatever arrives, every response is GraphQL JSON, and the gateway stays healthy. */
import pMap from 'p-map';
import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { malformedGraphQL } from '../support/graphql/malformedGraphQL.js';
import { malformedHttp } from '../support/http/malformedHttp.js';
import { exchange, type RawResponse } from '../support/http/rawHttp.js';
const gateway = useGateway();

/** What no response may contain: HTML, stack traces, local paths and addresses. */
const LEAK =
  /<(!doctype|html|body|pre|script)|\n {4}at |node_modules|\.[jt]s:\d|file:\/\/|\/(home|tmp|work|usr|root)\/|127\.0\.0\.1/i;

const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

/** What is wrong with a response to a request that cannot be executed. */
function problemsOf({ status, headers, body }: RawResponse, type: string): string[] {
  const { errors = [], data } = JSON.parse(body) as {
    errors?: { message: unknown; extensions?: { code?: unknown; requestId?: unknown } }[];
    data?: unknown;
  };
  const codes = errors.map(({ extensions }) => String(extensions?.code));
  return [
    /^4\d\d$/.test(`${status}`) ? [] : `status ${status}`,
    headers['content-type'] === type ? [] : `type ${headers['content-type'] ?? ''}`,
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

const requests = [...malformedHttp, ...malformedGraphQL];

test('responds to each malformed request with one error of the type that its path has, and makes no REST call', async () => {
  const results = await pMap(
    requests,
    async ([name, bytes, path]) => {
      const received = await exchange(gateway.url, bytes);
      const type = path === 'another path' ? JSON_TYPE : GRAPHQL_TYPE;
      const problems = received.flatMap((response) => problemsOf(response, type));
      return { name, count: received.length, problems };
    },
    { concurrency: 8 },
  );
  expect(results).toEqual(requests.map(([name]) => ({ name, count: 1, problems: [] })));
  expect(gateway.takeCalls()).toEqual([]);
  expect((await gateway.execute('{ __typename }')).data).toEqual({ __typename: 'Query' });
  expect(gateway.logLines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
});
