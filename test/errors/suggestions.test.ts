import { describe, expect, test } from 'vitest';
import { executeAndRecord, type RecordedError } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import type { Operation } from '../support/graphql/rootFields.js';
import { violation } from '../support/graphql/violations.js';
const gateway = useGateway();

const rejected = (code: string, messages: string[], details = {}) => ({
  status: 422,
  data: undefined,
  errors: messages.map((message): RecordedError => ({
    message,
    extensions: { code, ...details, retryable: false },
  })),
  calls: [],
});
const NOT_APPLIED = { outcome: 'NOT_APPLIED' };

describe('In production, no error message suggests a name from the schema', () => {
  const recipient = '{ stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: true } }';
  const creation = 'mutation ($input: NotificationInput!) { createNotification(input: $input) { messages } }';
  const validation = (message: string, details?: object) =>
    rejected('GRAPHQL_VALIDATION_FAILED', [message], details);

  test.each<[typo: string, operation: Operation, expected: object]>([
    [
      'a field',
      { query: '{ notificatio }' },
      validation('Cannot query field "notificatio" on type "Query".', { field: 'notificatio' }),
    ],
    [
      'a field of a type',
      { query: '{ notifications { message } }' },
      validation('Cannot query field "message" on type "NotificationList".', { field: 'notifications' }),
    ],
    [
      'a field of another type of the interface',
      { query: '{ notifications { notifications { recipient { smsList } } } }' },
      validation('Cannot query field "smsList" on type "NotificationRecipient".', { field: 'notifications' }),
    ],
    [
      'an argument',
      { query: '{ notifications(additionalParameter: {}) { messages } }' },
      validation('Unknown argument "additionalParameter" on field "Query.notifications".', {
        field: 'notifications',
        inputPath: ['additionalParameter'],
      }),
    ],
    [
      'a type',
      {
        query: `
          query ($input: NotificationInpu) {
            notifications(additionalParameters: $input) { messages }
          }
        `,
      },
      validation('Unknown type "NotificationInpu".'),
    ],
    ['a type in a fragment', { query: '{ ... on Quer { __typename } }' }, validation('Unknown type "Quer".')],
    [
      'a value of an enum',
      {
        query: `
          mutation {
            createNotification(
              input: {
                notificationName: "a"
                recipient: ${recipient}
                trigger: { shipmentStatusChange: [EN_ROUT] }
              }
            ) { messages }
          }
        `,
      },
      validation('Value "EN_ROUT" does not exist in "ShipmentStatus" enum.', {
        ...NOT_APPLIED,
        field: 'createNotification',
        inputPath: ['input', 'trigger', 'shipmentStatusChange', 0],
      }),
    ],
    [
      'a field of an input',
      {
        query: `
          mutation {
            createNotification(
              input: {
                notificationName: "a"
                recipient: ${recipient}
                trigger: { shipmentStatusChange: [EN_ROUTE] }
                filter: []
              }
            ) { messages }
          }
        `,
      },
      validation('Field "filter" is not defined by type "NotificationInput".', {
        ...NOT_APPLIED,
        field: 'createNotification',
        inputPath: ['input', 'filter'],
      }),
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

  test('for a misspelled field in a variable of a skipped field', async () => {
    const query = creation.replace('{ messages }', '@skip(if: true) { messages } __typename');
    const variables = { input: { notificationNam: 'a' } };
    const errors = [
      ['notificationName', 'Field "notificationName" of required type "String!" was not provided.'],
      ['recipient', 'Field "recipient" of required type "NotificationRecipientInput!" was not provided.'],
      ['trigger', 'Field "trigger" of required type "NotificationTriggerInput!" was not provided.'],
      ['notificationNam', 'Field "notificationNam" is not defined by type "NotificationInput".'],
    ].map(([name = '', message = '']) => ({
      message,
      extensions: {
        code: 'BAD_USER_INPUT',
        ...violation(`$input.${name}`, message),
        ...NOT_APPLIED,
        retryable: false,
      },
    }));
    expect(await executeAndRecord(gateway, { query, variables })).toEqual({
      ...rejected('BAD_USER_INPUT', []),
      errors,
    });
  });
});
