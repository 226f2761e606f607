/** The parameters of a GraphQL request over HTTP: query, operation name, variables and extensions. */
import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '../domain/json.js';

/** The parts of an HTTP request that the GraphQL side reads. */
export interface GraphQLHttpRequest {
  id: string;
  method: string;
  /** Request target (RFC 9112 section 3.2). */
  url: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** Parameters by name, not validated. */
export type RequestParams = Readonly<Record<string, unknown>>;

/**
 * Reads the parameters that Apollo Server is going to read (GraphQL over HTTP, sections 6.2 and 6.3); it rejects repeated
 * ones, of which this returns the last. Those of a GET come from its URL: Fastify's own query differs for a target in absolute form (RFC 9112 section 3.2.2).
 */
export function readRequestParams({ method, url, body }: GraphQLHttpRequest): RequestParams {
  if (method === 'GET') return Object.fromEntries(new URLSearchParams(searchOf(url)));
  return isRecord(body) ? body : {};
}

/**
 * The query component of a request target, with its question mark, and without empty parameters: these are the same as none (GraphQL
 * over HTTP, section 6.2), but Apollo Server would look for an operation without a name, and parse the others as JSON.
 */
export function searchOf(url: string): string {
  const { search, searchParams } = new URL(url, 'http://any');
  const { size } = searchParams;
  for (const name of ['operationName', 'variables', 'extensions'])
    if (searchParams.getAll(name).join() === '') searchParams.delete(name); // not if it is repeated, which is rejected
  return searchParams.size === size ? search : `?${searchParams.toString()}`;
}

/** The body of a POST; an empty operation name in it is the same as none. */
export function bodyOf(body: unknown): unknown {
  return isRecord(body) && body['operationName'] === '' ? { ...body, operationName: null } : body;
}

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/**
 * Reads the parameters of a well-formed POST (GraphQL over HTTP, section 5.3). Returns undefined for everything that
 * Apollo Server must handle: other content types, malformed parameters, and hashes that accompany a text.
 */
export function readJsonPost({ method, headers, body }: GraphQLHttpRequest) {
  if (method !== 'POST' || !JSON_TYPE.test(headers['content-type'] ?? '') || !isRecord(body))
    return undefined;
  const { query = null, operationName = null, variables = null, extensions = null } = body;
  if (query !== null && typeof query !== 'string') return undefined;
  if (extensions !== null && !isRecord(extensions)) return undefined;
  if (query !== null && extensions !== null && 'persistedQuery' in extensions) return undefined;
  if (operationName !== null && typeof operationName !== 'string') return undefined;
  if (variables !== null && !isRecord(variables)) return undefined;
  return {
    /** Undefined if the operation is given by its id. */
    query: query ?? undefined,
    operationName: operationName === '' ? undefined : (operationName ?? undefined),
    variables: variables ?? undefined,
  };
}
