/** Tracking and exception operations on a shipment of the seed data, with the REST calls that they cause. */
import type { RestCall } from '../../../src/mock/mockService.js';
import { DELETE_EXCEPTION, TRACK } from './documents.js';

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

/** The operations; `success` is a REST response that confirms the change. */
const operations = [
  {
    name: 'Tracking',
    document: TRACK,
    field: 'trackShipment',
    method: 'POST',
    path: '/atlas/frexapi/shipment/track/',
    input: { driverPhoneNumber: '(303) 555-0110', shipmentTrackingType: 'Mobile' },
    parameters: { DriverPhoneNumber: '+13035550110', ShipmentTrackingType: 'Mobile' },
    payload: { tracked: true },
    success: { body: 'true' },
  },
  {
    name: 'Deletion of an exception',
    document: DELETE_EXCEPTION,
    field: 'deleteException',
    method: 'DELETE',
    path: '/atlas/frexapi/shipment/exception',
    input: { target: { exceptionGuid: 'e0000000-0000-4000-8000-000000000801' } },
    parameters: { ExceptionGuid: 'e0000000-0000-4000-8000-000000000801' },
    payload: {
      deleted: true,
      exceptionGuid: 'e0000000-0000-4000-8000-000000000801',
      exceptionFileGuid: null,
      messages: [],
    },
    success: { status: 204 },
  },
  {
    name: 'Deletion of an exception file',
    document: DELETE_EXCEPTION,
    field: 'deleteException',
    method: 'DELETE',
    path: '/atlas/frexapi/shipment/exception',
    input: { target: { exceptionFileGuid: 'f0000000-0000-4000-8000-000000000840' } },
    parameters: { ExceptionFileGuid: 'f0000000-0000-4000-8000-000000000840' },
    payload: {
      deleted: true,
      exceptionGuid: null,
      exceptionFileGuid: 'f0000000-0000-4000-8000-000000000840',
      messages: [],
    },
    success: { status: 204 },
  },
] as const;

/** Every combination of operation, shipment identifier and carrier identifier. */
export const shipmentCalls = operations.flatMap(({ input, parameters, payload, ...operation }) =>
  identities.flatMap((identity) =>
    carriers.map((carrier) => ({
      ...operation,
      name: `${operation.name} by ${identity.name} and ${carrier.name}`,
      input: { ...input, shipment: identity.input, carrier: carrier.input },
      parameters: { ...parameters, ...identity.parameters, ...carrier.parameters },
      result: { [operation.field]: { ...payload, shipment: identity.payload } },
    })),
  ),
);

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
