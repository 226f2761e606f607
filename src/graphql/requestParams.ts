/** The parameters of a GraphQL request: query, variables, operation name, extensions. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorCode } from './errors/errorTable.js';
import type { Variables } from './checks/rootFields.js';
import { sendError } from '../http/errorResponses.js';

export type RequestParams = Readonly<Record<string, unknown>>;

/**
 * The parameters exactly as Apollo Server is going to read them (GraphQL over HTTP, sections 6.2 and 6.3). Of a GET
 * they come from its URL; what Fastify makes of that differs for a target in absolute form (RFC 9112 section 3.2.2).
 */
export function readRequestParams({ method, url, body }: FastifyRequest): RequestParams {
  if (method === 'GET') return Object.fromEntries(new URL(url, 'http://any').searchParams);
  return isRecord(body) ? body : {};
}

export interface PostParams {
  query: string;
  operationName?: string;
  variables?: Variables;
}

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** The parameters of a POST that need no more than to be read (GraphQL over HTTP, section 5.3); else undefined. */
export function readJsonPost({ method, headers, body }: FastifyRequest): PostParams | undefined {
  if (method !== 'POST' || !JSON_TYPE.test(headers['content-type'] ?? '') || !isRecord(body))
    return undefined;
  const { query, operationName = null, variables = null, extensions = null } = body;
  if (typeof query !== 'string') return undefined;
  if (extensions !== null && (!isRecord(extensions) || 'persistedQuery' in extensions)) return undefined;
  if (operationName !== null && (typeof operationName !== 'string' || operationName === '')) return undefined;
  if (variables !== null && !isRecord(variables)) return undefined;
  const parameters: PostParams = { query };
  if (operationName !== null) parameters.operationName = operationName;
  if (variables !== null) parameters.variables = variables;
  return parameters;
}

/**
 * Refuses a document of very many lines, before it is parsed: the place of every error in it is found by going
 * through its lines, and neither space nor comments are tokens.
 */
export function enforceLineLimit(maxLines: number) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { query } = readRequestParams(request);
    if (typeof query !== 'string' || query.length < maxLines || countLines(query, maxLines + 1) <= maxLines) {
      done();
      return;
    }
    sendError(reply, {
      status: 400,
      code: ErrorCode.QueryTooComplex,
      message: `Expected a document of at most ${maxLines} lines`,
      outcome: 'NOT_APPLIED',
    });
  };
}

/** The number of lines (GraphQL specification, section 2.1.2), of very many the bound. */
function countLines(document: string, bound: number): number {
  return document.split(/\r\n|[\n\r]/, bound).length;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
