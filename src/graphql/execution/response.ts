/** The response to a GraphQL request: public errors, the REST calls for clients that ask for them, and the log record. */
import {
  OperationTypeNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
} from 'graphql';
import type { GatewayContext } from '../../context.js';
import { jsonSize } from '../../domain/jsonSize.js';
import type { RequestTelemetry, TracedCall } from '../../telemetry/requestTelemetry.js';
import type { PreparedOperation } from '../checks/operationCheck.js';
import type { Variables } from '../checks/rootFields.js';
import {
  formatOperationErrors,
  formatRequestErrors,
  type FormatErrorsOptions,
  type RejectedRequest,
} from '../errors/formatErrors.js';

export interface GraphQLResponse {
  /** HTTP status: 400 if nothing was executed and there is no `data`; otherwise 200. */
  status: number;
  result: FormattedExecutionResult;
}

export interface ResponseFormatter {
  /** The response of an operation that was executed or rejected by a check. */
  formatResult(
    result: ExecutionResult,
    request: { operation: PreparedOperation; variables: Variables; context: GatewayContext },
  ): GraphQLResponse;
  /** The body of a response with which Apollo Server rejects a request before there is an operation to run. */
  formatRejection(
    errors: readonly GraphQLError[],
    request: Omit<RejectedRequest, 'requestId'> & {
      definition: OperationDefinitionNode | undefined;
      context: GatewayContext;
    },
  ): FormattedExecutionResult;
}

export interface ResponseFormatterOptions extends FormatErrorsOptions {
  /** Maximum size of a result in bytes of JSON text; `extensions.trace` counts, too. */
  maxResultBytes: number;
}

export function createResponseFormatter(options: ResponseFormatterOptions): ResponseFormatter {
  const { maxResultBytes } = options;
  return {
    formatResult({ errors: rawErrors, ...result }, request) {
      const { operation, context } = request;
      const errors = rawErrors?.length ? formatOperationErrors(rawErrors, request, options) : undefined;
      recordOperation(context.telemetry.operation, operation.definition, errors ?? []);
      return {
        status: 'data' in result ? 200 : 400,
        result: withTrace(errors ? { errors, ...result } : result, context, maxResultBytes),
      };
    },
    formatRejection(rawErrors, { definition, context, ...request }) {
      const { requestId } = context.client;
      const errors = formatRequestErrors(rawErrors, { ...request, requestId }, options);
      recordOperation(context.telemetry.operation, definition, errors);
      return withTrace({ errors }, context, maxResultBytes);
    },
  };
}

function withTrace(
  result: FormattedExecutionResult,
  { telemetry, client }: GatewayContext,
  maxResultBytes: number,
): FormattedExecutionResult {
  if (!telemetry.tracedCalls) return result;
  const trace = leadingCalls(telemetry.tracedCalls, maxResultBytes - client.memory.resultBytes);
  return { ...result, extensions: { ...result.extensions, trace } };
}

/** The first calls, as many as fit: a curl command contains the whole body of its request. */
function leadingCalls(calls: readonly TracedCall[], maxBytes: number): readonly TracedCall[] {
  let bytes = 0;
  const firstBeyond = calls.findIndex((call) => (bytes += jsonSize(call, maxBytes)) > maxBytes);
  return firstBeyond < 0 ? calls : calls.slice(0, firstBeyond);
}

function recordOperation(
  record: RequestTelemetry['operation'],
  definition: OperationDefinitionNode | undefined,
  errors: readonly GraphQLFormattedError[],
): void {
  if (definition) {
    record.operationType = definition.operation;
    if (definition.name) record.operationName = definition.name.value.slice(0, 100);
  }
  record.errorCodes = errors.map(({ extensions }) => String(extensions?.['code']));
  if (definition?.operation === OperationTypeNode.MUTATION) {
    const outcomes = errors.map(({ extensions }) => extensions?.['outcome']);
    if (outcomes.includes('UNKNOWN')) record.outcome = 'UNKNOWN';
    else record.outcome = outcomes.includes('NOT_APPLIED') ? 'NOT_APPLIED' : 'APPLIED';
  }
}
