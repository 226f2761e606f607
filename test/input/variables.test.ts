import { describe, expect, test } from 'vitest';
import { executeAndRecord, rejectedRequest } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { asLiterals, validArguments } from '../support/graphql/rootFields.js';
const gateway = useGateway();
const { query: tracking } = asLiterals('trackShipment', validArguments('trackShipment'));

describe('an argument that becomes invalid only at run time is reported with its input path', () => {
  test('if null overrides a default value', async () => {
    const query = 'query ($guid: ID = "a") { notification(notificationGuid: $guid) { notificationGuid } }';
    const { data, errors, calls } = await executeAndRecord(gateway, { query, variables: { guid: null } });
    expect([data, calls]).toEqual([{ notification: null }, []]);
    expect(errors?.map(({ extensions }) => extensions)).toEqual([
      { code: 'BAD_USER_INPUT', inputPath: ['notificationGuid'], rule: 'REQUIRED', retryable: false },
    ]);
  });

  test('if the variable of a oneOf member is missing', async () => {
    const query = tracking.replace('"900001"', '$mc').replace('mutation', 'mutation ($mc: String)');
    const { errors, calls } = await executeAndRecord(gateway, { query });
    expect([errors?.map(({ extensions }) => extensions), calls]).toEqual([
      [
        {
          code: 'BAD_USER_INPUT',
          inputPath: ['input', 'carrier'],
          rule: 'ONE_OF',
          outcome: 'NOT_APPLIED',
          retryable: false,
        },
      ],
      [],
    ]);
  });
});

test.each(['constructor', 'toString'])('a variable called %s that is not sent is missing', async (name) => {
  const query = tracking
    .replace('"+13035550110"', `$${name}`)
    .replace('mutation', `mutation ($${name}: PhoneNumber!)`);
  expect(await executeAndRecord(gateway, { query })).toEqual(
    rejectedRequest('trackShipment', [
      [
        'input.driverPhoneNumber',
        'Field "driverPhoneNumber" of required type "PhoneNumber!" was not provided.',
      ],
    ]),
  );
  const read = `query ($${name}: ID!) { notification(notificationGuid: $${name}) { notificationGuid } }`;
  expect(await executeAndRecord(gateway, { query: read })).toEqual(
    rejectedRequest('notification', [
      ['notificationGuid', 'Expected non-nullable type "ID!" not to be null.'],
    ]),
  );
});
