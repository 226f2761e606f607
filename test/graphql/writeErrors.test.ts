/** WriteError and the extensions of a GraphQL error are two shapes of one contract. */
import { parse, type GraphQLEnumType, type OperationDefinitionNode } from 'graphql';
import { expect, test } from 'vitest';
import { ErrorCode, InputRule } from '../../src/errors.js';
import type { GatewayContext } from '../../src/fields/context.js';
import { reportFailuresAsData } from '../../src/fields/writeFailures.js';
import { createOperationFactory } from '../../src/graphql/operation.js';
import { createSchema } from '../../src/graphql/schema.js';
import { failures, type Failure, type FailureName } from '../../src/failures.js';
import { GatewayError } from '../../src/gatewayError.js';
import { readingOf } from '../support/service/reading.js';
import { settings } from '../support/service/settings.js';
import { seededRandom, type SeededRandom } from '../support/tools/seededRandom.js';

const schema = createSchema();
reportFailuresAsData(schema);
const prepare = createOperationFactory(schema, [], {
  hideSuggestions: true,
  reportInternalError: (error) => {
    throw error;
  },
});
const valuesOf = (name: string) =>
  (schema.getType(name) as GraphQLEnumType)
    .getValues()
    .map(({ value }) => value as string)
    .sort();
const WRITE_ERROR = Object.keys(
  (schema.getType('WriteError') as { getFields(): object } | undefined)?.getFields() ?? {},
).join(' ');

/** The result of a write that fails with this error. */
async function execute(selection: string, error: Error) {
  const text = `mutation { deleteNotification(notificationGuid: "g") { outcome evidence ${selection} } }`;
  const document = parse(text);
  const context = {
    client: {
      authorization: 'Bearer any',
      ids: { requestId: 'the-request' },
      reading: readingOf(),
    },
    service: { send: () => Promise.reject(error) },
    settings,
    telemetry: { operation: {}, writeEnded: () => undefined },
    failuresAsData: [],
  } as unknown as GatewayContext;
  const operation = prepare(text, document, document.definitions[0] as OperationDefinitionNode);
  const { data, errors } = await operation.run(context, undefined);
  return { data: data?.['deleteNotification'], errors, record: context.telemetry.operation };
}

/** What both shapes say, in a form in which they can be compared. */
function fromExtensions({
  message,
  extensions = {},
}: {
  message: string;
  extensions?: Record<string, unknown>;
}) {
  const {
    outcome,
    inputPath,
    serviceMessages = [],
    ...others
  } = JSON.parse(JSON.stringify(extensions)) as Record<string, unknown>;
  const path = (inputPath as (string | number)[] | undefined)?.map(String);
  return { outcome, error: { message, ...others, serviceMessages, ...(path && { inputPath: path }) } };
}
function fromData(outcome: unknown, error: object) {
  return { outcome, error: Object.fromEntries(Object.entries(error).filter(([, value]) => value !== null)) };
}

async function expectSame(error: Error) {
  const asData = await execute(`errors { ${WRITE_ERROR} }`, error);
  const asErrors = await execute('messages', error);
  const { outcome, errors } = asData.data as { outcome: string; errors: object[] };
  expect(asData.errors).toBeUndefined();
  expect(asErrors.data).toBeNull();
  const compared = asErrors.errors?.slice(0, 100).map((each) => fromExtensions(each));
  expect(errors.map((each) => fromData(outcome, each))).toEqual(compared);
  expect(asData.record).toEqual(asErrors.record);
}

function randomError(name: FailureName, random: SeededRandom): GatewayError {
  const maybe = <T>(value: T) => (random.happens(0.5) ? value : undefined);
  const error = new GatewayError(name, {
    message: maybe('x'.repeat(random.below(2000))),
    ...(random.happens(0.5) && { outcome: random.pick(['NOT_APPLIED', 'UNKNOWN'] as const) }),
    status: maybe(400 + random.below(200)),
    retryAfterSeconds: maybe(random.below(100)),
    serviceMessages: maybe(
      ['text', 5, { a: [null] }].map((said) => ({
        field: maybe(random.pick(['notificationGuid', 'NotificationGUID', 'unknown'])),
        toJSON: () => said,
        size: 4,
      })),
    ),
    candidates: maybe([]) ?? maybe(['one', 'two']),
  });
  if (random.happens(0.3)) return error.with({ isSafeToRepeat: true });
  return random.happens(0.2) ? error.withOutcome(random.pick(['NOT_APPLIED', 'UNKNOWN'] as const)) : error;
}

/** A value that cannot be read is never the failure of a write, and what rejects a request keeps it from being executed. */
const reported = Object.fromEntries(
  Object.entries<Failure>(failures).filter(
    ([name, { httpStatus }]) =>
      httpStatus === undefined && !['dryRun', 'errorsOmitted', 'valueUnreadable'].includes(name),
  ),
);

test.each(Object.keys(reported) as FailureName[])(
  'the failure %s is the same in both shapes',
  async (name) => {
    const random = seededRandom(name);
    for (let run = 0; run < 20; run += 1) await expectSame(randomError(name, random));
  },
);

test('so are invalid inputs, as many as fit', async () => {
  const random = seededRandom('invalid inputs');
  for (const count of [1, 2, 100]) {
    const errors = Array.from({ length: count }, () => ({
      path: ['input', random.below(9), 'y'.repeat(random.below(200))],
      rule: random.pick(Object.values(InputRule) as [InputRule]),
      limit: random.happens(0.5) ? random.below(9) : undefined,
      message: 'expected another value',
    }));
    await expectSame(new GatewayError('inputInvalid', { violations: errors }));
  }
});

test('a dry run is an error in one shape, and none in the other', async () => {
  const error = new GatewayError('dryRun');
  expect((await execute('errors { code }', error)).data).toEqual({
    outcome: 'NOT_APPLIED',
    evidence: 'NOT_SENT',
    errors: [],
  });
  expect((await execute('messages', error)).errors).toMatchObject([{ extensions: { code: 'DRY_RUN' } }]);
});

test('the enums of the schema have the codes that a write can fail with, and the rules', () => {
  const codes = new Set<string>([ErrorCode.BadUserInput, ...Object.values(reported).map(({ code }) => code)]);
  expect(valuesOf('WriteErrorCode')).toEqual([...codes].sort());
  expect(valuesOf('InputRule')).toEqual(Object.values(InputRule).sort());
});
