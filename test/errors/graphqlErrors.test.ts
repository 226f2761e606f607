import { describe, expect, test } from 'vitest';
import { executeAndRecord, type RecordedError } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import type { Operation } from '../support/graphql/rootFields.js';
import { violation } from '../support/graphql/violations.js';
const gateway = useGateway();

const rejected = (code: string, messages: string[], details = {}) => ({
  status: code === 'GRAPHQL_PARSE_FAILED' ? 400 : 422,
  data: undefined,
  errors: messages.map((message): RecordedError => ({
    message,
    extensions: { code, ...details, retryable: false },
  })),
  calls: [],
});
const NOT_APPLIED = { outcome: 'NOT_APPLIED' };

describe("An invalid GraphQL request is rejected with Apollo Server's error code", () => {
  test.each<[query: string, code: string, message: string, details?: object]>([
    ['{', 'GRAPHQL_PARSE_FAILED', 'Syntax Error: Expected Name, found <EOF>.'],
    ['mutation {', 'GRAPHQL_PARSE_FAILED', 'Syntax Error: Expected Name, found <EOF>.', NOT_APPLIED],
    ['{ notification(notificationGuid: "a) }', 'GRAPHQL_PARSE_FAILED', 'Syntax Error: Unterminated string.'],
    [
      '{ notification(notificationGuid: "\\ud800") { notificationGuid } }',
      'GRAPHQL_PARSE_FAILED',
      'Syntax Error: Invalid Unicode escape sequence: "\\ud800".',
    ],
    [
      '{ notification { notificationGuid } }',
      'GRAPHQL_VALIDATION_FAILED',
      'Field "notification" argument "notificationGuid" of type "ID!" is required, but it was not provided.',
      { field: 'notification' },
    ],
    [
      'mutation { createNotification(input: 5) { messages } }',
      'GRAPHQL_VALIDATION_FAILED',
      'Expected value of type "NotificationInput!", found 5.',
      { ...NOT_APPLIED, field: 'createNotification', inputPath: ['input'] },
    ],
    [
      'query ($guid: String) { notification(notificationGuid: $guid) { notificationGuid } }',
      'GRAPHQL_VALIDATION_FAILED',
      'Variable "$guid" of type "String" used in position expecting type "ID!".',
      { field: 'notification', inputPath: ['notificationGuid'] },
    ],
    [
      'query A { __typename } query B { __typename }',
      'OPERATION_RESOLUTION_FAILURE',
      'Must provide operation name if query contains multiple operations.',
    ],
    ['subscription { __typename }', 'OPERATION_RESOLUTION_FAILURE', 'The schema defines no subscriptions'],
    [
      '{ __schema { types { name } } }',
      'GRAPHQL_VALIDATION_FAILED',
      'Introspection is disabled on this gateway',
      { field: '__schema' },
    ],
  ])('for %s', async (query, code, message, details) => {
    const response = await executeAndRecord(gateway, { query });
    expect({ ...response, errors: response.errors?.slice(0, 1) }).toEqual(rejected(code, [message], details));
    expect(new Set(response.errors?.map(({ extensions }) => extensions['code']))).toEqual(new Set([code]));
  });

  test('for at most five places, and says that there are more', async () => {
    const { errors } = await executeAndRecord(gateway, { query: `{ __typename ${'@aa'.repeat(10)} }` });
    expect(errors?.map(({ message }) => message)).toEqual([
      ...Array<string>(5).fill('Unknown directive "@aa".'),
      'Too many validation errors, error limit reached. Validation aborted.',
    ]);
  });

  test('with the locations of its errors', async () => {
    const { headers, errors } = await gateway.execute('{\n  __typename\n  color\n}');
    expect(errors).toEqual([
      {
        message: 'Cannot query field "color" on type "Query".',
        locations: [{ line: 3, column: 3 }],
        extensions: {
          code: 'GRAPHQL_VALIDATION_FAILED',
          field: 'color',
          retryable: false,
          requestId: headers.get('x-request-id'),
        },
      },
    ]);
  });
});

describe('The value of a condition is rejected with the name of its variable if it is not a boolean:', () => {
  test.each<[value: unknown, message: string]>([
    [undefined, 'Expected non-nullable type "Boolean!" not to be null.'],
    [null, 'Expected non-nullable type "Boolean!" not to be null.'],
    ['no', 'Boolean cannot represent a non boolean value: "no"'],
  ])('%j', async (all, message) => {
    const query = 'query ($all: Boolean!) { notifications @include(if: $all) { messages } }';
    expect(await executeAndRecord(gateway, { query, variables: { all } })).toEqual(
      rejected('BAD_USER_INPUT', [message], { field: 'notifications', ...violation('$all', message) }),
    );
  });
});

describe('In production, no error message suggests a name from the schema', () => {
  const creation = 'mutation ($input: NotificationInput!) { createNotification(input: $input) { messages } }';
  const validation = (message: string, details?: object) =>
    rejected('GRAPHQL_VALIDATION_FAILED', [message], details);

  test.each<[typo: string, operation: Operation, expected: object]>([
    [
      'a field',
      { query: '{ notificationA }' },
      validation('Cannot query field "notificationA" on type "Query".', { field: 'notificationA' }),
    ],
    [
      'a field and an enum value in a variable',
      {
        query: creation,
        variables: {
          input: {
            notificationName: 'a',
            recipient: { stopLevels: {} },
            trigger: { shipmentStatusChange: ['EN_ROUT'] },
          },
        },
      },
      {
        ...rejected('BAD_USER_INPUT', []),
        errors: [
          [
            'input.recipient.stopLevels',
            'Field "stopLevels" is not defined by type "NotificationRecipientInput".',
          ],
          [
            'input.recipient',
            'Exactly one key must be specified for OneOf type "NotificationRecipientInput".',
          ],
          [
            'input.trigger.shipmentStatusChange[0]',
            'Value "EN_ROUT" does not exist in "ShipmentStatus" enum.',
          ],
        ].map(([inputPath = '', message = '']) => ({
          message,
          extensions: {
            code: 'BAD_USER_INPUT',
            field: 'createNotification',
            ...violation(inputPath, message),
            ...NOT_APPLIED,
            retryable: false,
          },
        })),
      },
    ],
  ])('for a misspelled name of %s', async (_typo, operation, expected) => {
    expect(await executeAndRecord(gateway, operation)).toEqual(expected);
  });
});
