/** The answer to an operation, whoever has executed it. */
import { OperationTypeNode, type ExecutionResult, type FormattedExecutionResult } from 'graphql';
import type { RequestTelemetry } from '../../telemetry/requestTelemetry.js';
import { formatErrors, type FormatErrorsOptions } from '../errors/formatErrors.js';
import type { OperationRequest } from '../checks/operationCheck.js';

export type AnswerWriter = (result: ExecutionResult, request: OperationRequest) => FormattedExecutionResult;

/**
 * Makes of a result what callers are promised: errors in their form, and the REST calls in `extensions.trace` for
 * those who may see them and ask for it. Notes in the record of the request what its operation was and became.
 */
export function createAnswerWriter(errorContract: FormatErrorsOptions): AnswerWriter {
  return ({ errors: found, ...result }, request) => {
    const errors = found?.length ? formatErrors(found, request, errorContract) : undefined;
    const { record } = request.contextValue;
    note(record.operation, request.operation, errors ?? []);
    const answer = errors ? { errors, ...result } : result;
    return record.tracedCalls
      ? { ...answer, extensions: { ...answer.extensions, trace: record.tracedCalls } }
      : answer;
  };
}

function note(
  record: RequestTelemetry['operation'],
  operation: OperationRequest['operation'],
  errors: NonNullable<FormattedExecutionResult['errors']>,
): void {
  if (operation) {
    record.operationType = operation.operation;
    if (operation.name) record.operationName = operation.name.value.slice(0, 100);
  }
  record.errorCodes = errors.map(({ extensions }) => String(extensions?.['code']));
  if (operation?.operation === OperationTypeNode.MUTATION) {
    const outcomes = errors.map(({ extensions }) => extensions?.['outcome']);
    if (outcomes.includes('UNKNOWN')) record.outcome = 'UNKNOWN';
    else record.outcome = outcomes.includes('NOT_APPLIED') ? 'NOT_APPLIED' : 'APPLIED';
  }
}
