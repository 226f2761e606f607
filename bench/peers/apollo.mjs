/**
 * A hand-written gateway as in Apollo's documentation: the standalone server with a RESTDataSource per request. Uses
 * the gateway's own schema, with scalars that accept every value.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

class FreightAPI extends RESTDataSource {
  baseURL = process.env.UPSTREAM_URL;

  constructor({ token, cache }) {
    super({ cache });
    this.token = token;
  }

  willSendRequest(_path, request) {
    if (this.token) request.headers.authorization = this.token;
  }

  async notification(guid) {
    const { data } = await this.get(`v1/customnotifications/${encodeURIComponent(guid)}`);
    return data[0];
  }

  notifications() {
    return this.get('v1/customnotifications');
  }

  trackShipment({ shipment, carrier, driverPhoneNumber, shipmentTrackingType }) {
    const { hauler, licensePlate } = shipment;
    return this.post('atlas/frexapi/shipment/track/', {
      body: {
        FreightProviderReferenceNumber: (hauler ?? licensePlate).freightProviderReferenceNumber,
        FreightHaulerProviderXID: hauler?.freightHaulerProviderXid,
        PortalLicensePlate: licensePlate?.portalLicensePlate,
        CarrierMC: carrier.mc,
        CarrierDOT: carrier.dot,
        CarrierSCAC: carrier.scac,
        DriverPhoneNumber: driverPhoneNumber,
        ShipmentTrackingType: shipmentTrackingType,
      },
    });
  }
}

const folder = new URL('../../schema/', import.meta.url);
const typeDefs = readdirSync(folder)
  .filter((file) => file.endsWith('.graphql'))
  .map((file) => readFileSync(new URL(file, folder), 'utf8'));

const resolvers = {
  Query: {
    notification: (_, { notificationGuid }, { freight }) => freight.notification(notificationGuid),
    notificationsByGuid: (_, { notificationGuids }, { freight }) =>
      notificationGuids.map((guid) => freight.notification(guid)),
    notifications: async (_, _args, { freight }) => {
      const { data, ...rest } = await freight.notifications();
      return { notifications: data, ...rest };
    },
  },
  Mutation: {
    trackShipment: async (_, { input }, { freight }) => ({ tracked: await freight.trackShipment(input) }),
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

const server = new ApolloServer({ typeDefs, resolvers });
await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: Number(process.env.PORT) },
  context: async ({ req }) => ({
    freight: new FreightAPI({ token: req.headers.authorization, cache: server.cache }),
  }),
});
