import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  executeAndRecord,
  badInput,
  refusedField,
  refusedRequest,
} from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { blankMessage, nullFor } from '../support/graphql/validationTables.js';
import { SEED_GUID, validArguments, asLiterals, asVariables } from '../support/graphql/rootFields.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const EMAILS = 'input.recipient.shipmentLevel.emailList';
const PHONES = 'input.recipient.shipmentLevel.smsList';
const noEmail = (text: string) => `expected an e-mail address, got "${text}"`;
const noPhone = (text: string) => `expected a phone number in E.164 format, or a US number, got "${text}"`;
const noGuid = 'expected an identifier without slashes or control characters, got "a/b"';
const fieldErrors = (...refusal: Parameters<typeof refusedField>) => refusedField(...refusal).errors ?? [];
const taken = 'expected a name that no documented or fixed parameter has';

describe('one answer names every broken rule', () => {
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
  ])('of %s', async (_means, through) => {
    expect(await executeAndRecord(gateway, through('updateNotification', update))).toEqual(
      refusedField('updateNotification', [
        ['notificationGuid', noGuid],
        ['input.notificationName', blankMessage(' ')],
        [`${EMAILS}[0]`, noEmail('dock')],
        [`${EMAILS}[2]`, noEmail('yard')],
        [`${PHONES}[0]`, noPhone('1')],
        ['input.trigger.other.notificationTypeLabel', blankMessage('')],
        ['input.trigger.other.notificationTypes[1]', blankMessage('')],
        ['input.trigger.other.notificationTypes[2]', blankMessage(' ')],
      ]),
    );
    expect(await executeAndRecord(gateway, through('deleteException', deletion))).toEqual(
      refusedField('deleteException', [
        ['input.shipment.licensePlate.freightProviderReferenceNumber', blankMessage('')],
        ['input.shipment.licensePlate.portalLicensePlate', blankMessage(' ')],
        ['input.carrier.dot', blankMessage('')],
        ['input.target.exceptionFileGuid', blankMessage(' ')],
        ['input.additionalParameters.carrierDot', taken],
        ['input.additionalParameters.Constructor', taken],
      ]),
    );
  });

  test('of a list of identifiers', async () => {
    const operation = asLiterals('notificationsByGuid', { notificationGuids: ['..', SEED_GUID, 'a/b'] });
    expect(await executeAndRecord(gateway, operation)).toEqual(
      refusedField('notificationsByGuid', [
        ['notificationGuids[0]', 'expected an identifier that is not a dot segment, got ".."'],
        ['notificationGuids[2]', noGuid],
      ]),
    );
  });

  test('of variables, where some do not even fit their types', async () => {
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
      refusedRequest('updateNotification', [
        [`${EMAILS}[1]`, 'EmailAddress expected a string, got 5'],
        [`${EMAILS}[2]`, nullFor('EmailAddress!')],
        [`${PHONES}[0]`, 'PhoneNumber expected a string, got {}'],
        ['input.trigger.shipmentStatusChange[0]', 'Value "LOST" does not exist in "ShipmentStatus" enum.'],
        ['input.filters[0]', nullFor('JSON!')],
        ['notificationGuid', noGuid],
        ['input.notificationName', blankMessage('')],
        [`${EMAILS}[0]`, noEmail('dock')],
        [`${PHONES}[1]`, noPhone('1')],
      ]),
    );
  });

  test.each<[means: string, change: object, message: string]>([
    [
      'missing',
      { trigger: undefined },
      'Field "trigger" of required type "NotificationTriggerInput!" was not provided.',
    ],
    ['unknown', { colour: 'red' }, 'Field "colour" is not defined by type "NotificationInput".'],
  ])('of an input, where a field is %s', async (_what, change, message) => {
    const recipient = { shipmentLevel: { emailList: ['dock'], smsList: [] } };
    const sound = validArguments('createNotification')['input'] as object;
    const operation = asVariables('createNotification', {
      input: { ...sound, notificationName: '', recipient, ...change },
    });
    expect(await executeAndRecord(gateway, operation)).toEqual(
      refusedRequest('createNotification', [
        ['input', message],
        ['input.notificationName', blankMessage('')],
        [`${EMAILS}[0]`, noEmail('dock')],
      ]),
    );
  });

  test('of variables within literals, and of the literals around them', async () => {
    const query =
      'mutation ($mc: String!, $email: EmailAddress!, $status: ShipmentStatus!) { trackShipment(input: { shipment: { hauler: { freightProviderReferenceNumber: "", freightHaulerProviderXid: "XID-2001" } }, carrier: { mc: $mc }, driverPhoneNumber: "1", shipmentTrackingType: "Mobile" }) { tracked } createNotification(input: { notificationName: "", recipient: { shipmentLevel: { emailList: [$email], smsList: [] } }, trigger: { shipmentStatusChange: [$status] } }) { messages } }';
    expect(
      await executeAndRecord(gateway, { query, variables: { mc: ' ', email: 'dock', status: 'LOST' } }),
    ).toEqual(
      refusedRequest('createNotification', [
        ['input.shipment.hauler.freightProviderReferenceNumber', blankMessage('')],
        ['input.carrier.mc', blankMessage(' ')],
        ['input.driverPhoneNumber', noPhone('1')],
        ['input.trigger.shipmentStatusChange[0]', 'Value "LOST" does not exist in "ShipmentStatus" enum.'],
        ['input.notificationName', blankMessage('')],
        [`${EMAILS}[0]`, noEmail('dock')],
      ]),
    );
    expect(
      await executeAndRecord(gateway, { query, variables: { mc: ' ', email: 'dock', status: 'DELIVERED' } }),
    ).toEqual({
      status: 200,
      data: { trackShipment: null, createNotification: null },
      errors: [
        ...fieldErrors('trackShipment', [
          ['input.shipment.hauler.freightProviderReferenceNumber', blankMessage('')],
          ['input.carrier.mc', blankMessage(' ')],
          ['input.driverPhoneNumber', noPhone('1')],
        ]),
        ...fieldErrors('createNotification', [
          ['input.notificationName', blankMessage('')],
          [`${EMAILS}[0]`, noEmail('dock')],
        ]),
      ],
      calls: [],
    });
  });
});

test('a mutation with bad input leaves the result of the next one standing', async () => {
  const query = `mutation { bad: deleteNotification(notificationGuid: "..") { messages } good: deleteNotification(notificationGuid: "${SEED_GUID}") { notificationGuid messages } }`;
  expect(await executeAndRecord(gateway, { query })).toEqual({
    status: 200,
    data: { bad: null, good: { notificationGuid: SEED_GUID, messages: [] } },
    errors: [
      badInput(
        'deleteNotification',
        'notificationGuid',
        'expected an identifier that is not a dot segment, got ".."',
        {
          path: ['bad'],
        },
      ),
    ],
    calls: [`DELETE /v1/customnotifications/${SEED_GUID}`],
  });
});
