/** Scale of the fault-injection tests: seconds by default, minutes with FAULT_SIZES=long. */
const isLong = process.env['FAULT_SIZES'] === 'long';
const factor = isLong ? 20 : 1;

export const sizes = {
  isLong,
  creates: isLong ? 20_000 : 500,
  outageCalls: 100 * factor,
  /** Rounds of 200 disconnecting clients. */
  disconnectRounds: factor,
  operationsPerToken: isLong ? 1000 : 3,
  /** Rounds of 100 identifiers. */
  identifierRounds: isLong ? 4000 : 4,
  tokens: isLong ? 100_000 : 100,
  /** Writes with an idempotency key during failovers of Redis, for each of its forms. */
  failoverWrites: isLong ? 10_000 : 200,
  /** Items of bulk mutations under faults, in lists of 100. */
  bulkItems: isLong ? 10_000 : 600,
  /** Requests of any content. */
  fuzzedRequests: isLong ? 200_000 : 150,
  /** Updates and deletions that lose their responses. */
  readBacks: isLong ? 10_000 : 250,
  /** Responses that are too large, per kind. */
  largeResponses: 2 * factor,
  /** Restarts of replicas behind nginx, in turn. */
  restarts: isLong ? 20 : 2,
  /** Generous, because a busy machine may be slow. */
  testTimeoutMs: isLong ? 2_400_000 : 300_000,
};
