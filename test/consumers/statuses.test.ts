/** Clients read the errors from the body of a response with the status 294 or 422. */
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { Client, fetchExchange } from '@urql/core';
import { parse } from 'graphql';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Without a token, the field fails; the other has data. */
const PARTIAL = '{ __typename notification(notificationGuid: "a") { notificationName } }';
const INVALID = '{ color }';

/** Statuses of the responses. */
const statuses: number[] = [];
const recordingFetch: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  statuses.push(response.status);
  return response;
};

const codesOf = (errors: readonly { extensions?: Record<string, unknown> }[] = []) =>
  errors.map(({ extensions }) => extensions?.['code']);

/** Clients, each with the codes of the errors that it reports for an operation. */
const clients: Record<string, (query: string) => Promise<unknown[]>> = {
  async 'Apollo Client'(query) {
    const link = new HttpLink({ uri: gateway.url, fetch: recordingFetch });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const { error } = await client.query({ query: gql(query), errorPolicy: 'all' });
    client.stop();
    if (!CombinedGraphQLErrors.is(error)) throw new Error('Expected GraphQL errors', { cause: error });
    return codesOf(error.errors);
  },
  async urql(query) {
    const client = new Client({
      url: gateway.url,
      fetch: recordingFetch,
      exchanges: [fetchExchange],
      preferGetMethod: false,
    });
    const { error } = await client.query(query, {});
    return codesOf(error?.graphQLErrors);
  },
  async '@graphql-tools/executor-http'(query) {
    const execute = buildHTTPExecutor({ endpoint: gateway.url, fetch: recordingFetch });
    const result = (await execute({ document: parse(query) })) as { errors?: [] };
    return codesOf(result.errors);
  },
  async undici(query) {
    const { statusCode, body } = await request(gateway.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query }),
    });
    statuses.push(statusCode);
    return codesOf(((await body.json()) as { errors?: [] }).errors);
  },
};

test.each(Object.entries(clients))(
  '%s reads the errors of 294 and 422 from the body',
  async (_client, codesFor) => {
    statuses.length = 0;
    expect([await codesFor(PARTIAL), await codesFor(INVALID)]).toEqual([
      ['UNAUTHENTICATED'],
      ['GRAPHQL_VALIDATION_FAILED'],
    ]);
    expect(statuses).toEqual([294, 422]);
  },
);
