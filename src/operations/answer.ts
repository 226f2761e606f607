/** The answer to an operation, whoever has executed it. */
import { OperationTypeNode, type ExecutionResult, type FormattedExecutionResult } from 'graphql';
import type { RequestRecord } from '../telemetry/requestRecord.js';
import { presentErrors, type ErrorContractOptions } from './errorContract.js';
import type { OperationRequest } from './request.js';

export type AnswerWriter = (result: ExecutionResult, request: OperationRequest) => FormattedExecutionResult;

/**
 * Makes of a result what callers are promised: errors in their form, and the REST calls in `extensions.trace` for
 * those who may see them and ask for it. Notes in the record of the request what its operation was and became.
 */
export function createAnswerWriter(errorContract: ErrorContractOptions): AnswerWriter {
  return ({ errors: found, ...result }, request) => {
    const errors = found?.length ? presentErrors(found, request, errorContract) : undefined;
    const { record } = request.contextValue;
    note(record.operation, request.operation, errors ?? []);
    const answer = errors ? { errors, ...result } : result;
    return record.shownCalls
      ? { ...answer, extensions: { ...answer.extensions, trace: record.shownCalls } }
      : answer;
  };
}

function note(
  record: RequestRecord['operation'],
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
