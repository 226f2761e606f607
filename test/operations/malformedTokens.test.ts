import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, DELETE, LIST, READ, READ_SEVERAL, UPDATE } from '../support/graphql/documents.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
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
  { field: 'notifications', document: LIST, variables: {}, isMutation: false, data: null },
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

const malformed: [string, string | undefined][] = [
  ['none at all', undefined],
  ['nothing in it', ''],
  ['no token', 'Bearer'],
  ['another scheme', 'Basic c2VjcmV0OnNlY3JldA=='],
  ['a scheme that begins alike', 'BearerX secret'],
  ['no scheme', 'secret'],
  ['no space', 'Bearersecret'],
  ['a tab', 'Bearer\tsecret'],
  ['a space within', 'Bearer sec ret'],
  ['two tokens', 'Bearer secret, Bearer other'],
  ['quotes', 'Bearer "secret"'],
  ['a comma', 'Bearer sec,ret'],
  ['a colon', 'Bearer sec:ret'],
  ['a percent sign', 'Bearer sec%20ret'],
  ['padding within', 'Bearer sec=ret'],
  ['padding alone', 'Bearer =='],
  ['Latin-1 letters', 'Bearer s\u00e9cret'],
  ['a no-break space', 'Bearer sec\u00a0ret'],
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe.each(malformed)('An Authorization header with %s', (_name, authorization) => {
  const header = { token: null, ...(authorization !== undefined && { headers: { authorization } }) };

  test.each(notificationOperations)(
    'makes $field UNAUTHENTICATED, with no call',
    async ({ field, document, variables, isMutation, data }) => {
      const answer = await gateway.execute(document, { variables, ...header });
      expect({ data: answer.data, errors: answer.errors }).toEqual({
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

  test('makes each of notificationsByGuid UNAUTHENTICATED, with no call', async () => {
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

  test.each(licensePlateCalls)('goes no further, and the call is made without it: $name', async (call) => {
    gateway.injectFaults(call.success);
    const variables = { input: call.input };
    expect(await gateway.data(call.document, { variables, ...header })).toEqual(call.result);
    const calls = gateway.takeCalls();
    expect(summariesOf(calls)).toEqual([
      restCall(call.method, call.path, { body: call.parameters, token: null }),
    ]);
    expect(JSON.stringify(calls)).not.toMatch(/sec|cret|c2Vj/);
  });
});
