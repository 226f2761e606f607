/** Tracking and exception operations on a shipment of the seed data, with the REST calls that they cause. */
import type { RestCall } from '../../../src/mock/mockService.js';
import { variableNames } from '../../../src/config/variables.js';
import type { shipmentWrites } from '../../../src/fields/shipments.js';
import { SHIPMENT } from './documents.js';
import { asVariables, entryOf, shipmentFields } from './rootFields.js';
import { settings } from '../service/settings.js';

/** The alternative identifiers of the shipment. */
const identities = [
  {
    name: 'hauler',
    input: { hauler: { freightProviderReferenceNumber: 'REF-1008', freightHaulerProviderXid: 'XID-2008' } },
    parameters: { FreightProviderReferenceNumber: 'REF-1008', FreightHaulerProviderXID: 'XID-2008' },
    payload: {
      freightProviderReferenceNumber: 'REF-1008',
      freightHaulerProviderXid: 'XID-2008',
      portalLicensePlate: null,
    },
  },
  {
    name: 'license plate',
    input: { licensePlate: { freightProviderReferenceNumber: 'REF-1008', portalLicensePlate: 'PLATE-3008' } },
    parameters: { FreightProviderReferenceNumber: 'REF-1008', PortalLicensePlate: 'PLATE-3008' },
    payload: {
      freightProviderReferenceNumber: 'REF-1008',
      freightHaulerProviderXid: null,
      portalLicensePlate: 'PLATE-3008',
    },
  },
] as const;

/** The alternative identifiers of its carrier. */
const carriers = [
  { name: 'MC number', input: { mc: '900004' }, parameters: { CarrierMC: '900004' } },
  { name: 'DOT number', input: { dot: '8000004' }, parameters: { CarrierDOT: '8000004' } },
  { name: 'SCAC', input: { scac: 'EXMD' }, parameters: { CarrierSCAC: 'EXMD' } },
] as const;

interface ShipmentOperation {
  name: string;
  /** What the input has next to shipment and carrier, and the parameters that it becomes. */
  input: object;
  parameters: Readonly<Record<string, string>>;
  /** What the payload has next to the shipment. */
  payload: Readonly<Record<string, unknown>>;
}

const tracking = { DriverPhoneNumber: '+13035550110', ShipmentTrackingType: 'Mobile' };
const ExceptionGuid = 'e0000000-0000-4000-8000-000000000801';
const ExceptionFileGuid = 'f0000000-0000-4000-8000-000000000840';

/** The operations of each field. */
const operations: Readonly<Record<keyof typeof shipmentWrites, readonly ShipmentOperation[]>> = {
  trackShipment: [
    {
      name: 'Tracking',
      input: { driverPhoneNumber: '(303) 555-0110', shipmentTrackingType: 'Mobile' },
      parameters: tracking,
      payload: { tracked: true },
    },
  ],
  deleteException: [
    {
      name: 'Deletion of an exception',
      input: { target: { exceptionGuid: ExceptionGuid } },
      parameters: { ExceptionGuid },
      payload: { deleted: true, exceptionGuid: ExceptionGuid, exceptionFileGuid: null, messages: [] },
    },
    {
      name: 'Deletion of an exception file',
      input: { target: { exceptionFileGuid: ExceptionFileGuid } },
      parameters: { ExceptionFileGuid },
      payload: { deleted: true, exceptionGuid: null, exceptionFileGuid: ExceptionFileGuid, messages: [] },
    },
  ],
};

/** The variables with which all of them send their parameters in the query string. */
export const parametersInQuery = Object.fromEntries(
  variableNames.filter((name) => name.endsWith('_PARAMETERS_IN')).map((name) => [name, 'query']),
);

/** Every combination of operation, shipment identifier and carrier identifier. */
export const shipmentCalls = shipmentFields.flatMap((field) => {
  const { method, path: template, pathVariable } = entryOf(field).operation;
  return operations[field as keyof typeof operations].flatMap(({ name, input, parameters, payload }) =>
    identities.flatMap((identity) =>
      carriers.map((carrier) => ({
        name: `${name} by ${identity.name} and ${carrier.name}`,
        field,
        document: asVariables(field, { input }, `{ ${Object.keys(payload).join(' ')} ${SHIPMENT} }`).query,
        method,
        path: template(settings),
        pathVariable,
        input: { ...input, shipment: identity.input, carrier: carrier.input },
        parameters: { ...parameters, ...identity.parameters, ...carrier.parameters },
        result: { [field]: { ...payload, shipment: identity.payload } },
        /** A REST response that confirms the change. */
        success: method === 'POST' ? { body: 'true' } : { status: 204 },
      })),
    ),
  );
});

/** One call of each operation that identifies the shipment by license plate. */
export const licensePlateCalls = shipmentCalls.filter(({ name }) => name.endsWith('license plate and SCAC'));

/** Moves the parameters of a REST call from its query string to its body, where the contract documents them. */
export function parametersInBody(call: RestCall): RestCall {
  if (!call.path.startsWith('/atlas/') || call.query === '') return call;
  return {
    ...call,
    query: '',
    headers: { ...call.headers, 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(new URLSearchParams(call.query))),
  };
}
