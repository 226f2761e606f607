import { useGateway } from '../support/gateway/gateway.js';
import {
  describeValidation,
  blankMessage,
  blankStrings,
  characterMessage,
  type Row,
} from '../support/graphql/validationTables.js';
const gateway = useGateway();

const REFERENCE = 'input.shipment.hauler.freightProviderReferenceNumber';
const XID = 'input.shipment.hauler.freightHaulerProviderXid';
const PLATE_REFERENCE = 'input.shipment.licensePlate.freightProviderReferenceNumber';
const PLATE = 'input.shipment.licensePlate.portalLicensePlate';
const CARRIER = 'input.carrier';
const TYPE = 'input.shipmentTrackingType';
const TARGET = 'input.target';

/** A `@oneOf` input whose member is blank. */
const blankMember = (parent: string, name: string): Row[] =>
  ['', ' '].map((text) => [parent, { [name]: text }, blankMessage(text), `${parent}.${name}`]);
const illFormedUnicode = (place: string): Row => [
  place,
  'a\ud800',
  characterMessage('lone surrogate U+D800 at position 2', 'a\ud800'),
];

const shared: Row[] = [
  ...[REFERENCE, XID, PLATE_REFERENCE, PLATE].flatMap(blankStrings),
  ...['mc', 'dot', 'scac'].flatMap((name) => blankMember(CARRIER, name)),
  ...[REFERENCE, XID, PLATE_REFERENCE, PLATE, `${CARRIER}.mc`].map(illFormedUnicode),
];
describeValidation(() => gateway, 'trackShipment', [
  ...shared,
  ...blankStrings(TYPE),
  illFormedUnicode(TYPE),
]);
describeValidation(() => gateway, 'deleteException', [
  ...shared,
  ...['exceptionGuid', 'exceptionFileGuid'].flatMap((name) => blankMember(TARGET, name)),
  illFormedUnicode(`${TARGET}.exceptionGuid`),
]);
