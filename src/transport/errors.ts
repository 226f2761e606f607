/**
 * Failures of REST calls. Each error states the call's effect; none contains a URL, a header, a token or a body, so
 * clients may see its message.
 */

export type Effect =
  /** The call was not applied: the service never received it completely, or rejected it. */
  | 'none'
  /** The call may have been applied. */
  | 'unknown';

interface ServiceErrorOptions {
  /** HTTP status, if there was a response. */
  status?: number | undefined;
  /** Seconds to wait before retrying. */
  retryAfterSeconds?: number | undefined;
  /** The service's own messages, from the response body. */
  serviceMessages?: unknown[] | undefined;
  cause?: unknown;
}

export abstract class ServiceError extends Error {
  abstract override readonly name: string;
  abstract readonly effect: Effect;
  /** Whether the same call may succeed a little later. */
  abstract readonly isTransient: boolean;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Mutable, so that the endpoint can redact secrets. */
  serviceMessages: unknown[] | undefined;
  /** Whether the same write may be sent again even if this one may have been applied: with its idempotency key that does no harm. */
  isSafeToRepeat = false;
  /** Identifiers of what the call may have created; undefined if that is not known. */
  candidates: readonly string[] | undefined;

  constructor(
    message: string,
    { status, retryAfterSeconds, serviceMessages, cause }: ServiceErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.serviceMessages = serviceMessages;
  }
}

/** The client sent no well-formed bearer token; no call was made. */
export class TokenMissingError extends ServiceError {
  readonly name = 'TokenMissingError';
  readonly effect = 'none';
  readonly isTransient = false;
}

/** The request is a dry run; the call was not sent. */
export class DryRunError extends ServiceError {
  readonly name = 'DryRunError';
  readonly effect = 'none';
  readonly isTransient = false;
}

/** The operation reads more notifications than it may; no call was made for this one. */
export class TooManyReadsError extends ServiceError {
  readonly name = 'TooManyReadsError';
  readonly effect = 'none';
  readonly isTransient = false;
}

/** The service rejected the call with a 4xx status. */
export class RejectedError extends ServiceError {
  readonly name = 'RejectedError';
  readonly effect = 'none';
  override readonly status: number;
  /** Whether the body is neither JSON nor empty, as that of a proxy that cannot reach the service. */
  readonly hasForeignBody: boolean;
  /** Whether the gateway forwards no tokens to this service: that of the client is not to blame for a 401. */
  isTokenWithheld = false;

  constructor(message: string, options: ServiceErrorOptions & { status: number; hasForeignBody?: boolean }) {
    super(message, options);
    this.status = options.status;
    this.hasForeignBody = options.hasForeignBody ?? false;
  }

  get isTransient() {
    return this.status === 429;
  }
}

/** The service has no such resource, although the status of its response is 2xx; the write that needs it was not sent. */
export class NotFoundError extends ServiceError {
  readonly name = 'NotFoundError';
  readonly effect = 'none';
  readonly isTransient = false;
}

/** The resource is in another state than the client expects; the write was not sent. */
export class ConflictError extends ServiceError {
  readonly name = 'ConflictError';
  readonly effect = 'none';
  readonly isTransient = false;
}

/** The read that a write depends on failed: whatever the effect of a write with that failure, this one was not sent. */
export class PrecedingReadError extends ServiceError {
  readonly name = 'PrecedingReadError';
  readonly effect = 'none';

  constructor(override readonly cause: ServiceError) {
    super(cause.message, cause);
  }

  get isTransient() {
    return this.cause.isTransient;
  }
}

/** No connection to the service: no byte of the call was sent. */
export class UnreachableError extends ServiceError {
  readonly name = 'UnreachableError';
  readonly effect = 'none';
  readonly isTransient = true;
}

/** The circuit breaker is open because the service failed too often. The call was not sent. */
export class CircuitOpenError extends ServiceError {
  readonly name = 'CircuitOpenError';
  readonly effect = 'none';
  readonly isTransient = true;
}

/** The queue is full, or the deadline passed before a connection was free. The call was not sent. */
export class BulkheadFullError extends ServiceError {
  readonly name = 'BulkheadFullError';
  readonly effect = 'none';
  readonly isTransient = true;
}

/**
 * The memory budget of the process has no room for the call's response. The effect is `none` if the call was not sent, and
 * `unknown` if its response was discarded.
 */
export class MemoryBudgetError extends ServiceError {
  readonly name = 'MemoryBudgetError';
  readonly isTransient = true;

  constructor(
    message: string,
    readonly effect: Effect,
  ) {
    super(message, { retryAfterSeconds: 1 });
  }
}

/** The response of a call, or the result made of it, exceeds the budget; the service may have executed the call. */
export function responseDiscarded(): MemoryBudgetError {
  return new MemoryBudgetError('The gateway has no memory left for the response of the service', 'unknown');
}

/** The call was sent, but no complete response arrived before the deadline. */
export class TimeoutError extends ServiceError {
  readonly name = 'TimeoutError';
  readonly effect = 'unknown';
  readonly isTransient = true;
}

/** The service responded with 5xx, or the connection was lost after the call was sent. */
export class ServiceFailureError extends ServiceError {
  readonly name = 'ServiceFailureError';
  readonly effect = 'unknown';
  readonly isTransient = true;
}

/** The response is a redirect, of the wrong type, too large, not JSON, or violates the contract. */
export class InvalidResponseError extends ServiceError {
  readonly name = 'InvalidResponseError';
  readonly effect = 'unknown';
  readonly isTransient = false;
}

/** The client disconnected, and the call was aborted: a read at any point, a write only if no byte of it was sent. */
export class CancelledError extends ServiceError {
  readonly name = 'CancelledError';
  readonly effect = 'none';
  readonly isTransient = false;
}
