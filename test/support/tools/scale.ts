/** Scale of the fault-injection tests: seconds by default, minutes with FAULT_SIZES=long. */
const isLong = process.env['FAULT_SIZES'] === 'long';
const factor = isLong ? 20 : 1;

export const sizes = {
  isLong,
  creates: 1000 * factor,
  reads: 2000 * factor,
  rejections: 1000 * factor,
  outageCalls: 200 * factor,
  /** Rounds of 200 disconnecting clients. */
  disconnectRounds: factor,
  operationsPerToken: 50 * factor,
  /** Rounds of 100 identifiers. */
  identifierRounds: 200 * factor,
  tokens: 5000 * factor,
  /** Creations and tracking calls with an idempotency key. */
  keyedWrites: isLong ? 10_000 : 500,
  /** Requests of any content. */
  fuzzedRequests: isLong ? 200_000 : 2000,
  /** Updates and deletions that lose their responses. */
  readBacks: isLong ? 10_000 : 2000,
  /** Responses that are too large, per kind. */
  largeResponses: 3 * factor,
  /** Restarts of replicas behind nginx. */
  restarts: isLong ? 20 : 4,
  /** Requests of a round of load. */
  roundOfLoad: 5000 * factor,
  /** Generous, because a busy machine may be slow. */
  testTimeoutMs: 120_000 * factor,
};
