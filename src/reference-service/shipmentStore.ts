import type { ExceptionTarget, Shipment, ShipmentException, ShipmentParameters, Tracking } from './types.js';

export interface ShipmentStore {
  /** The shipment that matches every given identifier. */
  find(parameters: ShipmentParameters): Shipment | undefined;
  track(shipment: Shipment, tracking: Tracking): void;
  /** Searches the entire shipment and its orders; returns false if nothing matches. */
  removeException(shipment: Shipment, target: ExceptionTarget): boolean;
  /** Replaces all shipments. */
  reset(shipments: Shipment[]): void;
}

const identifiers = [
  'FreightProviderReferenceNumber',
  'FreightHaulerProviderXID',
  'PortalLicensePlate',
  'CarrierMC',
  'CarrierDOT',
  'CarrierSCAC',
] as const;

export function createShipmentStore(options: { shipments: Shipment[] }): ShipmentStore {
  let { shipments } = options;
  return {
    find: (parameters) =>
      shipments.find((shipment) =>
        identifiers.every((name) => parameters[name] === undefined || parameters[name] === shipment[name]),
      ),
    track: (shipment, tracking) => {
      shipment.tracking = tracking;
    },
    reset: (replacements) => {
      shipments = replacements;
    },
    removeException: (shipment, target) =>
      [shipment, ...shipment.orders].map((owner) => removeFrom(owner.exceptions, target)).includes(true),
  };
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
