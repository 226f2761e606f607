import { describe, expect, test } from 'vitest';
import {
  executeAndRecord,
  badInput,
  rejectedField,
  rejectedRequest,
} from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { blankMessage, nullFor } from '../support/graphql/validationTables.js';
import { SEED_GUID, asLiterals, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const EMAILS = 'input.recipient.shipmentLevel.emailList';
const PHONES = 'input.recipient.shipmentLevel.smsList';
const notAnEmail = (text: string) => `expected an email address, got "${text}"`;
const notAPhoneNumber = (text: string) =>
  `expected a phone number in E.164 format, or a US number, got "${text}"`;
const slashInGuid = 'expected an identifier without slashes, got "a/b"';
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
        ['notificationGuids[0]', 'expected an identifier that is not a dot segment, got ".."'],
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
        [`${EMAILS}[1]`, 'EmailAddress expected a string, got 5'],
        [`${EMAILS}[2]`, nullFor('EmailAddress!')],
        [`${PHONES}[0]`, 'PhoneNumber expected a string, got {}'],
        ['input.trigger.shipmentStatusChange[0]', 'Value "LOST" does not exist in "ShipmentStatus" enum.'],
        ['input.filters[0]', nullFor('JSON!')],
        ['notificationGuid', slashInGuid],
        ['input.notificationName', blankMessage('')],
        [`${EMAILS}[0]`, notAnEmail('dock')],
        [`${PHONES}[1]`, notAPhoneNumber('1')],
      ]),
    );
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
    errors: [
      badInput(
        'deleteNotification',
        'notificationGuid',
        'expected an identifier that is not a dot segment, got ".."',
        {
          path: ['invalid'],
        },
      ),
    ],
    calls: [`DELETE /v1/customnotifications/${SEED_GUID}`],
  });
});
