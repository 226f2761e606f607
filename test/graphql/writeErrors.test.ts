/** WriteError and the extensions of a GraphQL error are two shapes of one contract. */
import { type GraphQLEnumType } from 'graphql';
import { expect, test } from 'vitest';
import { ErrorCode, InputRule } from '../../src/errors.js';
import { createSchema } from '../../src/graphql/schema.js';
import { failures, type Failure } from '../../src/failures.js';

const schema = createSchema();
const valuesOf = (name: string) =>
  (schema.getType(name) as GraphQLEnumType)
    .getValues()
    .map(({ value }) => value as string)
    .sort();

/** A value that cannot be read is never the failure of a write, and what rejects a request keeps it from being executed. */
const reported = Object.fromEntries(
  Object.entries<Failure>(failures).filter(
    ([name, { httpStatus }]) =>
      httpStatus === undefined && !['dryRun', 'errorsOmitted', 'valueUnreadable'].includes(name),
  ),
);

test('the enums of the schema have the codes that a write can fail with, and the rules', () => {
  const codes = new Set<string>([ErrorCode.BadUserInput, ...Object.values(reported).map(({ code }) => code)]);
  expect(valuesOf('WriteErrorCode')).toEqual([...codes].sort());
  expect(valuesOf('InputRule')).toEqual(Object.values(InputRule).sort());
});
