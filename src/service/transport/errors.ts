/**
 * Why a call to the REST service did not end with its documented answer. Each error says what is known about
 * the call's effect; no error holds a URL, a header, a token or a body.
 */

export type Effect =
  /** The service did not carry out the call: it never got it whole, or it refused it. */
  | 'none'
  /** The service may have carried out the call. */
  | 'unknown';

interface ServiceErrorOptions {
  /** HTTP status of the answer, when there was one. */
  status?: number | undefined;
  /** Seconds after which another try makes sense. */
  retryAfterSeconds?: number | undefined;
  /** The `messages` array of the answer's body. */
  serviceMessages?: unknown[] | undefined;
  cause?: unknown;
}

export abstract class ServiceError extends Error {
  abstract override readonly name: string;
  abstract readonly effect: Effect;
  /** Whether the same call may well succeed a little later. */
  abstract readonly isTransient: boolean;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Not readonly, so that secrets can be taken out. */
  serviceMessages: unknown[] | undefined;

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

/** The caller has no token that may be sent; no call was made. */
export class TokenMissingError extends ServiceError {
  readonly name = 'TokenMissingError';
  readonly effect = 'none';
  readonly isTransient = false;
}

/** The caller wanted to see the call, not its effect; it was not sent. */
export class DryRunError extends ServiceError {
  readonly name = 'DryRunError';
  readonly effect = 'none';
  readonly isTransient = false;
}

/** The service answered 4xx: it refused the call. */
export class RejectedError extends ServiceError {
  readonly name = 'RejectedError';
  readonly effect = 'none';
  override readonly status: number;

  constructor(message: string, options: ServiceErrorOptions & { status: number }) {
    super(message, options);
    this.status = options.status;
  }

  get isTransient() {
    return this.status === 429;
  }
}

/** No connection to the service, so that not one byte of the call was sent. */
export class UnreachableError extends ServiceError {
  readonly name = 'UnreachableError';
  readonly effect = 'none';
  readonly isTransient = true;
}

/** The circuit breaker is open: the service failed too often, and the call was not sent. */
export class CircuitOpenError extends ServiceError {
  readonly name = 'CircuitOpenError';
  readonly effect = 'none';
  readonly isTransient = true;
}

/** No slot for the call: the queue is full, or no connection became free before the deadline. It was not sent. */
export class BulkheadFullError extends ServiceError {
  readonly name = 'BulkheadFullError';
  readonly effect = 'none';
  readonly isTransient = true;
}

/** No complete answer within the deadline, after the call was sent. */
export class TimeoutError extends ServiceError {
  readonly name = 'TimeoutError';
  readonly effect = 'unknown';
  readonly isTransient = true;
}

/** The service answered 5xx, or the connection was lost after the call was sent. */
export class ServiceFailureError extends ServiceError {
  readonly name = 'ServiceFailureError';
  readonly effect = 'unknown';
  readonly isTransient = true;
}

/** The answer was a redirect, of the wrong type, too large, not JSON, or not of the documented shape. */
export class InvalidResponseError extends ServiceError {
  readonly name = 'InvalidResponseError';
  readonly effect = 'unknown';
  readonly isTransient = false;
}

/** The caller left before the answer was complete, and the call was given up. */
export class CancelledError extends ServiceError {
  readonly name = 'CancelledError';
  readonly effect = 'unknown';
  readonly isTransient = false;
}
