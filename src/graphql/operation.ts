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
import { OperationRequest, prepareOperation, rejectionOf, type OperationLimits } from './checks.js';
import { createExecutorFactory, type Execute } from './executor.js';
import { formatOperationErrors, type FormatErrorsOptions } from './publicErrors.js';
import { extensionsOf, recordOperation } from './responses.js';

/** Runs a validated operation. */
export type RunOperation = (
  context: GatewayContext,
  variables: Variables | undefined,
) => FormattedExecutionResult | Promise<FormattedExecutionResult>;

/** Returns a function that makes an operation of a validated document ready to run; `source` is the document's text. */
export function createOperationFactory(
  schema: GraphQLSchema,
  options: FormatErrorsOptions & OperationLimits,
) {
  const createExecutor = createExecutorFactory();
  return (source: string, document: DocumentNode, definition: OperationDefinitionNode): RunOperation => {
    const operation = prepareOperation(schema, document, definition);
    const execute = createExecutor(operation, source);
    return (context, variables) => {
      context.resultSize = operation.size;
      const request = new OperationRequest(operation, variables, context);
      const format = ({ errors: rawErrors, ...result }: ExecutionResult): FormattedExecutionResult => {
        const errors = rawErrors?.length ? formatOperationErrors(rawErrors, request, options) : undefined;
        recordOperation(context, definition, errors);
        return { ...(errors && { errors }), ...result, ...extensionsOf(context) };
      };
      /** An error that the executor itself throws is an execution error: the operation may have taken effect. */
      const formatFailure = (error: unknown) =>
        format({ data: null, errors: [asGraphQLError(error as Error)] });
      // A rejected operation was not executed, and has no `data`.
      const rejection = rejectionOf(request, options);
      if (rejection) return format({ errors: [asGraphQLError(rejection)] });
      let result: ReturnType<Execute>;
      try {
        result = execute(context, variables);
      } catch (error) {
        return formatFailure(error);
      }
      return result instanceof Promise ? result.then(format, formatFailure) : format(result);
    };
  };
}

function asGraphQLError(originalError: Error): GraphQLError {
  return new GraphQLError(originalError.message, { originalError });
}

export type OperationCache = ReturnType<typeof createOperationCache>;

interface CachedDocument {
  readonly document: DocumentNode;
  readonly operations: Map<string, RunOperation>;
}

/**
 * The operations of validated documents, by the document's text and the operation's name. `maxChars` is the maximum length of all
 * cached documents together.
 */
export function createOperationCache(
  createOperation: ReturnType<typeof createOperationFactory>,
  maxChars: number,
) {
  const documents = new LRUCache<string, CachedDocument>({
    maxSize: maxChars,
    sizeCalculation: (_document, source) => source.length,
  });
  /** Returns what runs the operation of that name, or the only one; undefined if the document has none. */
  const operationIn = (
    { document, operations }: CachedDocument,
    source: string,
    name: string | undefined,
  ) => {
    const existing = operations.get(name ?? '');
    if (existing) return existing;
    const definition = getOperationAST(document, name);
    if (!definition) return undefined;
    const operation = createOperation(source, document, definition);
    operations.set(name ?? '', operation);
    return operation;
  };
  return {
    /** Returns an operation of a cached document. */
    find(source: string, operationName: string | undefined): RunOperation | undefined {
      const cached = documents.get(source);
      return cached && operationIn(cached, source, operationName);
    },
    /** Caches a document that Apollo Server found valid and within all limits, unless it is too long, and returns its operation. */
    add(source: string, document: DocumentNode, operationName: string | undefined): RunOperation | undefined {
      const cached = documents.get(source) ?? { document, operations: new Map<string, RunOperation>() };
      documents.set(source, cached);
      return operationIn(cached, source, operationName);
    },
  };
}
