/** Executes operations: graphql-js interprets them at first, compiled code takes over once they are hot and eligible. */
import { execute, type GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { PreparedOperation } from '../checks.js';
import type { Execute } from './jit.js';

/** Executions before an operation is compiled; compiling pays off only for operations that repeat. */
export const JIT_THRESHOLD = 20;

/** Maximum compiled operations in the cache; each takes about 100 kB. */
const MAX_COMPILED_OPERATIONS = 100;

export interface OperationExecutor {
  execute: Execute;
  /** Drops the compiled code. */
  dispose(): void;
}

/** Executions since the operation was prepared, or since its compiled code was evicted. */
interface UsageCount {
  executions: number;
}

/** Creates the executors of the operations of one schema. `source` is the text of the operation's document. */
export function createExecutorFactory(
  schema: GraphQLSchema,
): (operation: PreparedOperation, source: string) => OperationExecutor {
  const compiledOperations = new LRUCache<UsageCount, Execute>({
    max: MAX_COMPILED_OPERATIONS,
    dispose: (_execute, usage) => {
      usage.executions = 0;
    },
  });

  return ({ document, definition }, source) => {
    const usage: UsageCount = { executions: 0 };
    const operationName = definition.name?.value;
    // One coercion error suffices: the response lists all of them.
    const options = { maxCoercionErrors: 1 };
    const interpret: Execute = (contextValue, variableValues) =>
      execute({ schema, document, contextValue, variableValues, operationName, options });
    const compile = async () => {
      const { compileOperation } = await import('./jit.js'); // deferred: the compiler is large
      const compiled = compileOperation(schema, source, interpret);
      if (compiled) compiledOperations.set(usage, compiled);
    };
    return {
      execute(context, variables) {
        usage.executions += 1;
        if (usage.executions === JIT_THRESHOLD) compile().catch(() => undefined); // graphql-js continues to interpret it
        return (compiledOperations.get(usage) ?? interpret)(context, variables);
      },
      dispose: () => void compiledOperations.delete(usage),
    };
  };
}
