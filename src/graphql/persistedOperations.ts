/** The manifest of operations: clients may send them by ID, and no others. */
import { getOperationAST, parse, print, validate, type GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { isRecord } from '../domain/json.js';
import { GatewayError } from '../gatewayError.js';

/** The parameters of a GraphQL request by name, not validated. */
export type RequestParams = Readonly<Record<string, unknown>>;

/** The operations that clients may run. */
export interface OperationManifest {
  getOperation: (id: string) => string | undefined;
  /** Whether an operation is listed, ignoring whitespace and comments. */
  includes: (text: string) => boolean;
  /** The operations that a schema rejects, by name, or by ID without one, and why. */
  problemsWith: (schema: GraphQLSchema) => { operation: string; problem: string }[];
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
  const texts = new Map(operationsOf(parseAs('a JSON file', () => JSON.parse(text) as unknown)));
  if (texts.size === 0) throw new Error('expected at least one operation, got none');
  const documents = new Map(
    [...texts].map(([id, operation]) => [
      id,
      parseAs(`a GraphQL document for ${JSON.stringify(id)}`, () => parse(operation, { noLocation: true })),
    ]),
  );
  const printedOperations = new Set([...documents.values()].map(print));
  // Parsing stops at more tokens than the longest listed operation has.
  const maxLexicalTokens = Math.max(...[...documents.values()].map(({ tokenCount = 0 }) => tokenCount));
  return {
    getOperation: (id) => texts.get(id),
    includes: (operation) => {
      try {
        return printedOperations.has(print(parse(operation, { noLocation: true, maxLexicalTokens })));
      } catch {
        return false; // not GraphQL, or too many tokens
      }
    },
    problemsWith: (schema) =>
      [...documents].flatMap(([id, document]) => {
        const [error] = validate(schema, document, undefined, { maxErrors: 1 });
        const operation = getOperationAST(document)?.name?.value ?? id;
        return error ? [{ operation, problem: error.message }] : [];
      }),
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

/** Runs a parser. Throws an Error whose message says what was expected, and why parsing failed. */
function parseAs<Result>(expectation: string, parseText: () => Result): Result {
  try {
    return parseText();
  } catch (error) {
    throw new Error(`expected ${expectation}: ${(error as Error).message}`, { cause: error });
  }
}

/** Throws a GatewayError for the text of an operation that the manifest does not list, before it is parsed. */
export function enforceSafelist({ includes }: OperationManifest, { query }: RequestParams): void {
  if (query === undefined || query === null) return;
  if (typeof query === 'string' && includes(query)) return;
  throw new GatewayError('operationUnlisted');
}

/** Parameters that clients use for the ID of an operation, in addition to Apollo Client's extension `persistedQuery`. */
const OPERATION_ID_PARAMS = ['documentId', 'id', 'doc_id'];

/**
 * The text of the operation that the parameters name by its ID; undefined if they have a text, or no ID. Throws a GatewayError for an ID
 * that the manifest does not list.
 */
export function listedText({ getOperation }: OperationManifest, params: RequestParams): string | undefined {
  if (params['query'] !== undefined && params['query'] !== null) return undefined;
  const { version, sha256Hash } = persistedQueryIn(params['extensions']) ?? {};
  const ids = [...OPERATION_ID_PARAMS.map((name) => params[name]), version === 1 && sha256Hash];
  const id = ids.find((value) => typeof value === 'string');
  if (id === undefined) return undefined;
  const text = getOperation(id);
  if (text !== undefined) return text;
  throw new GatewayError('persistedQueryNotFound');
}

/** The extension by which Apollo Client names an operation. In the URL of a GET, extensions are a text. */
export function persistedQueryIn(extensions: unknown): Readonly<Record<string, unknown>> | undefined {
  const parsed = typeof extensions === 'string' ? parseJson(extensions) : extensions;
  const persistedQuery = isRecord(parsed) ? parsed['persistedQuery'] : undefined;
  return isRecord(persistedQuery) ? persistedQuery : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Apollo Server rejects it
  }
}
