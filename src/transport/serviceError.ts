/** A REST call that failed, or was not sent. What its failure means stands in failures.ts. */
import type { WriteOutcome } from '../errors.js';
import { failures, type AttemptErrorType, type Failure, type FailureName } from './failures.js';

/** What a response looks like whose body is empty or JSON. Two responses of one origin usually look the same. */
export interface ResponseForm {
  readonly mediaType: string | undefined;
  readonly isEmpty: boolean;
}

/** What the service says about a call. It is redacted when it is written. */
export interface ServiceMessage {
  /** The field of the call that it is about, as the service spells it; undefined if it is about none. */
  readonly field: string | undefined;
  /** Characters of its JSON text before that. */
  readonly size: number;
  toJSON(): unknown;
}

/** Path of an argument that a parameter of the call came from. */
export type ArgumentPath = readonly PropertyKey[];

export interface ServiceErrorDetails {
  /** @default the failure's */
  message?: string | undefined;
  /** What the log says in place of the message, for example with names that a response has. */
  problem?: string | undefined;
  /** @default the failure's */
  outcome?: WriteOutcome;
  /** HTTP status, if there was a response. */
  status?: number | undefined;
  /** Seconds to wait before retrying. @default the failure's */
  retryAfterSeconds?: number | undefined;
  /** The service's own messages, as JSON.stringify writes them. */
  serviceMessages?: readonly ServiceMessage[] | undefined;
  /** What the response of a rejection looks like; undefined if it is incomplete, or neither empty nor JSON. */
  form?: ResponseForm | undefined;
  /** Identifiers of what the call may have created; undefined if that is not known. */
  candidates?: string[] | undefined;
  /** The state that made the client's expectation fail, if the call was not sent because of it. */
  current?: unknown;
  /** Whether this call was not sent because a call before it failed. @default false */
  isOfOtherCall?: boolean;
  cause?: unknown;
}

export class ServiceError extends Error {
  override readonly name: string;
  readonly problem: string | undefined;
  readonly outcome: WriteOutcome;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly form: ResponseForm | undefined;
  /** How it is known that a call was not applied; null if it may have been. */
  readonly evidence: 'NOT_SENT' | 'RESPONSE' | null;
  /** Mutable: an invalid response adds its messages once it is read, and messages without room in memory are dropped. */
  serviceMessages: readonly ServiceMessage[] | undefined;
  /** Where the value of a field that a message is about came from, if it came from the client; set by who made the call of arguments. */
  argumentOf: ((field: string) => ArgumentPath | undefined) | undefined;
  current: unknown;
  candidates: string[] | undefined;
  /** Whether the same write may be sent again even if this one may have been applied: with its idempotency key that does no harm. */
  isSafeToRepeat: boolean;

  constructor(
    readonly failure: FailureName,
    { message, cause, ...details }: ServiceErrorDetails = {},
  ) {
    const meaning: Failure = failures[failure];
    super(message ?? meaning.message, cause === undefined ? undefined : { cause });
    this.name = meaning.errorType ?? 'ServiceError';
    this.problem = details.problem;
    this.outcome = details.outcome ?? meaning.outcome;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds ?? meaning.retryAfterSeconds;
    this.form = details.form;
    this.current = details.current;
    const knownBy = details.isOfOtherCall || details.status === undefined ? 'NOT_SENT' : 'RESPONSE';
    this.evidence = this.outcome === 'NOT_APPLIED' ? knownBy : null;
    this.serviceMessages = details.serviceMessages;
    this.candidates = details.candidates;
    this.isSafeToRepeat = meaning.isSafeToRepeat ?? false;
  }

  get meaning(): Failure {
    return failures[this.failure];
  }

  /** The same failure of a field that has the value in another argument. */
  at(argument: ArgumentPath): this {
    const { argumentOf } = this;
    return Object.create(this, {
      argumentOf: { value: (field: string) => argumentOf?.(field) && argument },
    }) as this;
  }

  /**
   * The same failure as the reason for the outcome of another call: a write that was not sent because the read before it failed, or
   * one that an earlier attempt may have applied.
   */
  withOutcome(outcome: WriteOutcome): ServiceError {
    const { message, status, retryAfterSeconds, serviceMessages, current } = this;
    return new ServiceError(this.failure, {
      message,
      outcome,
      status,
      retryAfterSeconds,
      serviceMessages,
      current,
      isOfOtherCall: true,
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

/** The failure that a status of 300 or above means. */
export function failureOfStatus(status: number): FailureName {
  const known = failuresByStatus.get(status);
  if (known !== undefined) return known;
  if (status < 400) return 'redirected';
  return status < 500 ? 'rejected' : 'serviceFailed';
}

const failuresByStatus = new Map(
  Object.entries<Failure>(failures).flatMap(([name, { statuses = [] }]) =>
    statuses.map((status) => [status, name as FailureName]),
  ),
);
