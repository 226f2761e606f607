/**
 * What the hand-written peers share: the gateway's own schema, with scalars that accept every value, and resolvers for
 * `context.freight`, their client of the REST service.
 */
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../schema/', import.meta.url);
export const typeDefs = readdirSync(folder)
  .filter((file) => file.endsWith('.graphql'))
  .map((file) => readFileSync(new URL(file, folder), 'utf8'));

export const resolvers = {
  Query: {
    notification: (_, { notificationGuid }, { freight }) => readNotification(freight, notificationGuid),
    notificationsByGuid: (_, { notificationGuids }, { freight }) =>
      notificationGuids.map((guid) => readNotification(freight, guid)),
    notifications: async (_, _args, { freight }) => {
      const { data, ...rest } = await freight.get('/v1/customnotifications');
      return { notifications: data, ...rest };
    },
  },
  Mutation: {
    trackShipment: (_, { input }, { freight }) => track(freight, input),
    trackShipments: (_, { items }, { freight }) => ({
      results: items.map(({ input }) => track(freight, input)),
    }),
  },
  Notification: {
    recipient: (notification) => notification,
  },
  NotificationRecipient: {
    __resolveType: ({ notificationRecipientType }) =>
      notificationRecipientType === 'stopLevel' ? 'StopLevelRecipient' : 'ShipmentLevelRecipient',
  },
  ShipmentLevelRecipient: {
    smsList: ({ smsList }) => smsList.map((digits) => `+${digits}`),
  },
};

async function readNotification(freight, guid) {
  const { data } = await freight.get(`/v1/customnotifications/${encodeURIComponent(guid)}`);
  return data[0];
}

async function track(freight, { shipment, carrier, driverPhoneNumber, shipmentTrackingType }) {
  const { hauler, licensePlate } = shipment;
  const tracked = await freight.post('/atlas/frexapi/shipment/track/', {
    FreightProviderReferenceNumber: (hauler ?? licensePlate).freightProviderReferenceNumber,
    FreightHaulerProviderXID: hauler?.freightHaulerProviderXid,
    PortalLicensePlate: licensePlate?.portalLicensePlate,
    CarrierMC: carrier.mc,
    CarrierDOT: carrier.dot,
    CarrierSCAC: carrier.scac,
    DriverPhoneNumber: driverPhoneNumber,
    ShipmentTrackingType: shipmentTrackingType,
  });
  return { tracked };
}
