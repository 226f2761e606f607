/** The errors of the gateway for programs. Imports the schema's enums alone, because the package for front ends exports it, too. */
import { InputRule, WriteErrorCode, WriteOutcome } from './generated/enums.js';

export { InputRule, WriteOutcome };

/** Codes of errors that no write has: of requests and documents, of dry runs, and of bugs. */
const OtherErrorCode = {
  /** The operation is not in the manifest. */
  QueryNotInSafelist: 'QUERY_NOT_IN_SAFELIST',
  /** Dry run: the mutation is valid and was not sent. */
  DryRun: 'DRY_RUN',
  /** The request is not well-formed HTTP or GraphQL over HTTP, or may be forged by another site (CSRF). */
  BadRequest: 'BAD_REQUEST',
  /** The document is not GraphQL. */
  GraphqlParseFailed: 'GRAPHQL_PARSE_FAILED',
  /** The document does not fit the schema. */
  GraphqlValidationFailed: 'GRAPHQL_VALIDATION_FAILED',
  /** The document has no such operation. */
  OperationResolutionFailure: 'OPERATION_RESOLUTION_FAILURE',
  /** The manifest lists no operation with this ID. */
  PersistedQueryNotFound: 'PERSISTED_QUERY_NOT_FOUND',
  /** Operations cannot be sent by ID. */
  PersistedQueryNotSupported: 'PERSISTED_QUERY_NOT_SUPPORTED',
  /** A bug in the gateway. */
  InternalServerError: 'INTERNAL_SERVER_ERROR',
} as const;

/** The closed list of values of `extensions.code`, including the codes that Apollo Server gives. Bundlers drop it where it is not used. */
export const ErrorCode: typeof WriteErrorCode & typeof OtherErrorCode = /* @__PURE__ */ Object.assign(
  {},
  WriteErrorCode,
  OtherErrorCode,
);
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** The violation of a rule by a value. */
export interface Violation {
  rule: InputRule;
  /** The number in the rule, such as the maximum length, if there is one. */
  limit?: number | undefined;
  /** States what was expected and what arrived. */
  message: string;
}

/** The `extensions` of every error. */
export interface GatewayErrorExtensions {
  code: ErrorCode;
  /** Whether repeating the field is safe and may succeed. */
  retryable: boolean;
  requestId: string;
  /** On errors of mutations, and of requests that fail before there is an operation. `APPLIED` if a value of the result cannot be read. */
  outcome?: WriteOutcome;
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number;
  /** Response key of the root field, on errors of input without a `path`. */
  field?: string;
  /** Path of the invalid input, or of the value that the service objects to, within the field's arguments. */
  inputPath?: (string | number)[];
  rule?: InputRule;
  /** The number in the rule, such as the maximum length. */
  limit?: number;
  /** HTTP status of the service's response. */
  status?: number;
  /** From the service, at most 20 of at most 1,000 characters: elements of `messages`, texts, or `{ field, message }` about its field. */
  serviceMessages?: unknown[];
  /** IDs of notifications that a createNotification of outcome UNKNOWN may have created; missing if there are none in the response and none were looked up. An empty list does not prove that none was. */
  candidates?: string[];
}

/** Whether a GraphQL error is the gateway's, not a proxy's or subgraph's: by the shape of its extensions, as newer gateways have more codes. */
export function isGatewayError<Err>(error: Err): error is Err & { extensions: GatewayErrorExtensions } {
  const { extensions } = Object(error) as { extensions?: unknown };
  const { code, retryable } = Object(extensions) as Partial<GatewayErrorExtensions>;
  return typeof code === 'string' && typeof retryable === 'boolean';
}
