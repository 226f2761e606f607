/** A REST call that failed, or was not sent. What its failure means stands in failures.ts. */
import { failures, type AttemptErrorType, type Failure, type FailureName } from './failures.js';

export interface ServiceErrorDetails {
  /** @default that of the failure */
  message?: string | undefined;
  /** @default that of the failure */
  effect?: Failure['effect'];
  /** HTTP status, if there was a response. */
  status?: number | undefined;
  /** Seconds to wait before retrying. @default those of the failure */
  retryAfterSeconds?: number | undefined;
  /** The service's own messages, from the response body. */
  serviceMessages?: unknown[] | undefined;
  /** Whether the body is neither JSON nor empty, as that of a proxy that cannot reach the service. @default false */
  hasForeignBody?: boolean;
  /** Identifiers of what the call may have created; undefined if that is not known. */
  candidates?: readonly string[] | undefined;
  cause?: unknown;
}

export class ServiceError extends Error {
  override readonly name: string;
  readonly effect: Failure['effect'];
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly hasForeignBody: boolean;
  /** Mutable, so that the endpoint can redact secrets. */
  serviceMessages: unknown[] | undefined;
  candidates: readonly string[] | undefined;
  /** Whether the same write may be sent again even if this one may have been applied: with its idempotency key that does no harm. */
  isSafeToRepeat: boolean;

  constructor(
    readonly failure: FailureName,
    { message, cause, hasForeignBody = false, ...details }: ServiceErrorDetails = {},
  ) {
    const meaning: Failure = failures[failure];
    super(message ?? meaning.message, cause === undefined ? undefined : { cause });
    this.name = meaning.errorType ?? 'ServiceError';
    this.effect = details.effect ?? meaning.effect;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds ?? meaning.retryAfterSeconds;
    this.hasForeignBody = hasForeignBody;
    this.serviceMessages = details.serviceMessages;
    this.candidates = details.candidates;
    this.isSafeToRepeat = meaning.isSafeToRepeat ?? false;
  }

  get meaning(): Failure {
    return failures[this.failure];
  }

  /**
   * The same failure with the effect on another call: a write that was not sent because the read before it failed, or one that
   * an earlier attempt may have applied.
   */
  withEffect(effect: Failure['effect']): ServiceError {
    const { message, status, retryAfterSeconds, serviceMessages } = this;
    return new ServiceError(this.failure, {
      message,
      effect,
      status,
      retryAfterSeconds,
      serviceMessages,
      cause: this,
    });
  }
}

/** How an attempt failed, for metrics, logs and traces. A failure that cannot end an attempt is a bug, like any other error. */
export function errorTypeOf(error: unknown): AttemptErrorType {
  if (!(error instanceof ServiceError)) return 'Error';
  const failure = failures[error.failure];
  return 'errorType' in failure ? failure.errorType : 'Error';
}
