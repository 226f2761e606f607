import type { RequestOptions, TestGateway } from './gateway.js';
import { violation } from '../graphql/violations.js';
import {
  asVariables,
  isMutation,
  validArguments,
  type FieldName,
  type Operation,
} from '../graphql/rootFields.js';

export interface RecordedError {
  message: string;
  path?: readonly (string | number)[];
  extensions: Record<string, unknown>;
}

/** The response to an operation and the REST calls it caused. */
export interface RecordedExecution {
  status: number;
  data: unknown;
  errors: RecordedError[] | undefined;
  /** Method, path and query of each REST call. */
  calls: string[];
}

/**
 * Sends an operation. Its errors are recorded without locations, and without their request id if that equals the
 * response header's, as it must.
 */
export async function executeAndRecord(
  gateway: TestGateway,
  operation: Operation,
  options: RequestOptions = {},
): Promise<RecordedExecution> {
  gateway.takeCalls();
  const response = await gateway.execute(operation, options);
  const headerId = response.headers.get('x-request-id');
  return {
    status: response.status,
    data: response.data,
    errors: response.errors?.map(({ message, path, extensions: { requestId = 'none', ...others } }) => ({
      message,
      ...(path && { path }),
      extensions: requestId === headerId ? others : { ...others, requestId },
    })),
    calls: gateway.takeCalls().map(({ method, path, query }) => `${method} ${path}${query && `?${query}`}`),
  };
}

/** Executes a field with valid arguments; tells how many REST calls it caused. */
export async function executeField(gateway: TestGateway, field: FieldName) {
  const { data, errors, calls } = await executeAndRecord(gateway, asVariables(field, validArguments(field)));
  return { data, errors, restCalls: calls.length };
}

/** The execution of a field whose REST call fails; queries report no outcome. */
export function failedField(
  field: FieldName,
  {
    code,
    message,
    isTransient = false,
    outcome = 'UNKNOWN',
    ...details
  }: { code: string; message: string; isTransient?: boolean; outcome?: string; [detail: string]: unknown },
  restCalls = 1,
) {
  const effect = isMutation(field)
    ? { outcome, retryable: isTransient && outcome === 'NOT_APPLIED' }
    : { retryable: isTransient };
  const error: RecordedError = { message, path: [field], extensions: { code, ...effect, ...details } };
  return { data: { [field]: null }, errors: [error], restCalls };
}

/** The error for one invalid argument of a field. */
export function badInput(
  field: FieldName,
  inputPath: string,
  message: string,
  { path }: { path?: RecordedError['path'] } = {},
): RecordedError {
  return {
    message,
    ...(path && { path }),
    extensions: {
      code: 'BAD_USER_INPUT',
      ...(!path && { field }),
      ...violation(inputPath, message),
      ...(isMutation(field) && { outcome: 'NOT_APPLIED' }),
      retryable: false,
    },
  };
}

export type InputErrors = readonly (readonly [inputPath: string, message: string])[];

/** The execution of a field whose resolver rejects its arguments. */
export function rejectedField(field: FieldName, inputErrors: InputErrors): RecordedExecution {
  return {
    status: 200,
    data: { [field]: null },
    errors: inputErrors.map(([inputPath, message]) => badInput(field, inputPath, message, { path: [field] })),
    calls: [],
  };
}

/** The execution of a request whose variables cannot be coerced to their types. */
export function rejectedRequest(field: FieldName, inputErrors: InputErrors): RecordedExecution {
  return {
    status: 422,
    data: undefined,
    errors: inputErrors.map(([inputPath, message]) => badInput(field, inputPath, message)),
    calls: [],
  };
}

/** The execution of an operation that exceeds a limit. */
export function tooComplex(message: string, { hasOutcome = false } = {}): RecordedExecution {
  const outcome = hasOutcome ? { outcome: 'NOT_APPLIED' } : {};
  return {
    status: 422,
    data: undefined,
    errors: [{ message, extensions: { code: 'QUERY_TOO_COMPLEX', ...outcome, retryable: false } }],
    calls: [],
  };
}
