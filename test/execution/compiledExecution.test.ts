/** Compiled operations give the same results as graphql-js: random operations against a service with random responses. */
import { execute, parse, validate, type ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import { compileOperation, type Execute } from '../../src/graphql/execution/jit.js';
import { createSchema } from '../../src/graphql/schema.js';
import { mutateValue } from '../support/graphql/mutateValue.js';
import { randomOperation } from '../support/graphql/randomOperations.js';
import { GUIDS, randomService } from '../support/graphql/randomService.js';
import {
  withInvalidValue,
  fieldNames,
  isMutation,
  validArguments,
  type FieldName,
} from '../support/graphql/rootFields.js';
import { seededRandom, type SeededRandom } from '../support/tools/seededRandom.js';

const OPERATIONS = 500;
const schema = createSchema();

/** Executions that compiled code left to graphql-js. */
let interpretedCount = 0;

/** Both executions of one operation. */
interface Executions {
  text: string;
  interpret: Execute;
  compiled: Execute | undefined;
}

function executionsOf(random: SeededRandom, field: FieldName): Executions {
  const type = isMutation(field) ? 'mutation' : 'query';
  const text = randomOperation({ schema, random, field, type });
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const interpret: Execute = (contextValue, variableValues) =>
    execute({ schema, document, contextValue, variableValues });
  const counted: Execute = (...parameters) => {
    interpretedCount += 1;
    return interpret(...parameters);
  };
  return { text, interpret, compiled: compileOperation(schema, text, counted) };
}

function randomVariables(random: SeededRandom, field: FieldName): Record<string, unknown> {
  const variables = Object.entries(usualVariables(random, field));
  return Object.fromEntries(
    variables.map(([name, value]) => [name, random.happens(0.2) ? mutateValue(random, value) : value]),
  );
}

function usualVariables(random: SeededRandom, field: FieldName): Record<string, unknown> {
  const guid = random.pick(GUIDS);
  const guids = Array.from({ length: random.below(8) }, () => random.pick([...GUIDS, ' ', '..']));
  if (field === 'notification') return { notificationGuid: random.pick([guid, guid, '', 5, null]) };
  if (field === 'notificationsByGuid') return { notificationGuids: random.happens(0.9) ? guids : [null] };
  if (field === 'notifications')
    return { additionalParameters: random.pick<object>([{}, { a: [1, 'x'] }, { a: {} }]) };
  if (random.happens(0.8)) return validArguments(field);
  return field === 'deleteNotification'
    ? withInvalidValue(field, 'notificationGuid', random.pick<unknown>(['', null, true]))
    : withInvalidValue(field, 'input.color', 5);
}

/** A comparable form of a result; causes of errors are compared by identity. */
function comparable({ data, errors = [], ...others }: ExecutionResult) {
  const parts = errors.map((error) => ({ ...error.toJSON(), cause: error.originalError }));
  return { data: JSON.stringify(data), errors: parts, ...others };
}

/** Executes random operations both ways and compares the results. */
async function compare(
  purpose: string,
  { isSound }: { isSound: boolean },
  expectSame: (
    result: ReturnType<typeof comparable>,
    expected: ReturnType<typeof comparable>,
    what: object,
  ) => void,
): Promise<void> {
  const random = seededRandom(purpose);
  let compiledCount = 0;
  interpretedCount = 0;
  let failedCount = 0;
  for (let index = 0; index < OPERATIONS; index += 1) {
    const field = random.pick(fieldNames as [FieldName]);
    const { text, interpret, compiled } = executionsOf(random, field);
    const createContext = randomService(random, { isSound });
    const variables = randomVariables(random, field);
    if (!compiled) continue;
    const expected = await interpret(createContext(), variables);
    const result = await compiled(createContext(), variables);
    expectSame(comparable(result), comparable(expected), { text, variables });
    compiledCount += 1;
    if (expected.errors) failedCount += 1;
  }
  compiledCount -= interpretedCount;
  console.log(
    `${OPERATIONS} operations, ${compiledCount} compiled, ${interpretedCount} not, ${failedCount} failed`,
  );
  expect(compiledCount).toBeGreaterThan(OPERATIONS / 3);
  expect(interpretedCount).toBeGreaterThan(OPERATIONS / 20);
  expect(failedCount).toBeGreaterThan(OPERATIONS / 10);
}

test('compiled code and graphql-js agree on data and errors of random operations', async () => {
  await compare('compiled operations', { isSound: true }, (result, expected, what) => {
    expect({ ...result, ...what }).toEqual({ ...expected, ...what });
  });
});

// The contract check lets no such value through. Of several in one object, graphql-js reports only the first.
test('compiled code and graphql-js agree on data, and on whether there are errors, for values that do not fit the schema', async () => {
  await compare('values of other types', { isSound: false }, (result, expected, what) => {
    const isFailure = ({ data, errors }: typeof result) => ({ data, hasErrors: errors.length > 0 });
    expect({ ...isFailure(result), ...what }).toEqual({ ...isFailure(expected), ...what });
  });
});
