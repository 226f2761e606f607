/** The one error of the gateway: why something was rejected, was not sent, or failed. What its failure means stands in failures.ts. */
import type { Violation, WriteOutcome } from './errors.js';
import { failures, type Failure, type FailureName } from './failures.js';

/** The form of a response whose body is empty or JSON. Two responses of one origin usually have the same form. */
export interface ResponseForm {
  readonly mediaType: string | undefined;
  readonly isEmpty: boolean;
}

/** A message of the service about a call. It is redacted when it is serialized. */
export interface ServiceMessage {
  /** The field of the call that it is about, as the service spells it; undefined if it is about none. */
  readonly field: string | undefined;
  /** Bytes of its JSON text before redaction. */
  readonly bytes: number;
  toJSON(): unknown;
}

/** Path of an argument that a parameter of the call came from. */
export type ArgumentPath = readonly PropertyKey[];

export interface NamedNotification {
  readonly notificationGuid: string;
  /** When the call was sent, or earlier, by the clock of the service, in milliseconds since 1970. */
  readonly sentAtMs: number;
}

export interface InputError extends Violation {
  /** Path within the field's arguments, for example `['input', 'recipient', 'shipmentLevel', 'emailList', 0]`. */
  path: ArgumentPath;
  /** Response key of the root field, for an error that fails the operation and so has no path in the response. */
  field?: string | undefined;
}

/** What an error has in addition to, or instead of, what its failure means. */
export type FailureDetails = {
  [
    Name in Exclude<
      keyof GatewayError,
      'evidence' | 'failure' | 'meaning' | 'name' | 'stack' | 'with' | 'withOutcome'
    >
  ]?: GatewayError[Name] | undefined;
};

/** Immutable: code that can add details throws a copy (`with`). */
export class GatewayError extends Error {
  override readonly name: string;
  /** Replaces the message in the log, where names from the response may appear. */
  declare readonly problem: string | undefined;
  readonly outcome: WriteOutcome;
  /** HTTP status of the service, if there was a response. */
  declare readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The service's own messages, as JSON.stringify writes them. */
  declare readonly serviceMessages: readonly ServiceMessage[] | undefined;
  /** Finds the argument behind a field that a message names; undefined if its value did not come from the client. */
  declare readonly argumentOf: ((field: string) => ArgumentPath | undefined) | undefined;
  /** The form of a rejection's response; undefined if it is incomplete, or neither empty nor JSON. */
  declare readonly form: ResponseForm | undefined;
  /** Identifiers of what the call may have created; undefined if that is not known. */
  declare readonly candidates: string[] | undefined;
  /** The notification that the response to a creation names without its values: a read decides whether it was created by the call. */
  declare readonly named: NamedNotification | undefined;
  /** The state that made the client's expectation fail, if the call was not sent because of it. */
  declare readonly current: unknown;
  /** Whether the same write may be sent again even if this one may have been applied. */
  readonly isSafeToRepeat: boolean;
  /** Whether this call was not sent because an earlier call failed. */
  declare readonly isFromEarlierCall: boolean | undefined;
  readonly violations: readonly InputError[];
  /** How it is known that a call was not applied; null if it may have been. */
  readonly evidence: 'NOT_SENT' | 'RESPONSE' | null;

  constructor(
    readonly failure: FailureName,
    private readonly details: FailureDetails = {},
  ) {
    const meaning = failures[failure];
    const { message, cause, ...others } = details;
    super(message ?? meaning.message, cause === undefined ? undefined : { cause });
    Object.assign(this, others);
    this.name = meaning.errorType ?? 'GatewayError';
    this.outcome = details.outcome ?? meaning.outcome;
    this.retryAfterSeconds = details.retryAfterSeconds ?? meaning.retryAfterSeconds;
    this.isSafeToRepeat = details.isSafeToRepeat ?? meaning.isSafeToRepeat ?? false;
    this.violations = details.violations ?? [];
    const knownBy = this.isFromEarlierCall || this.status === undefined ? 'NOT_SENT' : 'RESPONSE';
    this.evidence = this.outcome === 'NOT_APPLIED' ? knownBy : null;
  }

  get meaning(): Failure {
    return failures[this.failure];
  }

  /** A copy with more details, which has this error as its cause. */
  with(details: FailureDetails): GatewayError {
    return new GatewayError(this.failure, { ...this.details, cause: this, ...details });
  }

  /** The same failure as the reason for the outcome of another call, such as a write that was not sent because the read before it failed. */
  withOutcome(outcome: WriteOutcome): GatewayError {
    return this.with({ outcome, isFromEarlierCall: true });
  }
}

/** Adds details to a failure; other errors are bugs, which stay as they are. */
export function withDetails(error: unknown, details: FailureDetails): unknown {
  return error instanceof GatewayError ? error.with(details) : error;
}

/** The failure that a status of 300 or above means. */
export function failureOfStatus(status: number): FailureName {
  const own = failureNames.find((name) => failures[name].statuses?.includes(status));
  if (own !== undefined) return own;
  if (status < 400) return 'redirected';
  return status < 500 ? 'rejected' : 'serviceFailed';
}

const failureNames = Object.keys(failures) as FailureName[];
