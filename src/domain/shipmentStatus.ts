/** Shipment statuses: values of the GraphQL enum, each with the service's subtype for it. */

const subtypes = {
  EN_ROUTE: 'ShipmentStatusEnRoute',
  AT_SHIPPER: 'ShipmentStatusAtShipper',
  IN_TRANSIT: 'ShipmentStatusInTransit',
  AT_CONSIGNEE: 'ShipmentStatusAtConsignee',
  DELIVERED: 'ShipmentStatusDelivered',
} as const;

/** Values of the GraphQL enum `ShipmentStatus`; a test compares them with the SDL and the generated type. */
export type ShipmentStatus = keyof typeof subtypes;

export const shipmentStatuses = Object.keys(subtypes) as readonly ShipmentStatus[];

const statuses = new Map<string, ShipmentStatus>(
  shipmentStatuses.map((status) => [subtypes[status], status]),
);

export function toServiceSubtype(status: ShipmentStatus): string {
  return subtypes[status];
}

/** The status for a subtype of the service; undefined if the enum has none. */
export function toShipmentStatus(subtype: string): ShipmentStatus | undefined {
  return statuses.get(subtype);
}
