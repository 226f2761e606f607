/** The rule that an input violates. Values may be added. */
export const InputRule = {
  /** A string has characters that are not allowed. */
  Characters: 'CHARACTERS',
  /** A string is not a date and time with a UTC offset. */
  DateTime: 'DATE_TIME',
  /** A string is not an email address. */
  Email: 'EMAIL',
  /** A value is not a value of the enum. */
  Enum: 'ENUM',
  /** A value is not JSON, or is nested deeper than the limit. */
  Json: 'JSON',
  /** The values together take more bytes in the REST call than the limit. */
  MaxBytes: 'MAX_BYTES',
  /** There are more list elements than the limit. */
  MaxItems: 'MAX_ITEMS',
  /** A string has more characters than the limit. */
  MaxLength: 'MAX_LENGTH',
  /** There are fewer list elements than the limit. */
  MinItems: 'MIN_ITEMS',
  /** A string is empty, or has only white space and invisible characters. */
  NotEmpty: 'NOT_EMPTY',
  /** An input of which exactly one member must be set has none, or several. */
  OneOf: 'ONE_OF',
  /** A string is not a phone number. */
  PhoneNumber: 'PHONE_NUMBER',
  /** A value is missing or null. */
  Required: 'REQUIRED',
  /** The name of a parameter is reserved. */
  ReservedName: 'RESERVED_NAME',
  /** A value has the wrong type. */
  Type: 'TYPE',
  /** An earlier item of the list has the same idempotency key, or is the same except for its key. */
  Unique: 'UNIQUE',
  /** An input object has no such field. */
  UnknownField: 'UNKNOWN_FIELD',
  /** A string is not a UUID of version 4 or 7. */
  Uuid: 'UUID'
} as const;

export type InputRule = typeof InputRule[keyof typeof InputRule];
/**
 * What happens to the valid items of a bulk field if others are invalid. Items after the first 1,000 errors are neither checked nor sent, and
 * fail with `QUERY_TOO_COMPLEX`.
 */
export const OnInvalidItem = {
  /** No item is sent: the valid ones fail with `OTHER_ITEM_INVALID`. */
  SendNothing: 'SEND_NOTHING',
  /** The valid items are sent. */
  SendOthers: 'SEND_OTHERS'
} as const;

export type OnInvalidItem = typeof OnInvalidItem[keyof typeof OnInvalidItem];
/** How the outcome of a write is known. Values may be added. */
export const OutcomeEvidence = {
  /** The write was not sent. */
  NotSent: 'NOT_SENT',
  /** By a read after the write, whose own response was not conclusive. */
  ReadBack: 'READ_BACK',
  /** By the record of an earlier attempt with the same idempotency key. */
  Replay: 'REPLAY',
  /** By the service's response to the write. */
  Response: 'RESPONSE'
} as const;

export type OutcomeEvidence = typeof OutcomeEvidence[keyof typeof OutcomeEvidence];
/** Status of a shipment. Each value is a subtype of the notification type `shipmentStatusChange`. */
export const ShipmentStatus = {
  /** At the consignee (service: `ShipmentStatusAtConsignee`). */
  AtConsignee: 'AT_CONSIGNEE',
  /** At the shipper (service: `ShipmentStatusAtShipper`). */
  AtShipper: 'AT_SHIPPER',
  /** Delivered (service: `ShipmentStatusDelivered`). */
  Delivered: 'DELIVERED',
  /** On the way to the shipper (service: `ShipmentStatusEnRoute`). */
  EnRoute: 'EN_ROUTE',
  /** On the way to the consignee (service: `ShipmentStatusInTransit`). */
  InTransit: 'IN_TRANSIT'
} as const;

export type ShipmentStatus = typeof ShipmentStatus[keyof typeof ShipmentStatus];
/** The kind of failure of a write. Values may be added. */
export const WriteErrorCode = {
  /**
   * The input is invalid. There is one error for each violation, at most 100, and no REST call was made. `inputPath` locates the invalid value,
   * and `rule` says what is wrong with it; a GraphQL error has both in `extensions`.
   */
  BadUserInput: 'BAD_USER_INPUT',
  /** The service responded with 409, or `ifLastUpdateDate` is not the date of the last update. */
  Conflict: 'CONFLICT',
  /** The service responded with 403. */
  Forbidden: 'FORBIDDEN',
  /** The mutation with this idempotency key is still being executed; repeat it later with the same key. */
  IdempotencyInProgress: 'IDEMPOTENCY_IN_PROGRESS',
  /** The idempotency key is older than 24 hours and has no record. */
  IdempotencyKeyExpired: 'IDEMPOTENCY_KEY_EXPIRED',
  /** The idempotency key was used with another mutation field, or with other arguments. */
  IdempotencyKeyReused: 'IDEMPOTENCY_KEY_REUSED',
  /** An earlier attempt with this key may have been applied, and sending it again could apply it twice. */
  IdempotencyOutcomeUnknown: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
  /** The idempotency key cannot be recorded: keys are not enabled, or their store is unavailable. */
  IdempotencyUnavailable: 'IDEMPOTENCY_UNAVAILABLE',
  /** The service responded with 410, or with 404 and a body that is empty or JSON, or the read before an update or a deletion found nothing. */
  NotFound: 'NOT_FOUND',
  /** Another item of the list is invalid, so none was sent. */
  OtherItemInvalid: 'OTHER_ITEM_INVALID',
  /** The operation exceeds a limit, such as 1,000 list elements and additional parameters in its input. */
  QueryTooComplex: 'QUERY_TOO_COMPLEX',
  /** The service responded with 429, or the client used too many new idempotency keys. */
  RateLimited: 'RATE_LIMITED',
  /** The service responded with 408 or 5xx, or with something other than HTTP, or the connection was lost after the call was sent. */
  ServiceError: 'SERVICE_ERROR',
  /** The service responded with any other 4xx. */
  ServiceRejected: 'SERVICE_REJECTED',
  /** The response is a redirect, an HTML page, too large or not JSON, violates the contract, or does not prove that the write was applied; or it is a 206, a 202 or 207 to a write, or a 404 that is incomplete or neither empty nor JSON. */
  ServiceResponseInvalid: 'SERVICE_RESPONSE_INVALID',
  /** No complete response before the deadline. */
  ServiceTimeout: 'SERVICE_TIMEOUT',
  /** Nothing was sent (no connection, circuit open, queue full, overload), the service responded with 425, or its large response waited too long to be read. */
  ServiceUnavailable: 'SERVICE_UNAVAILABLE',
  /** There is no valid bearer token or client credential, or the service responded with 401 to a call with the token. */
  Unauthenticated: 'UNAUTHENTICATED'
} as const;

export type WriteErrorCode = typeof WriteErrorCode[keyof typeof WriteErrorCode];
/** How a write ended. */
export const WriteOutcome = {
  /** The service applied it. */
  Applied: 'APPLIED',
  /** Nothing changed. */
  NotApplied: 'NOT_APPLIED',
  /**
   * It may have been applied, or may still be, and the gateway could not find out: a read afterwards failed or found another state, or
   * there is nothing to read. Or it was applied, but its result is too large to return.
   */
  Unknown: 'UNKNOWN'
} as const;

export type WriteOutcome = typeof WriteOutcome[keyof typeof WriteOutcome];