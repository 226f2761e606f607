/** The manifest of operations: clients may send them by ID, and no others. */
import { getOperationAST, parse, print, validate, type GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { isRecord } from '../domain/json.js';
import { GatewayError } from '../gatewayError.js';

/** The parameters of a GraphQL request by name, not validated. */
export type RequestParams = Readonly<Record<string, unknown>>;

export interface OperationManifest {
  getOperation: (id: string) => string | undefined;
  /** Whether an operation is listed, ignoring whitespace and comments. */
  includes: (text: string) => boolean;
  /** The operations that a schema rejects, by name, or by ID without one, and why. */
  problemsWith: (schema: GraphQLSchema) => { operation: string; problem: string }[];
}

const NonEmpty = z.string().min(1);
/** Pairs of an ID and a text. */
const Operations = z.union([
  z // written by Apollo's `generate-persisted-query-manifest`
    .object({
      format: z.literal('apollo-persisted-query-manifest'),
      version: z.literal(1),
      operations: z.array(z.object({ id: NonEmpty, body: NonEmpty })),
    })
    .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const)),
  z.record(NonEmpty, NonEmpty).transform(Object.entries<string>), // written by the Relay compiler
]);

/** Parses the text of a manifest. Throws an Error whose message states what was expected. */
export function parseOperationManifest(text: string): OperationManifest {
  const { data: operations } = Operations.safeParse(
    parseAs('a JSON file', () => JSON.parse(text) as unknown),
  );
  if (!operations)
    throw new Error(
      'expected a persisted-query manifest of Apollo Client (apollo-persisted-query-manifest, version 1) or Relay (an object of operations by ID)',
    );
  const texts = new Map(operations);
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

/** The text of the operation with the ID in the parameters; undefined if they have a text or no ID. Throws for an ID that is not listed. */
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

/** Replaces the ID of an operation by its text, and removes the extension by which Apollo Server would look for it itself. */
export function withListedText(manifest: OperationManifest, sent: RequestParams): RequestParams {
  const query = listedText(manifest, sent);
  const { extensions, ...others } = sent;
  const params = persistedQueryIn(extensions) ? others : sent;
  return query === undefined ? params : { ...params, query };
}

/** The extension by which Apollo Client names an operation. In the URL of a GET, extensions are a text. */
function persistedQueryIn(extensions: unknown): Readonly<Record<string, unknown>> | undefined {
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
