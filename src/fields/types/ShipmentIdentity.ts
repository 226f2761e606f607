import type { ShipmentIdentityResolvers } from '../../generated/resolvers.js';

export const ShipmentIdentity: ShipmentIdentityResolvers = {
  freightProviderReferenceNumber: (parameters) => parameters.FreightProviderReferenceNumber,
  freightHaulerProviderXid: (parameters) => parameters.FreightHaulerProviderXID ?? null,
  portalLicensePlate: (parameters) => parameters.PortalLicensePlate ?? null,
};
