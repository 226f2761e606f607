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
import type { RequestTelemetry } from '../../telemetry/requestTelemetry.js';
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

export function createResponseFormatter(options: FormatErrorsOptions): ResponseFormatter {
  return {
    formatResult({ errors: rawErrors, ...result }, request) {
      const { operation, context } = request;
      const errors = rawErrors?.length ? formatOperationErrors(rawErrors, request, options) : undefined;
      recordOperation(context.telemetry.operation, operation.definition, errors ?? []);
      return {
        status: 'data' in result ? 200 : 400,
        result: withTrace(errors ? { errors, ...result } : result, context),
      };
    },
    formatRejection(rawErrors, { definition, context, ...request }) {
      const { requestId } = context.client;
      const errors = formatRequestErrors(rawErrors, { ...request, requestId }, options);
      recordOperation(context.telemetry.operation, definition, errors);
      return withTrace({ errors }, context);
    },
  };
}

function withTrace(
  result: FormattedExecutionResult,
  { telemetry }: GatewayContext,
): FormattedExecutionResult {
  return telemetry.tracedCalls
    ? { ...result, extensions: { ...result.extensions, trace: telemetry.tracedCalls } }
    : result;
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
