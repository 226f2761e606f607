import type { RequestOptions, TestGateway } from './gateway.js';
import { isMutation, type FieldName, type Operation } from '../graphql/rootFields.js';

export interface PresentedError {
  message: string;
  path?: readonly (string | number)[];
  extensions: Record<string, unknown>;
}

/** All that an operation led to. */
export interface RecordedExecution {
  status: number;
  data: unknown;
  errors: PresentedError[] | undefined;
  /** The REST calls: method, path and query. */
  calls: string[];
}

/**
 * Sends an operation. Locations are left out of its errors, and so are request ids where they are that of the
 * response's header, as they have to be.
 */
export async function executeAndRecord(
  gateway: TestGateway,
  operation: Operation,
  options: RequestOptions = {},
): Promise<RecordedExecution> {
  gateway.takeCalls();
  const answer = await gateway.execute(operation.query, { ...operation, ...options });
  const headerId = answer.headers.get('x-request-id');
  return {
    status: answer.status,
    data: answer.data,
    errors: answer.errors?.map(({ message, path, extensions: { requestId = 'none', ...others } }) => ({
      message,
      ...(path && { path }),
      extensions: requestId === headerId ? others : { ...others, requestId },
    })),
    calls: gateway.takeCalls().map(({ method, path, query }) => `${method} ${path}${query && `?${query}`}`),
  };
}

/** The error for one broken rule of the arguments of a field. */
export function badInput(
  field: FieldName,
  inputPath: string,
  message: string,
  { path }: { path?: PresentedError['path'] } = {},
): PresentedError {
  return {
    message: `${inputPath}: ${message}`,
    ...(path && { path }),
    extensions: {
      code: 'BAD_USER_INPUT',
      inputPath,
      ...(isMutation(field) && { outcome: 'NOT_APPLIED' }),
      retryable: false,
    },
  };
}

/** What becomes of a field whose arguments break rules that are judged when it is resolved. */
export function refusedField(
  field: FieldName,
  problems: readonly (readonly [inputPath: string, message: string])[],
): RecordedExecution {
  const isNullable = field !== 'notifications' && field !== 'notificationsByGuid';
  return {
    status: 200,
    data: isNullable ? { [field]: null } : null,
    errors: problems.map(([inputPath, message]) => badInput(field, inputPath, message, { path: [field] })),
    calls: [],
  };
}

/** What becomes of a request whose variables do not fit their types. */
export function refusedRequest(
  field: FieldName,
  problems: readonly (readonly [inputPath: string, message: string])[],
): RecordedExecution {
  return {
    status: 400,
    data: undefined,
    errors: problems.map(([inputPath, message]) => badInput(field, inputPath, message)),
    calls: [],
  };
}
