/** Clients as their users call them, in Node.js and in a browser. */
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { Client, fetchExchange } from '@urql/core';
import { parse } from 'graphql';
import { ClientError, GraphQLClient } from 'graphql-request';
import { resultOf, type ClientResult, type GraphQLContent } from './clientResult.js';

/** Executes an operation with the fetch function. */
export type StatusClient = (url: string, query: string, fetchFunction: typeof fetch) => Promise<ClientResult>;

export async function apolloClient(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const link = new HttpLink({ uri: url, fetch: fetchFunction });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const { data, error } = await client.query({ query: gql(query), errorPolicy: 'all' });
  client.stop();
  if (!CombinedGraphQLErrors.is(error)) throw new Error('Expected GraphQL errors', { cause: error });
  return resultOf({ data, errors: error.errors });
}

export async function urql(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const client = new Client({
    url,
    fetch: fetchFunction,
    exchanges: [fetchExchange],
    preferGetMethod: false,
  });
  const { data, error } = await client.query<unknown>(query, {});
  return resultOf({ data, errors: error?.graphQLErrors });
}

export async function graphqlRequest(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const error: unknown = await new GraphQLClient(url, { fetch: fetchFunction })
    .request(query)
    .catch((reason: unknown) => reason);
  if (!(error instanceof ClientError)) throw new Error('Expected GraphQL errors', { cause: error });
  return resultOf(error.response);
}

export async function httpExecutor(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const execute = buildHTTPExecutor({ endpoint: url, fetch: fetchFunction });
  return resultOf((await execute({ document: parse(query) })) as GraphQLContent);
}

/** Reads the JSON whatever the status. */
export async function plainFetch(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
  const response = await fetchFunction(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return resultOf((await response.json()) as GraphQLContent);
}

/**
 * What the script of Apollo Sandbox (`@apollo/sandbox`, `postMessageRelayHelpers`) does, which needs Apollo's servers: fetch
 * with the user's headers and a content type, without an Accept header or cookies; JSON whatever the status.
 */
export async function apolloSandbox(...[url, query, fetchFunction]: Parameters<StatusClient>) {
  const response = await fetchFunction(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: {} }),
    credentials: 'omit',
  });
  if (/^multipart\/mixed/.test(response.headers.get('content-type') ?? ''))
    throw new Error('Expected a single response');
  return resultOf((await response.json()) as GraphQLContent);
}
