/**
 * The errors of the gateway for programs: codes, input rules and extensions. Imports nothing, because the package exports it
 * as the subpath `shipment-graphql-gateway/errors`, and the package for front ends has it, too.
 */

/** The closed list of values of `extensions.code`, including the codes that Apollo Server gives. */
export const ErrorCode = {
  /** The input is invalid; `inputPath` locates the error, and `rule` says what is wrong. */
  BadUserInput: 'BAD_USER_INPUT',
  /** No bearer token, an Authorization header with another value, or a 401 of a service to which the gateway forwards tokens. */
  Unauthenticated: 'UNAUTHENTICATED',
  /** The service responded with 403. */
  Forbidden: 'FORBIDDEN',
  /** The service responded with 404 and a body that is empty or JSON, or the read before an update or a deletion found nothing. */
  NotFound: 'NOT_FOUND',
  /** The service responded with 409, or `ifLastUpdateDate` is not the date of the last update. */
  Conflict: 'CONFLICT',
  /** The service responded with 429, or the client exceeded a rate limit of the gateway: of requests, or of new idempotency keys. */
  RateLimited: 'RATE_LIMITED',
  /** The service responded with any other 4xx. */
  ServiceRejected: 'SERVICE_REJECTED',
  /**
   * Nothing was sent (no connection, circuit open, queue full, overload), the service responded with 425, or its large response waited
   * too long to be read.
   */
  ServiceUnavailable: 'SERVICE_UNAVAILABLE',
  /** No complete response before the deadline. */
  ServiceTimeout: 'SERVICE_TIMEOUT',
  /** The service responded with 408 or 5xx, or the connection was lost after the call was sent. */
  ServiceError: 'SERVICE_ERROR',
  /**
   * The response is a redirect, HTML, too large, not JSON, or violates the contract; or it is a 206, a 202 or 207 to a write, or a
   * 404 that is incomplete or neither empty nor JSON.
   */
  ServiceResponseInvalid: 'SERVICE_RESPONSE_INVALID',
  /** The operation exceeds a limit. */
  QueryTooComplex: 'QUERY_TOO_COMPLEX',
  /** The operation is not in the manifest. */
  QueryNotInSafelist: 'QUERY_NOT_IN_SAFELIST',
  /** Another item of the list is invalid, so none was sent. */
  OtherItemInvalid: 'OTHER_ITEM_INVALID',
  /** Dry run: the mutation is valid and was not sent. */
  DryRun: 'DRY_RUN',
  /** The idempotency key was used with another mutation field, or with other arguments. */
  IdempotencyKeyReused: 'IDEMPOTENCY_KEY_REUSED',
  /** The mutation with this idempotency key is being executed; it may be repeated with the same key. */
  IdempotencyInProgress: 'IDEMPOTENCY_IN_PROGRESS',
  /** An earlier request with this key may have been applied, and could be applied twice if it were sent again. */
  IdempotencyOutcomeUnknown: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
  /** The idempotency key is older than 24 hours and has no record. */
  IdempotencyKeyExpired: 'IDEMPOTENCY_KEY_EXPIRED',
  /** The idempotency key cannot be recorded: keys are not enabled, or their store fails. */
  IdempotencyUnavailable: 'IDEMPOTENCY_UNAVAILABLE',
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
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** The closed list of values of `extensions.rule`: a program chooses its own words by the rule and its limit. */
export const InputRule = {
  /** A value is missing or null. */
  Required: 'REQUIRED',
  /** A string is empty or blank. */
  NotEmpty: 'NOT_EMPTY',
  /** A value has the wrong type. */
  Type: 'TYPE',
  /** A value is not one of the enum's. */
  Enum: 'ENUM',
  /** A `@oneOf` input does not have exactly one member. */
  OneOf: 'ONE_OF',
  /** An input object has no such field. */
  UnknownField: 'UNKNOWN_FIELD',
  /** A string is not an email address. */
  Email: 'EMAIL',
  /** A string is not a phone number. */
  PhoneNumber: 'PHONE_NUMBER',
  /** A string is not a date and time with a UTC offset. */
  DateTime: 'DATE_TIME',
  /** A string is not a UUID of version 4 or 7. */
  Uuid: 'UUID',
  /** A string has characters that cannot be sent to the service. */
  Characters: 'CHARACTERS',
  /** A string has more characters than the limit. */
  MaxLength: 'MAX_LENGTH',
  /** There are fewer list elements than the limit. */
  MinItems: 'MIN_ITEMS',
  /** There are more list elements than the limit. */
  MaxItems: 'MAX_ITEMS',
  /** The values together take more bytes in the REST call than the limit. */
  MaxBytes: 'MAX_BYTES',
  /** A value is not JSON, or is nested deeper than the limit. */
  Json: 'JSON',
  /** The name of a parameter is reserved. */
  ReservedName: 'RESERVED_NAME',
  /** An earlier item of the list has the same idempotency key, or is the same but for its key. */
  Unique: 'UNIQUE',
} as const;
export type InputRule = (typeof InputRule)[keyof typeof InputRule];

export const writeOutcomes = ['APPLIED', 'NOT_APPLIED', 'UNKNOWN'] as const;
/**
 * What became of a write. NOT_APPLIED: the service never received it completely, or rejected it. UNKNOWN: it may have been
 * applied.
 */
export type WriteOutcome = (typeof writeOutcomes)[number];

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
  /**
   * What the service says, at most 20 messages of at most 1,000 characters: elements of its `messages` as they came, strings, and, about a
   * field, `{ field, message }` with the service's name of it.
   */
  serviceMessages?: unknown[];
  /**
   * After createNotification with the outcome UNKNOWN: identifiers of the notifications that it may have created. Missing if
   * they could not be looked for; an empty list does not prove that nothing was created.
   */
  candidates?: string[];
}

/**
 * Whether an error of a GraphQL response comes from the gateway, and not from a proxy or another subgraph. It goes by the shape of the
 * extensions, not by the list of codes, which newer gateways extend.
 */
export function isGatewayError<Err>(error: Err): error is Err & { extensions: GatewayErrorExtensions } {
  const { extensions } = Object(error) as { extensions?: unknown };
  const { code, retryable } = Object(extensions) as Partial<GatewayErrorExtensions>;
  return typeof code === 'string' && typeof retryable === 'boolean';
}
