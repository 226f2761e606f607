/** What can be wrong with Redis. */

/** Redis can be reached but must not be used until its operator has changed something, which the log says during an outage too. */
export class UnsuitableRedisError extends Error {
  override readonly name: string = 'UnsuitableRedisError';
}

/** The gateway must not start with this Redis: it is of another form than REDIS_URL says, or could lose keys. */
export class MisconfiguredRedisError extends UnsuitableRedisError {
  override readonly name = 'MisconfiguredRedisError';
}

/** The primary did what the command says, and too few replicas have it. */
export class NotAcknowledgedError extends UnsuitableRedisError {
  override readonly name = 'NotAcknowledgedError';
}

/** The command was not sent. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}
