/** WriteError and the extensions of a GraphQL error are two shapes of one contract. */
import { expect, test } from 'vitest';
import { ErrorCode } from '../../src/errors.js';
import { WriteErrorCode } from '../../src/generated/enums.js';
import { failures, type Failure } from '../../src/failures.js';

/** A value that cannot be read is never the failure of a write, and what rejects a request keeps it from being executed. */
const reported = Object.fromEntries(
  Object.entries<Failure>(failures).filter(
    ([name, { httpStatus }]) =>
      httpStatus === undefined && !['dryRun', 'errorsOmitted', 'valueUnreadable'].includes(name),
  ),
);

test('the enum of the schema has the codes that a write can fail with', () => {
  const codes = new Set<string>([ErrorCode.BadUserInput, ...Object.values(reported).map(({ code }) => code)]);
  expect(Object.values(WriteErrorCode).sort()).toEqual([...codes].sort());
});
