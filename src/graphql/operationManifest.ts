/** Persisted-query manifests in the formats of Apollo Client and Relay. */
import { parse, print, type DocumentNode } from 'graphql';
import { z } from 'zod';

/** The operations that clients may run. */
export interface OperationManifest {
  /** Returns the text of an operation. */
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
  const texts = new Map(operationsOf(parseJson(text)));
  const documents = [...texts].map(([id, operation]) => parseManifestOperation(operation, id));
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

function parseManifestOperation(text: string, id: string): DocumentNode {
  try {
    return parse(text, { noLocation: true });
  } catch (error) {
    throw new Error(`expected a GraphQL document for ${JSON.stringify(id)}: ${(error as Error).message}`, {
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
