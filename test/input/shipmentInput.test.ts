import { afterAll, beforeAll } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import {
  describeValidation,
  blankMessage,
  blankStrings,
  missing,
  notAnObject,
  notAString,
  notATextScalar,
  notExactlyOne,
  nullFor,
  unknownMember,
  type ValidationTable,
  type Row,
} from '../support/graphql/validationTables.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const SHIPMENT = 'input.shipment';
const HAULER = 'input.shipment.hauler';
const REFERENCE = 'input.shipment.hauler.freightProviderReferenceNumber';
const XID = 'input.shipment.hauler.freightHaulerProviderXid';
const PLATED = 'input.shipment.licensePlate';
const PLATED_REFERENCE = 'input.shipment.licensePlate.freightProviderReferenceNumber';
const PLATE = 'input.shipment.licensePlate.portalLicensePlate';
const CARRIER = 'input.carrier';
const PHONE = 'input.driverPhoneNumber';
const TYPE = 'input.shipmentTrackingType';
const TARGET = 'input.target';

const hauler = { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' };
const licensePlate = { freightProviderReferenceNumber: 'REF-1001', portalLicensePlate: 'PLATE-3001' };

/** The member of an input of which exactly one has to be given. */
const emptyMember = (parent: string, name: string): Row[] =>
  ['', ' '].map((text) => [parent, { [name]: text }, blankMessage(text), `${parent}.${name}`]);
const brokenUnicode = (place: string): Row => [
  place,
  'a\ud800',
  'expected well-formed Unicode, got "a\\ud800"',
];
const misfitOf = (type: string): Row[] => [
  ['input', undefined, nullFor(`${type}!`)],
  ['input', null, nullFor(`${type}!`)],
  ...notAnObject('input', type),
  unknownMember('input', type),
];
const nullMember = (parent: string, name: string): Row => [
  parent,
  { [name]: null },
  `Field "${name}" must be non-null.`,
  `${parent}.${name}`,
];

const ofBoth: ValidationTable = {
  rules: [
    ...[REFERENCE, XID, PLATED_REFERENCE, PLATE].flatMap(blankStrings),
    ...['mc', 'dot', 'scac'].flatMap((name) => emptyMember(CARRIER, name)),
  ],
  rulesOfVariables: [REFERENCE, XID, PLATED_REFERENCE, PLATE, `${CARRIER}.mc`].map(brokenUnicode),
  coercionErrors: [
    ...missing(SHIPMENT, 'ShipmentIdentityInput!'),
    ...notAnObject(SHIPMENT, 'ShipmentIdentityInput'),
    ...notExactlyOne(SHIPMENT, 'ShipmentIdentityInput', [
      {},
      { hauler, licensePlate },
      { hauler, licensePlate: null },
    ]),
    nullMember(SHIPMENT, 'hauler'),
    nullMember(SHIPMENT, 'licensePlate'),
    ...notAnObject(HAULER, 'HaulerShipmentInput'),
    unknownMember(HAULER, 'HaulerShipmentInput'),
    ...notAnObject(PLATED, 'LicensePlateShipmentInput'),
    unknownMember(PLATED, 'LicensePlateShipmentInput'),
    ...[REFERENCE, XID, PLATED_REFERENCE, PLATE].flatMap((place) => [
      ...missing(place, 'String!'),
      ...notAString(place),
    ]),
    ...missing(CARRIER, 'CarrierInput!'),
    ...notAnObject(CARRIER, 'CarrierInput'),
    ...notExactlyOne(CARRIER, 'CarrierInput', [
      {},
      { mc: '900001', dot: '8000001' },
      { mc: '900001', dot: '8000001', scac: 'EXMA' },
      { mc: '900001', scac: null },
    ]),
    ...['mc', 'dot', 'scac'].map((name) => nullMember(CARRIER, name)),
    ...notAString(`${CARRIER}.mc`),
  ],
};

describeValidation(() => gateway, 'trackShipment', {
  rules: [...ofBoth.rules, ...blankStrings(TYPE)],
  rulesOfVariables: [...ofBoth.rulesOfVariables, brokenUnicode(TYPE)],
  coercionErrors: [
    ...misfitOf('TrackShipmentInput'),
    ...ofBoth.coercionErrors,
    ...missing(PHONE, 'PhoneNumber!'),
    ...notATextScalar(PHONE, 'PhoneNumber'),
    ...missing(TYPE, 'String!'),
    ...notAString(TYPE),
  ],
});

describeValidation(() => gateway, 'deleteException', {
  rules: [
    ...ofBoth.rules,
    ...['exceptionGuid', 'exceptionFileGuid'].flatMap((name) => emptyMember(TARGET, name)),
  ],
  rulesOfVariables: [...ofBoth.rulesOfVariables, brokenUnicode(`${TARGET}.exceptionGuid`)],
  coercionErrors: [
    ...misfitOf('DeleteExceptionInput'),
    ...ofBoth.coercionErrors,
    ...missing(TARGET, 'ExceptionTargetInput!'),
    ...notAnObject(TARGET, 'ExceptionTargetInput'),
    ...notExactlyOne(TARGET, 'ExceptionTargetInput', [{}, { exceptionGuid: 'e', exceptionFileGuid: 'f' }]),
    ...['exceptionGuid', 'exceptionFileGuid'].map((name) => nullMember(TARGET, name)),
    ...[1.5, true, {}, ['e']].map((value): Row => [
      `${TARGET}.exceptionGuid`,
      value,
      `ID cannot represent value: ${JSON.stringify(value)}`,
    ]),
  ],
});
