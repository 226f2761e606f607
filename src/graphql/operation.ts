/** The only place where an operation is executed: check → execute → format. Prepared operations are cached. */
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { ErrorCode, type WriteOutcome } from '../errors.js';
import type { GatewayContext } from '../fields/context.js';
import type { Variables } from '../fields/selections.js';
import { GatewayError } from '../gatewayError.js';
import { checkRequest, OperationRequest, prepareOperation, type OperationLimits } from './checks.js';
import { createExecutorFactory, type Execute } from './executor.js';
import { formatOperationErrors, isOfItem, type FormatErrorsOptions } from './publicErrors.js';

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
      try {
        checkRequest(request, options);
      } catch (error) {
        // A rejected operation was not executed, and has no `data`.
        if (error instanceof GatewayError) return format({ errors: [asGraphQLError(error)] });
        throw error;
      }
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

/** Returns the operation of that name, or the only one, of a cached document, or of the given one, which it caches. */
export type FindOperation = (
  source: string,
  name: string | undefined,
  document?: DocumentNode,
) => RunOperation | undefined;

/**
 * Caches the operations of documents that Apollo Server found valid and within all limits, by the document's text and the operation's name.
 * `maxChars` is the maximum length of all cached documents together; a longer one is not cached.
 */
export function createOperationCache(
  createOperation: ReturnType<typeof createOperationFactory>,
  maxChars: number,
): FindOperation {
  interface CachedDocument {
    readonly document: DocumentNode;
    readonly operations: Map<string, RunOperation>;
  }
  const documents = new LRUCache<string, CachedDocument>({
    maxSize: maxChars,
    sizeCalculation: (_document, source) => source.length,
  });
  return (source, name, document) => {
    const cached =
      documents.get(source) ?? (document && { document, operations: new Map<string, RunOperation>() });
    if (!cached) return undefined;
    if (document) documents.set(source, cached);
    const existing = cached.operations.get(name ?? '');
    if (existing) return existing;
    const definition = getOperationAST(cached.document, name);
    if (!definition) return undefined;
    const operation = createOperation(source, cached.document, definition);
    cached.operations.set(name ?? '', operation);
    return operation;
  };
}

/** Maximum size of the trace as JSON, in bytes. */
const MAX_TRACE_BYTES = 65_536;

/** The `extensions` of a response: its trace, if there is one, with the first calls, as many as fit. */
export function extensionsOf({ telemetry: { tracedCalls: calls } }: GatewayContext) {
  if (!calls) return undefined;
  let bytes = MAX_TRACE_BYTES;
  const trace = calls.filter((call) => (bytes -= Buffer.byteLength(JSON.stringify(call)) + 1) >= 0);
  return { extensions: { trace, ...(trace.length < calls.length && { traceTruncated: true }) } };
}

/** Records the operation, its failures and its outcome for the log and the metrics. */
export function recordOperation(
  { telemetry: { summary: record }, failuresAsData, lists }: GatewayContext,
  definition: OperationDefinitionNode | undefined,
  errors: readonly GraphQLFormattedError[] = [],
): void {
  if (definition) {
    record.operationType = definition.operation;
    if (definition.name) record.operationName = definition.name.value.slice(0, 100);
  }
  const failures = [
    ...errors
      .filter(
        (error) => !isOfItem(error, lists) || error.extensions?.['code'] === ErrorCode.InternalServerError,
      )
      .map(({ extensions }) => extensions ?? {}),
    ...failuresAsData.flatMap(({ errors }) => errors),
  ];
  record.errorCodes = failures.map(({ code }) => String(code));
  // This code is final when keys are disabled, and retryable when their store fails.
  if (
    failures.some(({ code, retryable }) => code === ErrorCode.IdempotencyUnavailable && retryable === false)
  )
    record.keysNotEnabled = true;
  if (definition?.operation !== OperationTypeNode.MUTATION) return;
  const items = [...(lists?.values() ?? [])].flat();
  const count = (as: WriteOutcome) => items.filter(({ outcome }) => outcome === as).length;
  if (lists)
    record.items = {
      total: items.length,
      applied: count('APPLIED'),
      notApplied: count('NOT_APPLIED'),
      unknown: count('UNKNOWN'),
      failed: items.filter(({ errors }) => errors.length > 0).length,
      errorCodes: [...new Set(items.flatMap(({ errors }) => errors.map(({ code }) => code)))],
    };
  const outcomes = [
    ...errors.map(({ extensions }) => extensions?.['outcome']),
    ...[...failuresAsData, ...items].map(({ outcome }) => outcome),
  ];
  record.outcome =
    (['UNKNOWN', 'NOT_APPLIED'] as const).find((outcome) => outcomes.includes(outcome)) ?? 'APPLIED';
}
