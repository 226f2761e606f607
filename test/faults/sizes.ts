/** How much the tests of faults do: what takes seconds, or with FAULT_SIZES=long what takes minutes. */
const factor = process.env['FAULT_SIZES'] === 'long' ? 20 : 1;

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
  /** A test that waits for ever is to end at some time; a busy machine may take long. */
  testTimeoutMs: 120_000 * factor,
};
