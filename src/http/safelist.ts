/** Only the operations of a manifest run: by their id, or by their text. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorCode } from '../errors.js';
import type { OperationsManifest } from '../operationsManifest.js';
import { sendProblem } from './problems.js';

/** Names under which clients send the id of an operation, besides the extension `persistedQuery` of Apollo Client. */
const ID_PARAMETERS = ['documentId', 'id', 'doc_id'];

/** Refuses a request with the text of an operation that is not listed, before it is parsed. */
export function requireListed({ lists }: OperationsManifest) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const parameters = asRecord(request.method === 'GET' ? request.query : request.body);
    const { query } = parameters;
    if (query !== undefined && query !== null && !(typeof query === 'string' && lists(query))) {
      sendProblem(reply, {
        status: 400,
        code: ErrorCode.QueryNotInSafelist,
        message: 'Expected an operation of the manifest, got another one',
        outcome: 'NOT_APPLIED',
      });
      return;
    }
    if (query === undefined) request.body = withPersistedQuery(request.body);
    done();
  };
}

/** The listed operations as a store of persisted operations: they are found by id, and none is added. */
export function manifestStore({ textOf }: OperationsManifest) {
  return {
    get: (key: string) => Promise.resolve(textOf(key.replace(/^apq:/, ''))),
    set: () => Promise.resolve(),
    delete: () => Promise.resolve(false),
  };
}

/** The id of an operation moved to where Apollo Server reads it. */
function withPersistedQuery(body: unknown): unknown {
  const parameters = asRecord(body);
  const id = ID_PARAMETERS.map((name) => parameters[name]).find((value) => typeof value === 'string');
  if (id === undefined) return body;
  const persistedQuery = { version: 1, sha256Hash: id };
  return { ...parameters, extensions: { ...asRecord(parameters['extensions']), persistedQuery } };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
