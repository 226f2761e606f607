/** Operations that clients send by ID, from a manifest or as automatic persisted queries (APQ); and the safelist. */
import type { ApolloServerOptions } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { parse, print } from 'graphql';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ErrorCode } from '../errors.js';
import { isRecord } from '../domain/json.js';
import type { RequestParams } from './requestParams.js';
import { HttpStatus, RequestError } from './responses.js';

/** The operations that clients may run. */
export interface OperationManifest {
  getOperation: (id: string) => string | undefined;
  /** Whether an operation is listed, ignoring whitespace and comments. */
  includes: (text: string) => boolean;
}

/** Written by Apollo's `generate-persisted-query-manifest`. */
const ApolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
});
/** Written by the Relay compiler: operation texts by ID. */
const RelayManifest = z.record(z.string().min(1), z.string().min(1));

/** Parses the text of a manifest. Throws an Error whose message states what was expected. */
export function parseOperationManifest(text: string): OperationManifest {
  const texts = new Map(operationsOf(expecting('a JSON file', () => JSON.parse(text) as unknown)));
  const documents = [...texts].map(([id, operation]) =>
    expecting(`a GraphQL document for ${JSON.stringify(id)}`, () => parse(operation, { noLocation: true })),
  );
  const printedOperations = new Set(documents.map(print));
  // Parsing stops at more tokens than the longest listed operation has.
  const maxLexicalTokens = Math.max(0, ...documents.map(({ tokenCount = 0 }) => tokenCount));
  return {
    getOperation: (id) => texts.get(id),
    includes: (operation) => {
      try {
        return printedOperations.has(print(parse(operation, { noLocation: true, maxLexicalTokens })));
      } catch {
        return false; // not GraphQL, or too many tokens
      }
    },
  };
}

function operationsOf(manifest: unknown): [id: string, text: string][] {
  const apollo = ApolloManifest.safeParse(manifest);
  if (apollo.success) return apollo.data.operations.map(({ id, body }) => [id, body]);
  const relay = RelayManifest.safeParse(manifest);
  if (relay.success) return Object.entries(relay.data);
  throw new Error(
    'expected a persisted-query manifest of Apollo Client (apollo-persisted-query-manifest, version 1) or Relay (an object of operations by ID)',
  );
}

/** The result, or an Error whose message says what was expected, and why that failed. */
export function expecting<Result>(expectation: string, getResult: () => Result): Result {
  try {
    return getResult();
  } catch (error) {
    throw new Error(`expected ${expectation}: ${(error as Error).message}`, { cause: error });
  }
}

/** Throws a RequestError for the text of an operation that the manifest does not list, before it is parsed. */
export function enforceSafelist({ includes }: OperationManifest, { query }: RequestParams): void {
  if (query === undefined || query === null) return;
  if (typeof query === 'string' && includes(query)) return;
  throw new RequestError({
    status: HttpStatus.Forbidden,
    code: ErrorCode.QueryNotInSafelist,
    message: 'Operation is not on the safelist',
    outcome: 'NOT_APPLIED',
  });
}

type ApolloOption = NonNullable<ApolloServerOptions<never>['persistedQueries']>;

export interface PersistedOperations {
  /** The text of the operation whose id the parameters give; undefined if there is none. */
  find(params: RequestParams): string | undefined;
  /**
   * Translates an ID sent as `documentId`, `id` or `doc_id` into the extension `persistedQuery`, by which Apollo Server finds
   * operations; undefined if there is none. Unknown IDs are translated, too, so that Apollo Server rejects them like its own.
   */
  apolloExtensions(params: RequestParams): object | undefined;
  /** Apollo Server's option, over the same operations. */
  readonly apolloOption: ApolloOption;
}

export interface PersistedOperationsOptions {
  /** The only operations that have ids; undefined for APQ. */
  manifest: OperationManifest | undefined;
  /** Size of the APQ cache in bytes; 0 turns APQ off. */
  apqCacheBytes: number;
}

/** Parameters that clients use for the id of an operation, in addition to Apollo Client's extension `persistedQuery`. */
const OPERATION_ID_PARAMS = ['documentId', 'id', 'doc_id'];

export function createPersistedOperations({
  manifest,
  apqCacheBytes: maxSize,
}: PersistedOperationsOptions): PersistedOperations {
  const apqCache =
    manifest || maxSize === 0
      ? undefined
      : new LRUCache<string, string>({ maxSize, sizeCalculation: (text) => Buffer.byteLength(text) });
  const textOf = manifest?.getOperation ?? ((hash: string) => apqCache?.get(hash));
  const idOf = (params: RequestParams) =>
    manifest && OPERATION_ID_PARAMS.map((name) => params[name]).find((value) => typeof value === 'string');
  const cache: Exclude<ApolloOption, false>['cache'] = {
    get: (key) => Promise.resolve(textOf(withoutPrefix(key))),
    set: (key, text) => Promise.resolve(void apqCache?.set(withoutPrefix(key), text)),
    delete: (key) => Promise.resolve(apqCache?.delete(withoutPrefix(key)) ?? false),
  };
  return {
    find(params) {
      const id = idOf(params) ?? hashOf(params);
      return id === undefined ? undefined : textOf(id);
    },
    apolloExtensions(params) {
      const id = params['query'] == null ? idOf(params) : undefined;
      return id === undefined ? undefined : { persistedQuery: { version: 1, sha256Hash: id } };
    },
    apolloOption: manifest || apqCache ? { cache } : false,
  };
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
