/** Operations that clients send by id: those of a manifest, or automatic persisted queries (APQ). */
import type { ApolloServerOptions } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { LRUCache } from 'lru-cache';
import { HttpStatus, RequestError } from './responses.js';
import type { OperationManifest } from './operationManifest.js';
import { isRecord, type RequestParams } from './requestParams.js';

export interface PersistedOperations {
  /** The text of the operation whose id the parameters give; undefined if there is none. */
  find(params: RequestParams): string | undefined;
  /**
   * Translates an ID sent as `documentId`, `id` or `doc_id` into the extension `persistedQuery`, by which Apollo Server finds
   * operations; undefined if there is none. Unknown IDs are translated, too, so that Apollo Server rejects them like its own.
   */
  apolloExtensions(params: RequestParams): object | undefined;
  /** Apollo Server's option, over the same operations. */
  apolloOption: NonNullable<ApolloServerOptions<never>['persistedQueries']>;
}

export interface PersistedOperationsOptions {
  /** The only operations that have ids; undefined for APQ. */
  manifest: OperationManifest | undefined;
  /** Size of the APQ cache in bytes; 0 turns APQ off. */
  apqCacheBytes: number;
}

export function createPersistedOperations({
  manifest,
  apqCacheBytes,
}: PersistedOperationsOptions): PersistedOperations {
  if (manifest) return fromManifest(manifest);
  if (apqCacheBytes > 0) return fromApqCache(apqCacheBytes);
  return { find: () => undefined, apolloExtensions: () => undefined, apolloOption: false };
}

/** Parameters that clients use for the id of an operation, in addition to Apollo Client's extension `persistedQuery`. */
const OPERATION_ID_PARAMS = ['documentId', 'id', 'doc_id'];

function fromManifest({ getOperation }: OperationManifest): PersistedOperations {
  const operationIdOf = (params: RequestParams) =>
    OPERATION_ID_PARAMS.map((name) => params[name]).find((value) => typeof value === 'string');
  return {
    find(params) {
      const id = operationIdOf(params) ?? hashOf(params);
      return id === undefined ? undefined : getOperation(id);
    },
    apolloExtensions(params) {
      const id = operationIdOf(params);
      const hasText = (params['query'] ?? undefined) !== undefined;
      return id === undefined || hasText ? undefined : { persistedQuery: { version: 1, sha256Hash: id } };
    },
    apolloOption: {
      cache: {
        get: (key) => Promise.resolve(getOperation(withoutPrefix(key))),
        set: () => Promise.resolve(),
        delete: () => Promise.resolve(false),
      },
    },
  };
}

function fromApqCache(maxSize: number): PersistedOperations {
  const texts = new LRUCache<string, string>({ maxSize, sizeCalculation: (text) => Buffer.byteLength(text) });
  return {
    find(params) {
      const hash = hashOf(params);
      return hash === undefined ? undefined : texts.get(hash);
    },
    apolloExtensions: () => undefined,
    apolloOption: {
      cache: {
        get: (key) => Promise.resolve(texts.get(withoutPrefix(key))),
        set: (key, text) => {
          texts.set(withoutPrefix(key), text);
          return Promise.resolve();
        },
        delete: (key) => Promise.resolve(texts.delete(withoutPrefix(key))),
      },
    },
  };
}

/** Throws a RequestError for a hash that is not a string: Apollo Server converts it to one, which fails for some values. */
export function enforceHashIsString({ extensions }: RequestParams): void {
  const parsed = typeof extensions === 'string' ? parseJson(extensions) : extensions; // text in the URL of a GET
  const persistedQuery = isRecord(parsed) ? parsed['persistedQuery'] : undefined;
  if (!isRecord(persistedQuery) || typeof persistedQuery['sha256Hash'] === 'string') return;
  throw new RequestError({
    status: HttpStatus.UnprocessableContent,
    code: ApolloServerErrorCode.BAD_REQUEST,
    message: 'Expected the hash of a persisted query to be a string',
    outcome: 'NOT_APPLIED',
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Apollo Server rejects it
  }
}

/** The hash in the extension `persistedQuery`, version 1. */
function hashOf({ extensions }: RequestParams): string | undefined {
  const persistedQuery = isRecord(extensions) ? extensions['persistedQuery'] : undefined;
  if (!isRecord(persistedQuery) || persistedQuery['version'] !== 1) return undefined;
  const hash = persistedQuery['sha256Hash'];
  return typeof hash === 'string' ? hash : undefined;
}

/** Apollo Server prefixes the keys of its cache. */
function withoutPrefix(key: string): string {
  return key.replace(/^apq:/, '');
}
