import { describe, expect, test } from 'vitest';
import { serviceErrorMessages } from '../support/graphql/fieldError.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import {
  asVariables,
  fieldNames,
  isMutation,
  methodOf,
  validArguments,
  entryOf,
  type FieldName,
} from '../support/graphql/rootFields.js';

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
  const isSent = authorization !== undefined && authorization !== '';
  const needsNone = (field: FieldName) => entryOf(field).operation.token === 'optional';

  test.each(fieldNames.filter((field) => isSent || !needsNone(field)))(
    'is rejected by %s with UNAUTHENTICATED before any REST call',
    async (field) => {
      const isList = field === 'notificationsByGuid';
      const operation = asVariables(
        field,
        isList ? { notificationGuids: ['a', 'b'] } : validArguments(field),
      );
      const paths = isList ? [0, 1].map((index) => [field, index]) : [[field]];
      expect(await executeAndRecord(gateway, operation, header)).toEqual({
        status: 200,
        data: { [field]: isList ? [null, null] : null },
        errors: paths.map((path) => ({
          message:
            serviceErrorMessages[needsNone(field) ? 'malformedToken' : isSent ? 'requiredToken' : 'noToken'],
          path,
          extensions: {
            code: 'UNAUTHENTICATED',
            ...(isMutation(field) && { outcome: 'NOT_APPLIED' }),
            retryable: false,
          },
        })),
        calls: [],
      });
    },
  );

  test.each(isSent ? [] : fieldNames.filter(needsNone))(
    'lets %s make its call without a token',
    async (field) => {
      gateway.injectFaults(methodOf(field) === 'POST' ? { body: 'true' } : { status: 204 });
      const { errors } = await gateway.execute(asVariables(field, validArguments(field)), header);
      const sent = gateway.takeCalls().map(({ method, headers }) => [method, headers.authorization]);
      expect([errors, sent]).toEqual([undefined, [[methodOf(field), undefined]]]);
    },
  );
});

test('A malformed header does not matter to fields that make no REST call', async () => {
  const options = { token: null, headers: { authorization: 'Basic c2VjcmV0OnNlY3JldA==' } };
  expect(await gateway.data('{ __typename }', options)).toEqual({ __typename: 'Query' });
});
