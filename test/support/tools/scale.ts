/** How much the tests of faults do: what takes seconds, or with FAULT_SIZES=long what takes minutes. */
const isLong = process.env['FAULT_SIZES'] === 'long';
const factor = isLong ? 20 : 1;

export const sizes = {
  creates: 1000 * factor,
  reads: 2000 * factor,
  refusals: 1000 * factor,
  outageCalls: 200 * factor,
  /** Rounds in which 200 callers leave. */
  leavingRounds: factor,
  operationsOfEachToken: 50 * factor,
  /** Rounds of 100 identifiers. */
  identifierRounds: 200 * factor,
  tokens: 5000 * factor,
  /** Answers that are too large. */
  largeAnswers: 3 * factor,
  /** Restarts of replicas behind nginx. */
  restarts: isLong ? 20 : 4,
  /** Time in milliseconds for which a round of load goes on. */
  loadMs: isLong ? 30_000 : 2000,
  /** A test that waits for ever is to end at some time; a busy machine may take long. */
  testTimeoutMs: 120_000 * factor,
};
