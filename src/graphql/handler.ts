/** The short way to the answer of an operation whose document Apollo Server has found valid before. */
import type { FastifyRequest } from 'fastify';
import { GraphQLError, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { GatewayContext } from '../context.js';
import type { AnswerWriter } from './execution/response.js';
import type { OperationCache, Operation } from './execution/operationCache.js';
import type { OperationCheck, ResolvedRequest } from './checks/operationCheck.js';
import type { Variables } from './checks/rootFields.js';
import { negotiateMediaType } from './mediaTypes.js';
import { readJsonPost } from './requestParams.js';

export interface ShortWayOptions {
  schema: GraphQLSchema;
  known: OperationCache;
  checks: readonly OperationCheck[];
  write: AnswerWriter;
}

export interface ShortAnswer {
  contentType: string;
  body: string;
}

/**
 * Answers a request with status 200. Undefined when the request has to go to Apollo Server, and nothing of it was
 * executed: that is all but a well-formed POST of a known document that passes the checks, so that whatever has to be
 * refused is refused in one place.
 */
export type ShortWay = (
  request: FastifyRequest,
  createContext: () => GatewayContext,
) => Promise<ShortAnswer | undefined>;

export function createShortWay({ schema, known: documents, checks, write }: ShortWayOptions): ShortWay {
  const hasValidUrl = createUrlCheck();
  return async (request, createContext) => {
    if (!hasValidUrl(request)) return undefined;
    const parameters = readJsonPost(request);
    const contentType = negotiateMediaType(request.headers.accept);
    if (parameters === undefined || contentType === undefined) return undefined;
    const known = documents.find(parameters.query, parameters.operationName);
    if (known === undefined) return undefined;
    const contextValue = createContext();
    const resolved = {
      document: known.document,
      operation: known.operation,
      schema,
      contextValue,
      source: parameters.query,
      request: parameters,
    };
    if (!passes(resolved, checks)) return undefined;
    const result = await execute(known, contextValue, parameters.variables);
    if (!('data' in result)) return undefined;
    return { contentType, body: `${JSON.stringify(write(result, resolved))}\n` };
  };
}

/** A defect of the execution itself is an error of its result: nobody knows what was carried out. */
async function execute(
  operation: Operation,
  contextValue: GatewayContext,
  variables: Variables | undefined,
): Promise<ExecutionResult> {
  try {
    return await operation.execute(contextValue, variables);
  } catch (error) {
    return {
      data: null,
      errors: [new GraphQLError('Execution failed', { originalError: error as Error })],
    };
  }
}

/** Whether path and Host make a URL, as Apollo Server's integration asks for; nearly all requests have the same ones. */
function createUrlCheck(): (request: FastifyRequest) => boolean {
  let valid: Pick<FastifyRequest, 'hostname' | 'protocol' | 'url'> | undefined;
  return ({ url, protocol, hostname }) => {
    if (url === valid?.url && hostname === valid.hostname && protocol === valid.protocol) return true;
    if (!URL.canParse(url, `${protocol}://${hostname}/`)) return false;
    valid = { url, protocol, hostname };
    return true;
  };
}

function passes(request: ResolvedRequest, checks: readonly OperationCheck[]): boolean {
  try {
    for (const check of checks) check(request);
    return true;
  } catch {
    return false; // Apollo Server runs it again, and answers what it says
  }
}
