/** Documents that were found valid, ready to be executed again. */
import {
  execute,
  getOperationAST,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GatewayContext } from '../context.js';
import type { Variables } from './rootFields.js';

/** An operation that can be executed, as soon as the checks have passed it. */
export interface KnownOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Executes it (GraphQL specification, section 6); the result has no data where nothing was executed. */
  readonly execute: Execute;
}

export type Execute = (
  contextValue: GatewayContext,
  variables: Variables | undefined,
) => ExecutionResult | Promise<ExecutionResult>;

export interface KnownDocuments {
  /** Keeps a document that is valid by the schema and within all limits. */
  add(text: string, document: DocumentNode): void;
  /** The operation of that name, or the only one; undefined when the document or the operation is not known. */
  find(text: string, operationName: string | undefined): KnownOperation | undefined;
}

export interface KnownDocumentsOptions {
  schema: GraphQLSchema;
  /** Bound on the length of all kept texts together. */
  maxCharacters: number;
}

/** Executions of an operation after which it is worth the time of being compiled, which many executions make up for. */
export const COMPILED_AFTER = 20;

/** Operations that are kept as compiled code at the most, as one takes some 100 kB. */
const MOST_COMPILED = 100;

export function createKnownDocuments({ schema, maxCharacters }: KnownDocumentsOptions): KnownDocuments {
  const compiled: CompiledOperations = new LRUCache({
    max: MOST_COMPILED,
    dispose: (_execute, tally) => {
      tally.executions = 0;
    },
  });
  const documents = new LRUCache<string, KnownDocument>({
    maxSize: maxCharacters,
    sizeCalculation: (_document, text) => text.length,
    dispose: ({ operations }) => {
      for (const { tally } of operations.values()) compiled.delete(tally);
    },
  });
  return {
    add(text, document) {
      if (!documents.has(text)) documents.set(text, { document, operations: new Map() });
    },
    find(text, operationName) {
      const found = documents.get(text);
      if (found === undefined) return undefined;
      const { document, operations } = found;
      const known = operations.get(operationName ?? '');
      if (known) return known;
      const operation = getOperationAST(document, operationName);
      if (!operation) return undefined;
      const parts = { document, operation, tally: { executions: 0 } };
      const added = { ...parts, execute: createExecute(schema, text, parts, compiled) };
      operations.set(operationName ?? '', added);
      return added;
    },
  };
}

/** Executions since the operation became known, or since its compiled code was dropped. */
interface Tally {
  executions: number;
}

interface TalliedOperation extends KnownOperation {
  readonly tally: Tally;
}

interface KnownDocument {
  document: DocumentNode;
  operations: Map<string, TalliedOperation>;
}

type CompiledOperations = LRUCache<Tally, Execute>;

/** Execution by graphql-js in the beginning, and where that is right alone; later, if it can be, by compiled code. */
function createExecute(
  schema: GraphQLSchema,
  text: string,
  { document, operation, tally }: Pick<TalliedOperation, 'document' | 'operation' | 'tally'>,
  compiled: CompiledOperations,
): Execute {
  const operationName = operation.name?.value;
  // Of variables that do not fit one is enough: all of them are named by whoever refuses the request.
  const options = { maxCoercionErrors: 1 };
  const interpret: Execute = (contextValue, variableValues) =>
    execute({ schema, document, contextValue, variableValues, operationName, options });
  const compile = async () => {
    const { compileOperation } = await import('./compiledOperation.js'); // its compiler is large
    const made = compileOperation(schema, text, interpret);
    if (made) compiled.set(tally, made);
  };
  return (contextValue, variables) => {
    tally.executions += 1;
    if (tally.executions === COMPILED_AFTER) compile().catch(() => undefined); // it can do without
    return (compiled.get(tally) ?? interpret)(contextValue, variables);
  };
}
