/** Clients read data and errors from the body of a response, whatever its status (docs/http.md, Clients). */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import http from '@graphql-mesh/transport-http';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { stitchSchemas } from '@graphql-tools/stitch';
import { composeServices } from '@theguild/federation-composition';
import { buildSchema, graphql, parse } from 'graphql';
import { request } from 'undici';
import { beforeEach, describe, expect, test } from 'vitest';
import { minimalEnv } from '../support/process/minimalEnv.js';
import { reasonToSkip, skipIf } from '../support/process/requirements.js';
import { resultOf, type GraphQLContent } from './support/clientResult.js';
import { startStatusGateways, type StatusCase } from './support/statusCases.js';
import {
  apolloClient,
  graphqlRequest,
  httpExecutor,
  plainFetch,
  urql,
  type StatusClient,
} from './support/statusClients.js';
import { useStarted } from '../support/tools/useStarted.js';
const gateways = useStarted(startStatusGateways);

/** Statuses of the gateway's responses. */
const statuses: number[] = [];
beforeEach(() => {
  statuses.length = 0;
});
const recordingFetch: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  statuses.push(response.status);
  return response;
};

const resultsOf = (execute: StatusClient) =>
  mapCases(({ url, query }) => execute(url, query, recordingFetch));

const undici: StatusClient = async (url, query) => {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query }),
  });
  statuses.push(statusCode);
  return resultOf((await body.json()) as GraphQLContent);
};

test.each<[client: string, execute: StatusClient]>([
  ['Apollo Client', apolloClient],
  ['urql', urql],
  ['graphql-request', graphqlRequest],
  ['@graphql-tools/executor-http', httpExecutor],
  ['undici', undici],
  ['fetch', plainFetch],
])('%s reads data and errors from responses with 294, 422, 429 and 503', async (_client, execute) => {
  expect(await resultsOf(execute)).toEqual(gateways.cases.map(({ content }) => content));
  expect(statuses).toEqual([294, 422, 429, 503]);
});

describe('On the command line,', () => {
  skipIf(reasonToSkip('curl'));

  test.each([
    ['--silent', 0, true],
    ['--fail-with-body', 22, true],
    ['--fail', 22, false],
  ])(
    'curl with %s ends with %i and prints the body (%s) of responses with 422, 429 and 503',
    async (option, exitCode, printsBody) => {
      const results = await mapCases(async ({ url, query }) => {
        const headers = ['content-type: application/json', 'accept: application/graphql-response+json'];
        const { stdout, code } = await runCurl([
          '--silent',
          option,
          ...headers.flatMap((header) => ['--header', header]),
          ...['--data', JSON.stringify({ query }), url],
        ]);
        return { code, result: stdout === '' ? undefined : resultOf(JSON.parse(stdout) as GraphQLContent) };
      });
      const [partial, ...rejections] = gateways.cases;
      expect(results).toEqual([
        { code: 0, result: partial?.content },
        ...rejections.map(({ content }) => ({ code: exitCode, result: printsBody ? content : undefined })),
      ]);
    },
  );
});

describe('In a supergraph, the errors of a response become those of its root field:', () => {
  test('@graphql-tools/stitch keeps the errors of responses with 294, 422, 429 and 503', async () => {
    const results = await resultsOf(async (endpoint, source, fetchFunction) => {
      const schema = stitchSchemas({
        subschemas: [
          {
            schema: buildSchema(gateways.sdl.stitching),
            executor: buildHTTPExecutor({ endpoint, fetch: fetchFunction }),
          },
        ],
      });
      const { data, errors } = await graphql({ schema, source });
      return resultOf({ data, errors });
    });
    expect(results).toEqual(gateways.cases.map((each) => supergraphResult(each)));
    expect(statuses).toEqual([294, 422, 429, 503]);
  });

  test('the runtime of Hive Gateway keeps the errors of responses with 294, 422, 429 and 503', async () => {
    const results = await resultsOf(async (url, query, fetchFunction) => {
      const typeDefs = parse(gateways.sdl.federation);
      const { supergraphSdl = '' } = composeServices([{ name: 'notifications', url, typeDefs }]);
      await using hive = createGatewayRuntime({
        supergraph: supergraphSdl,
        transports: { http },
        logging: false,
        fetchAPI: { fetch: fetchFunction },
      });
      const response = await hive.fetch('http://supergraph/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return resultOf((await response.json()) as GraphQLContent);
    });
    expect(results).toEqual(
      gateways.cases.map((each) => supergraphResult(each, { serviceName: 'notifications' })),
    );
    expect(statuses).toEqual([294, 422, 429, 503]);
  });
});

/** What a supergraph gateway returns for a response of ours. */
function supergraphResult({ query, content: { errors } }: StatusCase, added: object = {}) {
  const [, field = ''] = /(notification\w*)\(/.exec(query) ?? [];
  return {
    data: { ...(query.includes('__typename') && { __typename: 'Query' }), [field]: null },
    errors: errors.map(({ message, extensions }) => ({
      message,
      path: [field],
      extensions: { ...(extensions as object), ...added },
    })),
  };
}

async function runCurl(args: string[]): Promise<{ stdout: string; code: number }> {
  try {
    const { stdout } = await promisify(execFile)('curl', args, { env: minimalEnv });
    return { stdout, code: 0 };
  } catch (error) {
    return error as { stdout: string; code: number };
  }
}

async function mapCases<T>(execute: (each: StatusCase) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (const each of gateways.cases) results.push(await execute(each));
  return results;
}
