/** The operations of validated documents, by the document's text and the operation's name. */
import { getOperationAST, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Operation, PrepareOperation } from './operation.js';

export interface OperationCache {
  /** Returns the operation of that name, or the only one; undefined if the document is not cached. */
  find(source: string, operationName: string | undefined): Operation | undefined;
  /** Caches a document that Apollo Server found valid and within all limits. */
  add(source: string, document: DocumentNode): void;
}

export interface OperationCacheOptions {
  prepare: PrepareOperation;
  /** Maximum length of all cached documents together, in characters. */
  maxChars: number;
}

export function createOperationCache({ prepare, maxChars }: OperationCacheOptions): OperationCache {
  const documents = new LRUCache<string, CachedDocument>({
    maxSize: maxChars,
    sizeCalculation: (_document, source) => source.length,
    dispose: ({ operations }) => {
      for (const operation of operations.values()) operation.dispose();
    },
  });
  return {
    find(source, operationName) {
      const cached = documents.get(source);
      if (cached === undefined) return undefined;
      const prepared = cached.operations.get(operationName ?? '');
      if (prepared) return prepared;
      const definition = getOperationAST(cached.document, operationName);
      if (!definition) return undefined;
      const operation = prepare(source, cached.document, definition);
      cached.operations.set(operationName ?? '', operation);
      return operation;
    },
    add(source, document) {
      if (!documents.has(source)) documents.set(source, { document, operations: new Map() });
    },
  };
}

interface CachedDocument {
  document: DocumentNode;
  /** Prepared on first use. */
  operations: Map<string, Operation>;
}
