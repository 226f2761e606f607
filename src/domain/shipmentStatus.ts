/** Shipment statuses at both ends of the gateway: the schema's enum, and the service's sub-types. */
import type { ShipmentStatus } from '../generated/resolvers.js';

const subtypes: Readonly<Record<ShipmentStatus, string>> = {
  EN_ROUTE: 'ShipmentStatusEnRoute',
  AT_SHIPPER: 'ShipmentStatusAtShipper',
  IN_TRANSIT: 'ShipmentStatusInTransit',
  AT_CONSIGNEE: 'ShipmentStatusAtConsignee',
  DELIVERED: 'ShipmentStatusDelivered',
};

const statuses = new Map(
  Object.entries(subtypes).map(([status, subtype]) => [subtype, status as ShipmentStatus]),
);

/** The service's sub-type for a status. */
export function toServiceSubtype(status: ShipmentStatus): string {
  return subtypes[status];
}

/** The status that a sub-type of the service stands for; none for one that the schema does not know. */
export function toShipmentStatus(subtype: string): ShipmentStatus | undefined {
  return statuses.get(subtype);
}
