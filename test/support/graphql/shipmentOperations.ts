/** Tracking and exception operations on a shipment of the seed data, with the REST calls that they cause. */
import type { RestCall } from '../../../src/mock/mockService.js';
import { shipmentPaths } from '../../../src/freight/operations.js';
import {
  allValidArguments,
  asVariables,
  entryOf,
  failedPayloadOf,
  shipmentFields,
  successOf,
  type Arguments,
  type FieldName,
  type WriteField,
} from './rootFields.js';
import { settings } from '../service/settings.js';

/** The alternative identifiers of the shipment. */
const identities = [
  {
    name: 'hauler',
    input: { hauler: { freightProviderReferenceNumber: 'REF-1008', freightHaulerProviderXid: 'XID-2008' } },
    parameters: { FreightProviderReferenceNumber: 'REF-1008', FreightHaulerProviderXID: 'XID-2008' },
  },
  {
    name: 'license plate',
    input: { licensePlate: { freightProviderReferenceNumber: 'REF-1008', portalLicensePlate: 'PLATE-3008' } },
    parameters: { FreightProviderReferenceNumber: 'REF-1008', PortalLicensePlate: 'PLATE-3008' },
  },
] as const;

const NO_IDENTIFIERS = { freightHaulerProviderXid: null, portalLicensePlate: null };

/** The alternative identifiers of its carrier. */
const carriers = [
  { name: 'MC number', input: { mc: '900004' }, parameters: { CarrierMC: '900004' } },
  { name: 'DOT number', input: { dot: '8000004' }, parameters: { CarrierDOT: '8000004' } },
  { name: 'SCAC', input: { scac: 'EXMD' }, parameters: { CarrierSCAC: 'EXMD' } },
] as const;

const NO_CARRIER = { mc: null, dot: null, scac: null };

/** The variables with which all shipment calls have their parameters in the query string. */
export const parametersInQuery = Object.fromEntries(
  Object.entries(shipmentPaths).map(([call, path]) => [`${call}_PATH`, `${path}?`]),
);

/** Every combination of operation, shipment identifier and carrier identifier. */
export const shipmentCalls = shipmentFields.flatMap((field) => {
  const { method, path: template, pathVariable } = entryOf(field).operation;
  const { selection, payload } = failedPayloadOf(field as WriteField);
  return [...shapesOf(field)].flatMap(([names, { input, members }]) => {
    const parameters = Object.fromEntries(
      Object.entries(members).map(([name, value]) => [capitalized(name), value] as const),
    );
    // Texts come from the input, and are null if another shape has them.
    const texts = Object.keys(payload)
      .filter((name) => typeof payload[name] === 'string' || name in members)
      .map((name) => [name, members[name] ?? null] as const);
    const success = successOf(field).value('', '') as Arguments;
    const result: Arguments = { ...payload, ...Object.fromEntries(texts), ...success };
    return identities.flatMap((identity) =>
      carriers.map((carrier) => ({
        name: `${field} with ${names} by ${identity.name} and ${carrier.name}`,
        field,
        document: asVariables(field, { input }, `{ ${selection} }`).query,
        method,
        path: template(settings),
        pathVariable,
        input: { ...spelledOut(input), shipment: identity.input, carrier: carrier.input },
        parameters: { ...parameters, ...identity.parameters, ...carrier.parameters },
        result: {
          [field]: {
            ...result,
            shipment: { ...NO_IDENTIFIERS, ...Object.values<object>(identity.input)[0] },
            carrier: { ...NO_CARRIER, ...carrier.input },
          },
        },
        /** A REST response that confirms the change. */
        success: method === 'POST' ? { body: 'true' } : { status: 204 },
      })),
    );
  });
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

/** What the inputs of a field have next to shipment and carrier, once for all shapes with the same members, which may be in an object. */
function shapesOf(field: FieldName) {
  const shapes = allValidArguments(field).map(({ input }) => {
    const others = Object.entries(input as Record<string, string | Record<string, string>>).filter(
      ([name]) => name !== 'shipment' && name !== 'carrier',
    );
    const members = others.flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : Object.entries(value),
    );
    const names = members.map(([name]) => name).join(' and ');
    return [names, { input: Object.fromEntries(others), members: Object.fromEntries(members) }] as const;
  });
  return new Map(shapes);
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** An input with phone numbers as people write them. */
function spelledOut(input: object): object {
  const text = JSON.stringify(input).replace(/"\+1(...)(...)(....)"/g, '"($1) $2-$3"');
  return JSON.parse(text) as object;
}
