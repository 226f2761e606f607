/** Clients read data and errors from the body of a response, whatever its status (docs/http.md, Clients). */
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { Client, fetchExchange } from '@urql/core';
import { parse } from 'graphql';
import { ClientError, GraphQLClient } from 'graphql-request';
import { request } from 'undici';
import { beforeEach, expect, test } from 'vitest';
import { useStarted } from '../support/tools/useStarted.js';
import { resultOf, type ClientResult, type GraphQLContent } from './support/clientResult.js';
import { startStatusGateways, type StatusCase } from './support/statusCases.js';

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

/** Executes an operation with the fetch function. */
type StatusClient = (url: string, query: string, fetchFunction: typeof fetch) => Promise<ClientResult>;

async function apolloClient(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const link = new HttpLink({ uri: url, fetch: fetchFunction });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const { data, error } = await client.query({ query: gql(query), errorPolicy: 'all' });
  client.stop();
  if (!CombinedGraphQLErrors.is(error)) throw new Error('Expected GraphQL errors', { cause: error });
  return resultOf({ data, errors: error.errors });
}

async function urql(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const client = new Client({
    url,
    fetch: fetchFunction,
    exchanges: [fetchExchange],
    preferGetMethod: false,
  });
  const { data, error } = await client.query<unknown>(query, {});
  return resultOf({ data, errors: error?.graphQLErrors });
}

async function graphqlRequest(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const error: unknown = await new GraphQLClient(url, { fetch: fetchFunction })
    .request(query)
    .catch((reason: unknown) => reason);
  if (!(error instanceof ClientError)) throw new Error('Expected GraphQL errors', { cause: error });
  return resultOf(error.response);
}

async function httpExecutor(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const execute = buildHTTPExecutor({ endpoint: url, fetch: fetchFunction });
  return resultOf((await execute({ document: parse(query) })) as GraphQLContent);
}

/** Reads the JSON whatever the status. */
async function plainFetch(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
  const response = await fetchFunction(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return resultOf((await response.json()) as GraphQLContent);
}

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
  const results = await mapCases(({ url, query }) => execute(url, query, recordingFetch));
  expect(results).toEqual(gateways.cases.map(({ content }) => content));
  expect(statuses).toEqual([294, 422, 429, 503]);
});

async function mapCases<T>(execute: (each: StatusCase) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (const each of gateways.cases) results.push(await execute(each));
  return results;
}
