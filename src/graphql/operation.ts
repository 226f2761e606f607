/**
 * The only place where an operation is executed, whichever path its request took: check → execute → format. Prepared operations
 * are cached.
 */
import {
  getOperationAST,
  GraphQLError,
  type DocumentNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GatewayContext } from '../fields/context.js';
import type { Variables } from '../fields/selections.js';
import {
  createVariableDefaults,
  firstRejection,
  type OperationCheck,
  OperationRequest,
  type PreparedOperation,
  sizeOf,
} from './checks.js';
import { createExecutorFactory, type Execute } from './executor.js';
import { formatOperationErrors, type FormatErrorsOptions } from './publicErrors.js';
import { extensionsOf, recordOperation } from './responses.js';
import { createRootFields, fragmentsOf } from '../fields/selections.js';

/** A validated operation, ready to run. */
export interface RunnableOperation {
  readonly definition: OperationDefinitionNode;
  run(
    context: GatewayContext,
    variables: Variables | undefined,
  ): FormattedExecutionResult | Promise<FormattedExecutionResult>;
  dispose(): void;
}

/** Makes an operation of a validated document ready to run; `source` is the document's text. */
export type CreateOperation = (
  source: string,
  document: DocumentNode,
  definition: OperationDefinitionNode,
) => RunnableOperation;

export function createOperationFactory(
  schema: GraphQLSchema,
  checks: readonly OperationCheck[],
  formatOptions: FormatErrorsOptions,
): CreateOperation {
  const createExecutor = createExecutorFactory();
  return (source, document, definition) => {
    const operation = prepareOperation(schema, document, definition);
    const withDefaults = createVariableDefaults(definition);
    const executor = createExecutor(operation, source);
    const requestChecks = checks.flatMap((check) => check(operation) ?? []);
    return {
      definition,
      run(context, rawVariables) {
        const request = new OperationRequest(operation, withDefaults(rawVariables), context);
        const format = (result: ExecutionResult) => formatResult(result, request, formatOptions);
        const formatFailure = (error: unknown) => format(executionFailure(error as Error));
        const rejection = firstRejection(requestChecks, request);
        if (rejection) return format({ errors: [asGraphQLError(rejection)] });
        let result: ReturnType<Execute>;
        try {
          result = executor.execute(context, rawVariables);
        } catch (error) {
          return formatFailure(error);
        }
        return result instanceof Promise ? result.then(format, formatFailure) : format(result);
      },
      dispose: () => executor.dispose(),
    };
  };
}

/** Analyzes an operation once for all its executions. */
export function prepareOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
): PreparedOperation {
  const fragments = fragmentsOf(document);
  const findFragment = (name: string) => fragments.get(name);
  return {
    schema,
    document,
    definition,
    ...createRootFields(schema, document, definition),
    size: sizeOf(definition, findFragment),
    findFragment,
  };
}

/** An error that the executor itself throws is an execution error: the operation may have taken effect. */
function executionFailure(error: Error): ExecutionResult {
  return { data: null, errors: [asGraphQLError(error)] };
}

function asGraphQLError(originalError: Error): GraphQLError {
  return new GraphQLError(originalError.message, { originalError });
}

/** The response of an operation that was executed, or rejected by a check: a rejected one was not executed and has no `data`. */
function formatResult(
  { errors: rawErrors, ...result }: ExecutionResult,
  request: OperationRequest,
  options: FormatErrorsOptions,
): FormattedExecutionResult {
  const { operation, context } = request;
  const errors = rawErrors?.length ? formatOperationErrors(rawErrors, request, options) : undefined;
  recordOperation(context, operation.definition, errors ?? []);
  return { ...(errors && { errors }), ...result, ...extensionsOf(context) };
}

export type OperationCache = ReturnType<typeof createOperationCache>;

/**
 * The operations of validated documents, by the document's text and the operation's name. `maxChars` is the maximum length of all
 * cached documents together.
 */
export function createOperationCache(createOperation: CreateOperation, maxChars: number) {
  const documents = new LRUCache<
    string,
    { document: DocumentNode; operations: Map<string, RunnableOperation> }
  >({
    maxSize: maxChars,
    sizeCalculation: (_document, source) => source.length,
    dispose: ({ operations }) => {
      for (const operation of operations.values()) operation.dispose();
    },
  });
  return {
    /** Returns the operation of that name, or the only one; undefined if the document is not cached. */
    find(source: string, operationName: string | undefined): RunnableOperation | undefined {
      const cached = documents.get(source);
      if (cached === undefined) return undefined;
      const existing = cached.operations.get(operationName ?? '');
      if (existing) return existing;
      const definition = getOperationAST(cached.document, operationName);
      if (!definition) return undefined;
      const operation = createOperation(source, cached.document, definition);
      cached.operations.set(operationName ?? '', operation);
      return operation;
    },
    /** Caches a document that Apollo Server found valid and within all limits. */
    add(source: string, document: DocumentNode): void {
      if (!documents.has(source)) documents.set(source, { document, operations: new Map() });
    },
  };
}
