import { describe, expect, test } from 'vitest';
import {
  executeAndRecord,
  badInput,
  rejectedField,
  rejectedRequest,
  type InputErrors,
} from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { blankMessage, nullFor } from '../support/graphql/validationTables.js';
import { SEED_GUID, validArguments, asLiterals, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const EMAILS = 'input.recipient.shipmentLevel.emailList';
const PHONES = 'input.recipient.shipmentLevel.smsList';
const notAnEmail = (text: string) => `expected an email address, got "${text}"`;
const notAPhoneNumber = (text: string) =>
  `expected a phone number in E.164 format, or a US number, got "${text}"`;
const dotSegment = 'expected an identifier that is not a dot segment, got ".."';
const slashInGuid = 'expected an identifier without slashes, got "a/b"';
const fieldErrors = (...args: Parameters<typeof rejectedField>) => rejectedField(...args).errors ?? [];
const requestErrors = (...args: Parameters<typeof rejectedRequest>) => rejectedRequest(...args).errors ?? [];
const reservedName = 'expected a name that is not reserved for a documented or fixed parameter';

describe('one response lists every validation error', () => {
  const update = {
    notificationGuid: 'a/b',
    input: {
      notificationName: ' ',
      recipient: { shipmentLevel: { emailList: ['dock', 'dock@example.com', 'yard'], smsList: ['1'] } },
      trigger: { other: { notificationTypeLabel: '', notificationTypes: ['Storm', '', ' '] } },
    },
  };
  const deletion = {
    input: {
      shipment: { licensePlate: { freightProviderReferenceNumber: '', portalLicensePlate: ' ' } },
      carrier: { dot: '' },
      target: { exceptionFileGuid: ' ' },
      additionalParameters: { carrierDot: 1, fits: 2, Constructor: 3 },
    },
  };

  test.each([
    ['variables', asVariables],
    ['literals', asLiterals],
  ])('in %s', async (_form, toOperation) => {
    expect(await executeAndRecord(gateway, toOperation('updateNotification', update))).toEqual(
      rejectedField('updateNotification', [
        ['notificationGuid', slashInGuid],
        ['input.notificationName', blankMessage(' ')],
        [`${EMAILS}[0]`, notAnEmail('dock')],
        [`${EMAILS}[2]`, notAnEmail('yard')],
        [`${PHONES}[0]`, notAPhoneNumber('1')],
        ['input.trigger.other.notificationTypeLabel', blankMessage('')],
        ['input.trigger.other.notificationTypes[1]', blankMessage('')],
        ['input.trigger.other.notificationTypes[2]', blankMessage(' ')],
      ]),
    );
    expect(await executeAndRecord(gateway, toOperation('deleteException', deletion))).toEqual(
      rejectedField('deleteException', [
        ['input.shipment.licensePlate.freightProviderReferenceNumber', blankMessage('')],
        ['input.shipment.licensePlate.portalLicensePlate', blankMessage(' ')],
        ['input.carrier.dot', blankMessage('')],
        ['input.target.exceptionFileGuid', blankMessage(' ')],
        ['input.additionalParameters.carrierDot', reservedName],
        ['input.additionalParameters.Constructor', reservedName],
      ]),
    );
  });

  test('in a list of identifiers', async () => {
    const operation = asLiterals('notificationsByGuid', { notificationGuids: ['..', SEED_GUID, 'a/b'] });
    expect(await executeAndRecord(gateway, operation)).toEqual(
      rejectedField('notificationsByGuid', [
        ['notificationGuids[0]', dotSegment],
        ['notificationGuids[2]', slashInGuid],
      ]),
    );
  });

  test('in variables, including those of the wrong type', async () => {
    const operation = asVariables('updateNotification', {
      notificationGuid: 'a/b',
      input: {
        notificationName: '',
        recipient: { shipmentLevel: { emailList: ['dock', 5, null], smsList: [{}, '1'] } },
        trigger: { shipmentStatusChange: ['LOST', 'DELIVERED'] },
        filters: [null],
      },
    });
    expect(await executeAndRecord(gateway, operation)).toEqual(
      rejectedRequest('updateNotification', [
        [`${EMAILS}[1]`, 'Expected a string, got 5'],
        [`${EMAILS}[2]`, nullFor('EmailAddress!')],
        [`${PHONES}[0]`, 'Expected a string, got {}'],
        ['input.trigger.shipmentStatusChange[0]', 'Value "LOST" does not exist in "ShipmentStatus" enum.'],
        ['input.filters[0]', nullFor('JSON!')],
        ['notificationGuid', slashInGuid],
        ['input.notificationName', blankMessage('')],
        [`${EMAILS}[0]`, notAnEmail('dock')],
        [`${PHONES}[1]`, notAPhoneNumber('1')],
      ]),
    );
  });

  test.each<[what: string, overrides: object, name: string, message: string]>([
    [
      'omitted',
      { trigger: undefined },
      'trigger',
      'Field "trigger" of required type "NotificationTriggerInput!" was not provided.',
    ],
    ['unknown', { color: 'red' }, 'color', 'Field "color" is not defined by type "NotificationInput".'],
  ])('in an input with an %s field', async (_what, overrides, name, message) => {
    const recipient = { shipmentLevel: { emailList: ['dock'], smsList: [] } };
    const valid = validArguments('createNotification')['input'] as object;
    const operation = asVariables('createNotification', {
      input: { ...valid, notificationName: '', recipient, ...overrides },
    });
    expect(await executeAndRecord(gateway, operation)).toEqual(
      rejectedRequest('createNotification', [
        [`input.${name}`, message],
        ['input.notificationName', blankMessage('')],
        [`${EMAILS}[0]`, notAnEmail('dock')],
      ]),
    );
  });

  test('in literals and in the variables nested in them', async () => {
    const query = `
      mutation ($mc: String!, $email: EmailAddress!, $status: ShipmentStatus!) {
        trackShipment(
          input: {
            shipment: { hauler: { freightProviderReferenceNumber: "", freightHaulerProviderXid: "XID-2001" } }
            carrier: { mc: $mc }
            driverPhoneNumber: "1"
            shipmentTrackingType: "Mobile"
          }
        ) {
          tracked
        }
        createNotification(
          input: {
            notificationName: ""
            recipient: { shipmentLevel: { emailList: [$email], smsList: [] } }
            trigger: { shipmentStatusChange: [$status] }
          }
        ) {
          messages
        }
      }
    `;
    const run = (status: string) =>
      executeAndRecord(gateway, { query, variables: { mc: ' ', email: 'dock', status } });
    const ofTracking: InputErrors = [
      ['input.shipment.hauler.freightProviderReferenceNumber', blankMessage('')],
      ['input.carrier.mc', blankMessage(' ')],
      ['input.driverPhoneNumber', notAPhoneNumber('1')],
    ];
    const ofCreation: InputErrors = [
      ['input.notificationName', blankMessage('')],
      [`${EMAILS}[0]`, notAnEmail('dock')],
    ];
    expect(await run('LOST')).toEqual({
      ...rejectedRequest('createNotification', []),
      errors: [
        ...requestErrors('trackShipment', ofTracking),
        ...requestErrors('createNotification', [
          ['input.trigger.shipmentStatusChange[0]', 'Value "LOST" does not exist in "ShipmentStatus" enum.'],
          ...ofCreation,
        ]),
      ],
    });
    expect(await run('DELIVERED')).toEqual({
      status: 200,
      data: { trackShipment: null, createNotification: null },
      errors: [...fieldErrors('trackShipment', ofTracking), ...fieldErrors('createNotification', ofCreation)],
      calls: [],
    });
  });
});

describe('an error that ends the request names the root field of the invalid variable', () => {
  const input = validArguments('createNotification')['input'] as object;
  const invalid = { ...input, notificationName: 5 };
  const message = 'String cannot represent a non string value: 5';
  const errorOf = (field: string) => ({
    message,
    extensions: {
      code: 'BAD_USER_INPUT',
      field,
      inputPath: ['input', 'notificationName'],
      rule: 'TYPE',
      outcome: 'NOT_APPLIED',
      retryable: false,
    },
  });

  test('if two aliased fields have a variable each', async () => {
    const query = `
      mutation ($one: NotificationInput!, $two: NotificationInput!) {
        one: createNotification(input: $one) { messages }
        two: createNotification(input: $two) { messages }
      }
    `;
    const variables = { one: input, two: invalid };
    expect((await executeAndRecord(gateway, { query, variables })).errors).toEqual([errorOf('two')]);
  });

  test('once for each field that uses it', async () => {
    const query = `
      mutation ($input: NotificationInput!) {
        ...Both
        three: deleteNotification(notificationGuid: "${SEED_GUID}") { messages }
      }
      fragment Both on Mutation {
        one: createNotification(input: $input) { messages }
        two: createNotification(input: $input) { messages }
      }
    `;
    expect(await executeAndRecord(gateway, { query, variables: { input: invalid } })).toEqual({
      status: 422,
      data: undefined,
      errors: [errorOf('one'), errorOf('two')],
      calls: [],
    });
  });

  test('if the variable is stricter than the argument, or decides a condition below the field', async () => {
    const query = `
      query ($parameters: JSONObject!, $brief: Boolean!, $unused: Boolean = true) {
        first: notifications { messages @skip(if: $brief) }
        second: notifications(additionalParameters: $parameters) { messages }
        third: notifications @skip(if: $unused) { messages }
      }
    `;
    const { errors } = await executeAndRecord(gateway, { query, variables: { brief: 'no', unused: true } });
    expect(errors?.map(({ extensions: { field, inputPath } }) => [field, inputPath])).toEqual([
      ['second', ['$parameters']],
      ['first', ['$brief']],
    ]);
  });
});

test('a mutation field with invalid input does not affect the next one', async () => {
  const query = `
    mutation {
      invalid: deleteNotification(notificationGuid: "..") { messages }
      valid: deleteNotification(notificationGuid: "${SEED_GUID}") { notificationGuid messages }
    }
  `;
  expect(await executeAndRecord(gateway, { query })).toEqual({
    status: 200,
    data: { invalid: null, valid: { notificationGuid: SEED_GUID, messages: [] } },
    errors: [badInput('deleteNotification', 'notificationGuid', dotSegment, { path: ['invalid'] })],
    calls: [`DELETE /v1/customnotifications/${SEED_GUID}`],
  });
});
