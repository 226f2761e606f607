/** The only place where an operation is executed, whichever path its request took: check → execute → format. */
import {
  GraphQLError,
  type DocumentNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { GatewayContext } from '../../fields/context.js';
import { firstRejection, type OperationCheck, type PreparedOperation } from '../checks.js';
import { conditionVariablesOf } from '../documentSize.js';
import { createRootFields, createVariableDefaults, type Variables } from '../rootFields.js';
import { createExecutorFactory } from './executor.js';
import type { Execute } from './jit.js';
import type { ResponseFormatter } from './response.js';

/** A validated operation, ready to run. */
export interface Operation {
  readonly definition: OperationDefinitionNode;
  /** Runs the operation unless a check rejects it. */
  run(context: GatewayContext, variables: Variables | undefined): Promise<FormattedExecutionResult>;
  /** Frees its resources. */
  dispose(): void;
}

export interface OperationFactoryOptions {
  schema: GraphQLSchema;
  checks: readonly OperationCheck[];
  formatter: ResponseFormatter;
}

/** Prepares an operation of a validated document; `source` is the document's text. */
export type PrepareOperation = (
  source: string,
  document: DocumentNode,
  definition: OperationDefinitionNode,
) => Operation;

export function createOperationFactory({
  schema,
  checks,
  formatter,
}: OperationFactoryOptions): PrepareOperation {
  const createExecutor = createExecutorFactory(schema);
  return (source, document, definition) => {
    const rootFields = createRootFields(document, definition);
    const withDefaults = createVariableDefaults(definition);
    const conditionVariables = conditionVariablesOf(document);
    const operation: PreparedOperation = { schema, document, definition, rootFields, conditionVariables };
    const executor = createExecutor(operation, source);
    return {
      definition,
      async run(context, rawVariables) {
        const variables = withDefaults(rawVariables);
        const rejection = firstRejection(checks, operation, variables, context);
        const result = rejection
          ? { errors: [rejection] }
          : await executeSafely(executor.execute, context, rawVariables);
        return formatter.formatResult(result, { operation, variables, context });
      },
      dispose: () => {
        executor.dispose();
      },
    };
  };
}

/** If the executor itself throws, report an execution error: the operation may have taken effect. */
async function executeSafely(
  execute: Execute,
  context: GatewayContext,
  variables: Variables | undefined,
): Promise<ExecutionResult> {
  try {
    return await execute(context, variables);
  } catch (error) {
    return {
      data: null,
      errors: [new GraphQLError('Execution failed', { originalError: error as Error })],
    };
  }
}
