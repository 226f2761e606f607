/** Why a mutation with an idempotency key was not sent, or not sent again. */
import { ServiceError, type Effect } from '../../transport/errors.js';

/** The key was used with other arguments. */
export class KeyReusedError extends ServiceError {
  readonly name = 'KeyReusedError';
  readonly effect = 'none';
  readonly isTransient = false;

  constructor() {
    super('Expected a new idempotency key: this one was used with other arguments');
  }
}

/** The mutation with this key is being executed. */
export class InProgressError extends ServiceError {
  readonly name = 'InProgressError';
  readonly effect = 'unknown';
  readonly isTransient = true;
  override isSafeToRepeat = true;

  constructor() {
    super('The mutation with this idempotency key is in progress', { retryAfterSeconds: 1 });
  }
}

/** An earlier attempt may have been applied, and sending it again could apply it twice. */
export class OutcomeUnknownError extends ServiceError {
  readonly name = 'OutcomeUnknownError';
  readonly effect = 'unknown';
  readonly isTransient = false;

  constructor(candidates: readonly string[] | undefined) {
    super('An earlier attempt with this idempotency key may have been applied; it was not sent again');
    this.candidates = candidates;
  }
}

/** The key is older than the time for which records are kept. */
export class KeyExpiredError extends ServiceError {
  readonly name = 'KeyExpiredError';
  readonly effect = 'none';
  readonly isTransient = false;

  constructor() {
    super('Expected an idempotency key younger than the time for which keys are kept');
  }
}

/** The key cannot be recorded: there is no store, or it fails. */
export class IdempotencyUnavailableError extends ServiceError {
  readonly name = 'IdempotencyUnavailableError';
  readonly effect = 'none';
  readonly isTransient: boolean;

  constructor({ isTransient, cause }: { isTransient: boolean; cause?: unknown }) {
    super(
      isTransient
        ? 'The idempotency key cannot be recorded at the moment'
        : 'Idempotency keys are not enabled on this gateway',
      isTransient ? { retryAfterSeconds: 1, cause } : {},
    );
    this.isTransient = isTransient;
  }
}

/** The repeat of a write of unknown outcome was surely not applied, but an earlier attempt may have been. */
export class RepeatFailedError extends ServiceError {
  readonly name = 'RepeatFailedError';
  readonly effect: Effect = 'unknown';

  constructor(override readonly cause: ServiceError) {
    super(cause.message, cause);
  }

  get isTransient() {
    return this.cause.isTransient;
  }
}
