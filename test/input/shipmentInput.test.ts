import { useGateway } from '../support/gateway/gateway.js';
import {
  describeValidation,
  blankMessage,
  blankStrings,
  characterMessage,
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
const gateway = useGateway();

const SHIPMENT = 'input.shipment';
const HAULER = 'input.shipment.hauler';
const REFERENCE = 'input.shipment.hauler.freightProviderReferenceNumber';
const XID = 'input.shipment.hauler.freightHaulerProviderXid';
const BY_PLATE = 'input.shipment.licensePlate';
const PLATE_REFERENCE = 'input.shipment.licensePlate.freightProviderReferenceNumber';
const PLATE = 'input.shipment.licensePlate.portalLicensePlate';
const CARRIER = 'input.carrier';
const PHONE = 'input.driverPhoneNumber';
const TYPE = 'input.shipmentTrackingType';
const TARGET = 'input.target';

const hauler = { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' };
const licensePlate = { freightProviderReferenceNumber: 'REF-1001', portalLicensePlate: 'PLATE-3001' };

/** A `@oneOf` input whose member is blank. */
const blankMember = (parent: string, name: string): Row[] =>
  ['', ' '].map((text) => [parent, { [name]: text }, blankMessage(text), `${parent}.${name}`]);
const illFormedUnicode = (place: string): Row => [
  place,
  'a\ud800',
  characterMessage('lone surrogate U+D800 at position 2', 'a\ud800'),
];
const coercionErrorsOf = (type: string): Row[] => [
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

const shared = {
  rules: [
    ...[REFERENCE, XID, PLATE_REFERENCE, PLATE].flatMap(blankStrings),
    ...['mc', 'dot', 'scac'].flatMap((name) => blankMember(CARRIER, name)),
    ...[REFERENCE, XID, PLATE_REFERENCE, PLATE, `${CARRIER}.mc`].map(illFormedUnicode),
  ],
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
    ...notAnObject(BY_PLATE, 'LicensePlateShipmentInput'),
    unknownMember(BY_PLATE, 'LicensePlateShipmentInput'),
    ...[REFERENCE, XID, PLATE_REFERENCE, PLATE].flatMap((place) => [
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
} satisfies ValidationTable;

describeValidation(() => gateway, 'trackShipment', {
  rules: [...shared.rules, ...blankStrings(TYPE), illFormedUnicode(TYPE)],
  coercionErrors: [
    ...coercionErrorsOf('TrackShipmentInput'),
    ...shared.coercionErrors,
    ...missing(PHONE, 'PhoneNumber!'),
    ...notATextScalar(PHONE, 'PhoneNumber'),
    ...missing(TYPE, 'String!'),
    ...notAString(TYPE),
  ],
});

describeValidation(() => gateway, 'deleteException', {
  rules: [
    ...shared.rules,
    ...['exceptionGuid', 'exceptionFileGuid'].flatMap((name) => blankMember(TARGET, name)),
    illFormedUnicode(`${TARGET}.exceptionGuid`),
  ],
  coercionErrors: [
    ...coercionErrorsOf('DeleteExceptionInput'),
    ...shared.coercionErrors,
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
