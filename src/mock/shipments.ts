/** The mock's shipments: their records and sample data, the store, and the handlers of the operations. */
import { readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from './errors.js';

/** Sets exactly one of hauler XID and license plate, and exactly one carrier identifier. */
export interface ShipmentParameters {
  FreightProviderReferenceNumber: string;
  FreightHaulerProviderXID?: string;
  PortalLicensePlate?: string;
  CarrierMC?: string;
  CarrierDOT?: string;
  CarrierSCAC?: string;
}

export interface Tracking {
  DriverPhoneNumber: string;
  ShipmentTrackingType: string;
}

/** Sets exactly one of the two. */
export interface ExceptionTarget {
  ExceptionGuid?: string;
  ExceptionFileGuid?: string;
}

export interface ShipmentException {
  ExceptionGuid: string;
  files: { ExceptionFileGuid: string }[];
}

/** Exceptions belong to the entire shipment or to one of its orders. */
export interface Shipment extends Required<ShipmentParameters> {
  tracking: Tracking | null;
  exceptions: ShipmentException[];
  orders: { orderNumber: string; exceptions: ShipmentException[] }[];
}

/** As many as a dispatcher tracks in a morning. */
const SHIPMENTS = 300;

/**
 * The sample data: the shipments of the file, and others that continue their numbers. Reads the file on every call: services must not
 * share records.
 */
export function readShipments(): Shipment[] {
  // The relative path is the same from src/mock/ and dist/mock/.
  const file = new URL('../../seeds/data/shipments.json', import.meta.url);
  const shipments = JSON.parse(readFileSync(file, 'utf8')) as Shipment[];
  const others = Array.from({ length: SHIPMENTS - shipments.length }, (_, index) => {
    const number = shipments.length + 1 + index;
    return shipmentOf(String(1000 + number), String(2000 + number), String(3000 + number), (number - 1) % 4);
  });
  // Shipments for the references whose calls fail although they are applied.
  const failing = ['0000', '4290'].map((number) => shipmentOf(number, number, number, 0));
  return [...shipments, ...others, ...failing];
}

/** A shipment without orders and exceptions. The carriers of the file take turns. */
function shipmentOf(reference: string, hauler: string, plate: string, carrier: number): Shipment {
  return {
    FreightProviderReferenceNumber: `REF-${reference}`,
    FreightHaulerProviderXID: `XID-${hauler}`,
    PortalLicensePlate: `PLATE-${plate}`,
    CarrierMC: String(900_001 + carrier),
    CarrierDOT: String(8_000_001 + carrier),
    CarrierSCAC: `EXM${'ABCD'.charAt(carrier)}`,
    tracking: null,
    exceptions: [],
    orders: [],
  };
}

const identifiers = [
  'FreightProviderReferenceNumber',
  'FreightHaulerProviderXID',
  'PortalLicensePlate',
  'CarrierMC',
  'CarrierDOT',
  'CarrierSCAC',
] as const;

/** The shipments with handlers keyed by the contract's operationIds. Bodies are already validated. */
export function createShipments() {
  let shipments = readShipments();
  /** The shipment that matches every given identifier. */
  const find = (parameters: ShipmentParameters) => {
    const found = shipments.find((shipment) =>
      identifiers.every((name) => parameters[name] === undefined || parameters[name] === shipment[name]),
    );
    if (found) return found;
    throw new HttpError(404, [{ message: 'There is no shipment with these identifiers.' }]);
  };

  const handlers = {
    trackShipment: ({ body }: FastifyRequest<{ Body: ShipmentParameters & Tracking }>) => {
      const { DriverPhoneNumber, ShipmentTrackingType } = body;
      find(body).tracking = { DriverPhoneNumber, ShipmentTrackingType };
      return true;
    },

    deleteException: (
      { body }: FastifyRequest<{ Body: ShipmentParameters & ExceptionTarget }>,
      reply: FastifyReply,
    ) => {
      const shipment = find(body);
      const owners = [shipment, ...shipment.orders];
      if (owners.map(({ exceptions }) => removeFrom(exceptions, body)).includes(true))
        return reply.code(204).send();
      throw new HttpError(404, [{ message: 'The shipment has no such exception or exception file.' }]);
    },
  };
  /** Restores the sample data. */
  const reset = () => {
    shipments = readShipments();
  };
  return { handlers, reset };
}

function removeFrom(exceptions: ShipmentException[], target: ExceptionTarget): boolean {
  const { ExceptionGuid, ExceptionFileGuid } = target;
  if (ExceptionGuid !== undefined) {
    return removeWhere(exceptions, (exception) => sameGuid(exception.ExceptionGuid, ExceptionGuid));
  }
  return exceptions
    .map(({ files }) => removeWhere(files, (file) => sameGuid(file.ExceptionFileGuid, ExceptionFileGuid)))
    .includes(true);
}

function removeWhere<Item>(items: Item[], matches: (item: Item) => boolean): boolean {
  const index = items.findIndex(matches);
  if (index !== -1) items.splice(index, 1);
  return index !== -1;
}

function sameGuid(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase();
}
