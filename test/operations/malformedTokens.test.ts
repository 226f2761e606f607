import { describe, expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, DELETE, LIST, READ, READ_SEVERAL, UPDATE } from '../support/graphql/documents.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { licensePlateCalls } from '../support/graphql/shipmentOperations.js';

const { input } = sampleDefinition;
const guid = 'e124b63a-74ab-43ac-abaf-d7512394501a';
const notificationOperations = [
  {
    field: 'notification',
    document: READ,
    variables: { guid },
    isMutation: false,
    data: { notification: null },
  },
  { field: 'notifications', document: LIST, variables: {}, isMutation: false, data: { notifications: null } },
  {
    field: 'createNotification',
    document: CREATE,
    variables: { input },
    isMutation: true,
    data: { createNotification: null },
  },
  {
    field: 'updateNotification',
    document: UPDATE,
    variables: { guid, input },
    isMutation: true,
    data: { updateNotification: null },
  },
  {
    field: 'deleteNotification',
    document: DELETE,
    variables: { guid },
    isMutation: true,
    data: { deleteNotification: null },
  },
] as const;

const malformedHeaders: [string, string | undefined][] = [
  ['that is missing', undefined],
  ['that is empty', ''],
  ['without a token', 'Bearer'],
  ['with another scheme', 'Basic c2VjcmV0OnNlY3JldA=='],
  ['with a scheme that starts with Bearer', 'BearerX secret'],
  ['without a scheme', 'secret'],
  ['without a space', 'Bearersecret'],
  ['with a tab', 'Bearer\tsecret'],
  ['with a space inside the token', 'Bearer sec ret'],
  ['with two tokens', 'Bearer secret, Bearer other'],
  ['with a comma', 'Bearer sec,ret'],
  ['with nothing but a comma', 'Bearer ,'],
  ['with Latin-1 letters', 'Bearer s\u00e9cret'],
  ['with a no-break space', 'Bearer sec\u00a0ret'],
];
const gateway = useGateway();

describe.each(malformedHeaders)('An Authorization header %s', (_problem, authorization) => {
  const header = { token: null, ...(authorization !== undefined && { headers: { authorization } }) };

  test.each(notificationOperations)(
    'is rejected by $field with UNAUTHENTICATED before any REST call',
    async ({ field, document, variables, isMutation, data }) => {
      const response = await gateway.execute(document, { variables, ...header });
      expect({ data: response.data, errors: response.errors }).toEqual({
        data,
        errors: [
          fieldError(document, [field], serviceErrorMessages.noToken, {
            code: 'UNAUTHENTICATED',
            ...(isMutation && { outcome: 'NOT_APPLIED' }),
            retryable: false,
          }),
        ],
      });
      expect(gateway.takeCalls()).toEqual([]);
    },
  );

  test('is rejected for each element of notificationsByGuid with UNAUTHENTICATED before any REST call', async () => {
    const variables = { guids: [guid, 'other'] };
    const { data, errors } = await gateway.execute(READ_SEVERAL, { variables, ...header });
    expect({ data, errors }).toEqual({
      data: { notificationsByGuid: [null, null] },
      errors: [0, 1].map((index) =>
        fieldError(READ_SEVERAL, ['notificationsByGuid', index], serviceErrorMessages.noToken, {
          code: 'UNAUTHENTICATED',
          retryable: false,
        }),
      ),
    });
    expect(gateway.takeCalls()).toEqual([]);
  });

  const isSent = authorization !== undefined && authorization !== '';

  test.each(licensePlateCalls)(
    isSent
      ? 'is rejected by $name with UNAUTHENTICATED before any REST call'
      : 'lets $name make its call without a token',
    async (call) => {
      const variables = { input: call.input };
      if (!isSent) gateway.injectFaults(call.success);
      const { data, errors } = await gateway.execute(call.document, { variables, ...header });
      const error = fieldError(call.document, [call.field], serviceErrorMessages.malformedToken, {
        code: 'UNAUTHENTICATED',
        outcome: 'NOT_APPLIED',
        retryable: false,
      });
      expect({ data, errors, calls: summariesOf(gateway.takeCalls()) }).toEqual(
        isSent
          ? { data: { [call.field]: null }, errors: [error], calls: [] }
          : {
              data: call.result,
              errors: undefined,
              calls: [restCall(call.method, call.path, { body: call.parameters, token: null })],
            },
      );
    },
  );
});

test('A malformed header is reported once for input that GraphQL cannot coerce, as for any other', async () => {
  const [call] = licensePlateCalls;
  if (call === undefined) throw new Error('Expected a call');
  const { data, errors = [] } = await gateway.execute(call.document, {
    variables: { input: 1 },
    token: null,
    headers: { authorization: 'Bearer a b' },
  });
  expect([data, errors.map(({ message, extensions }) => [message, extensions['code']])]).toEqual([
    undefined,
    [[serviceErrorMessages.malformedToken, 'UNAUTHENTICATED']],
  ]);
  expect(gateway.takeCalls()).toEqual([]);
});

test('A malformed header does not matter to fields that make no REST call', async () => {
  const options = { token: null, headers: { authorization: 'Basic c2VjcmV0OnNlY3JldA==' } };
  expect(await gateway.data('{ __typename }', options)).toEqual({ __typename: 'Query' });
});
