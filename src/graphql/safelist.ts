/** Only the operations of a manifest run: by their id, or by their text. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorCode } from './errors/errorTable.js';
import type { OperationManifest } from './operationManifest.js';
import { readRequestParams, type RequestParams } from './requestParams.js';
import { sendError } from '../http/errorResponses.js';

/** Names under which clients send the id of an operation, besides the extension `persistedQuery` of Apollo Client. */
const ID_PARAMETERS = ['documentId', 'id', 'doc_id'];

/** Refuses a request with the text of an operation that is not listed, before it is parsed. */
export function requireListed({ includes: lists }: OperationManifest) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const parameters = readRequestParams(request);
    const query = parameters['query'] ?? undefined;
    if (query !== undefined && !(typeof query === 'string' && lists(query))) {
      sendError(reply, {
        status: 400,
        code: ErrorCode.QueryNotInSafelist,
        message: 'Operation is not on the safelist',
        outcome: 'NOT_APPLIED',
      });
      return;
    }
    if (query === undefined) usePersistedQuery(request, parameters);
    done();
  };
}

/** The listed operations as a store of persisted operations: they are found by id, and none is added. */
export function manifestStore({ getOperation: textOf }: OperationManifest) {
  return {
    get: (key: string) => Promise.resolve(textOf(key.replace(/^apq:/, ''))),
    set: () => Promise.resolve(),
    delete: () => Promise.resolve(false),
  };
}

/** Moves the id of an operation to where Apollo Server reads it. */
function usePersistedQuery(request: FastifyRequest, parameters: RequestParams): void {
  const id = ID_PARAMETERS.map((name) => parameters[name]).find((value) => typeof value === 'string');
  if (id === undefined) return;
  const extensions = { persistedQuery: { version: 1, sha256Hash: id } };
  if (request.method !== 'GET') {
    request.body = { ...parameters, extensions };
    return;
  }
  const search = new URLSearchParams(parameters as Record<string, string>);
  search.set('extensions', JSON.stringify(extensions));
  request.raw.url = `${request.routeOptions.url ?? ''}?${search.toString()}`;
}
