/** The parameters of a GraphQL request: query, variables, operation name, extensions. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorCode } from '../errors.js';
import { sendProblem } from './problems.js';

export type Parameters = Readonly<Record<string, unknown>>;

/**
 * The parameters exactly as Apollo Server is going to read them (GraphQL over HTTP, sections 6.2 and 6.3). Of a GET
 * they come from its URL; what Fastify makes of that differs for a target in absolute form (RFC 9112 section 3.2.2).
 */
export function parametersOf({ method, url, body }: FastifyRequest): Parameters {
  if (method === 'GET') return Object.fromEntries(new URL(url, 'http://any').searchParams);
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Parameters) : {};
}

/**
 * Refuses a document of very many lines, before it is parsed: the place of every error in it is found by going
 * through its lines, and neither space nor comments are tokens.
 */
export function limitLines(most: number) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const { query } = parametersOf(request);
    if (typeof query !== 'string' || query.length < most || linesOf(query, most + 1) <= most) {
      done();
      return;
    }
    sendProblem(reply, {
      status: 400,
      code: ErrorCode.QueryTooComplex,
      message: `Expected a document of at most ${most} lines`,
      outcome: 'NOT_APPLIED',
    });
  };
}

/** The number of lines (GraphQL specification, section 2.1.2), of very many the bound. */
function linesOf(document: string, bound: number): number {
  return document.split(/\r\n|[\n\r]/, bound).length;
}
