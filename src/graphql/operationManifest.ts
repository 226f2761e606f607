/** Manifests of persisted operations, as the tools of Apollo Client and Relay write them. */
import { parse, print, type DocumentNode } from 'graphql';
import { z } from 'zod';

/** The operations that callers may run. */
export interface OperationManifest {
  /** The text of an operation by its id. */
  getOperation: (id: string) => string | undefined;
  /** Whether an operation is listed, whatever the space and the comments in its text. */
  includes: (text: string) => boolean;
}

/** The persisted query manifest of Apollo's tools. */
const ApolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
});
/** Relay's: an object of texts by id. */
const RelayManifest = z.record(z.string().min(1), z.string().min(1));

/** Reads the text of a manifest; throws an Error that says what was expected. */
export function parseOperationManifest(text: string): OperationManifest {
  const texts = new Map(operationsOf(parseJson(text)));
  const documents = [...texts].map(([id, operation]) => parseManifestOperation(operation, id));
  const printedOperations = new Set(documents.map(print));
  // A text with more tokens than any that is listed is none of them.
  const maxLexicalTokens = Math.max(0, ...documents.map(({ tokenCount = 0 }) => tokenCount));
  return {
    getOperation: (id) => texts.get(id),
    includes: (operation) => {
      try {
        return printedOperations.has(print(parse(operation, { noLocation: true, maxLexicalTokens })));
      } catch {
        return false; // It is no GraphQL, or too long.
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
    'expected a manifest in the format of Apollo Client (apollo-persisted-query-manifest, version 1) or of Relay (an object of operations by id)',
  );
}

function parseManifestOperation(text: string, id: string): DocumentNode {
  try {
    return parse(text, { noLocation: true });
  } catch (error) {
    throw new Error(`expected a GraphQL document under ${JSON.stringify(id)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`expected a JSON file: ${(error as Error).message}`, { cause: error });
  }
}
