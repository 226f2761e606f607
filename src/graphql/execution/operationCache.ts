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
import type { GatewayContext } from '../../context.js';
import type { Variables } from '../checks/rootFields.js';

/** An operation that can be executed, as soon as the checks have passed it. */
export interface Operation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Executes it (GraphQL specification, section 6); the result has no data where nothing was executed. */
  readonly execute: Execute;
}

export type Execute = (
  contextValue: GatewayContext,
  variables: Variables | undefined,
) => ExecutionResult | Promise<ExecutionResult>;

export interface OperationCache {
  /** Keeps a document that is valid by the schema and within all limits. */
  add(text: string, document: DocumentNode): void;
  /** The operation of that name, or the only one; undefined when the document or the operation is not known. */
  find(text: string, operationName: string | undefined): Operation | undefined;
}

export interface OperationCacheOptions {
  schema: GraphQLSchema;
  /** Bound on the length of all kept texts together. */
  maxCharacters: number;
}

/** Executions of an operation after which it is worth the time of being compiled, which many executions make up for. */
export const JIT_THRESHOLD = 20;

/** Operations that are kept as compiled code at the most, as one takes some 100 kB. */
const MAX_COMPILED_OPERATIONS = 100;

export function createOperationCache({ schema, maxCharacters }: OperationCacheOptions): OperationCache {
  const compiled: CompiledOperations = new LRUCache({
    max: MAX_COMPILED_OPERATIONS,
    dispose: (_execute, usage) => {
      usage.executions = 0;
    },
  });
  const documents = new LRUCache<string, CachedDocument>({
    maxSize: maxCharacters,
    sizeCalculation: (_document, text) => text.length,
    dispose: ({ operations }) => {
      for (const { usage } of operations.values()) compiled.delete(usage);
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
      const operationBase = { document, operation, usage: { executions: 0 } };
      const added = { ...operationBase, execute: createExecute(schema, text, operationBase, compiled) };
      operations.set(operationName ?? '', added);
      return added;
    },
  };
}

/** Executions since the operation became known, or since its compiled code was dropped. */
interface UsageCount {
  executions: number;
}

interface CountedOperation extends Operation {
  readonly usage: UsageCount;
}

interface CachedDocument {
  document: DocumentNode;
  operations: Map<string, CountedOperation>;
}

type CompiledOperations = LRUCache<UsageCount, Execute>;

/** Execution by graphql-js in the beginning, and where that is right alone; later, if it can be, by compiled code. */
function createExecute(
  schema: GraphQLSchema,
  text: string,
  { document, operation, usage }: Pick<CountedOperation, 'document' | 'operation' | 'usage'>,
  compiled: CompiledOperations,
): Execute {
  const operationName = operation.name?.value;
  // Of variables that do not fit one is enough: all of them are named by whoever refuses the request.
  const options = { maxCoercionErrors: 1 };
  const interpret: Execute = (contextValue, variableValues) =>
    execute({ schema, document, contextValue, variableValues, operationName, options });
  const compile = async () => {
    const { compileOperation } = await import('./jit.js'); // its compiler is large
    const made = compileOperation(schema, text, interpret);
    if (made) compiled.set(usage, made);
  };
  return (contextValue, variables) => {
    usage.executions += 1;
    if (usage.executions === JIT_THRESHOLD) compile().catch(() => undefined); // it can do without
    return (compiled.get(usage) ?? interpret)(contextValue, variables);
  };
}
