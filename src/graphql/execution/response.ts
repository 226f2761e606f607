/** The response to a GraphQL request: public errors, the REST calls for clients that ask for them, and the log record. */
import {
  OperationTypeNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
} from 'graphql';
import type { GatewayContext } from '../../fields/context.js';
import type { ResponseMarks } from '../../freight/endpoint.js';
import type { RequestTelemetry, TracedCall } from '../../telemetry/requestTelemetry.js';
import type { OperationRequest } from '../checks.js';
import { bytesOf, MAX_ERRORS_BYTES, type LimitedErrors } from '../errorLimit.js';
import { formatOperationErrors, type FormatErrorsOptions } from '../formatErrors.js';
import { formatRequestErrors, type RejectedRequest } from '../fromApollo.js';

export interface ResponseFormatter {
  /** The response of an operation that was executed or rejected by a check: then nothing was executed, and there is no `data`. */
  formatResult(result: ExecutionResult, request: OperationRequest): FormattedExecutionResult;
  /** The body of a response with which Apollo Server rejects a request before there is an operation to run. */
  formatRejection(
    errors: readonly GraphQLError[],
    request: Omit<RejectedRequest, 'ids'> & {
      definition: OperationDefinitionNode | undefined;
      context: GatewayContext;
    },
  ): FormattedExecutionResult;
}

export function createResponseFormatter(options: FormatErrorsOptions): ResponseFormatter {
  return {
    formatResult({ errors: rawErrors, ...result }, request) {
      const { operation, context } = request;
      const limited = rawErrors?.length ? formatOperationErrors(rawErrors, request, options) : undefined;
      recordOperation(context.telemetry.operation, operation.definition, limited?.errors ?? []);
      const extensions = extensionsOf(context, limited, result.data);
      return limited || extensions
        ? { ...(limited && { errors: limited.errors }), ...result, ...extensions }
        : result;
    },
    formatRejection(rawErrors, { definition, context, ...request }) {
      const { ids } = context.client;
      const limited = formatRequestErrors(rawErrors, { ...request, ids }, options);
      recordOperation(context.telemetry.operation, definition, limited.errors);
      return { errors: limited.errors, ...extensionsOf(context, limited) };
    },
  };
}

/** The `extensions` of a response, unless there are none: how fields came about, the trace, and whether it is incomplete. */
function extensionsOf(
  { client: { marks }, telemetry: { tracedCalls } }: GatewayContext,
  limited: LimitedErrors | undefined,
  data?: ExecutionResult['data'],
) {
  const presentMarks = marksOfValues(marks, data);
  if (!presentMarks && !limited?.isTruncated && !tracedCalls) return undefined;
  return {
    extensions: {
      ...presentMarks,
      ...(limited?.isTruncated && { errorsTruncated: true }),
      ...(tracedCalls && limitTrace(tracedCalls, limited?.bytes ?? 0)),
    },
  };
}

/** The marks of fields that have a value, if any: that of a result which is too large is null. */
function marksOfValues(marks: ResponseMarks, data: ExecutionResult['data']) {
  const present = (keys: readonly string[]) => keys.filter((key) => data?.[key] != null);
  const [readBack, replayed] = [present(marks.readBack), present(marks.replayed)];
  if (readBack.length + replayed.length === 0) return undefined;
  return { ...(readBack.length > 0 && { readBack }), ...(replayed.length > 0 && { replayed }) };
}

/** The traced calls for which the errors leave room; the requests of calls that do not fit are left out first. */
function limitTrace(calls: readonly TracedCall[], errorBytes: number) {
  let bytes = MAX_ERRORS_BYTES - errorBytes;
  const fits = (call: object) => {
    const size = bytesOf(call) + 1;
    if (size > bytes) return false;
    bytes -= size;
    return true;
  };
  const trace = calls.flatMap<object>((call) => {
    if (fits(call)) return [call];
    const summary = { ...call, curl: undefined, request: undefined };
    return fits(summary) ? [summary] : [];
  });
  const isTruncated = trace.some((call, index) => call !== calls[index]) || trace.length < calls.length;
  return { trace, ...(isTruncated && { traceTruncated: true }) };
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
