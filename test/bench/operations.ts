/**
 * The operations of the benchmark in the two dialects that the peers speak: the gateway's own schema, and the one that
 * follows from the contract of the REST service. Either way they ask for the same facts.
 */
import { tracking, type Facts } from './fixtures.js';

export interface Operation {
  query: string;
  variables: Record<string, unknown>;
}

export interface Dialect {
  read: (guid: string) => Operation;
  /** One operation for several notifications. */
  readAll: (guids: readonly string[]) => Operation;
  list: () => Operation;
  track: () => Operation;
  /** What the answer to any of them says; the answer to a tracking is whether it succeeded. */
  factsOf: (data: unknown) => Facts[] | boolean;
}

const COMMON_FIELDS =
  'notificationGuid notificationName notificationTypeLabel notificationTypes filters notificationMetaData lastUpdateUserName lastUpdateDate';

/** The gateway's own schema. */
export const gatewayDialect: Dialect = {
  read: (guid) => ({
    query: `query ($guid: ID!) { notification(notificationGuid: $guid) { ${gatewayFields} } }`,
    variables: { guid },
  }),
  readAll: (guids) => ({
    query: `query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { ${gatewayFields} } }`,
    variables: { guids },
  }),
  list: () => ({ query: `{ notifications { notifications { ${gatewayFields} } } }`, variables: {} }),
  track: () => ({
    query: 'mutation ($input: TrackShipmentInput!) { trackShipment(input: $input) { tracked } }',
    variables: {
      input: {
        shipment: {
          hauler: {
            freightProviderReferenceNumber: tracking.FreightProviderReferenceNumber,
            freightHaulerProviderXid: tracking.FreightHaulerProviderXID,
          },
        },
        carrier: { scac: tracking.CarrierSCAC },
        driverPhoneNumber: tracking.DriverPhoneNumber,
        shipmentTrackingType: tracking.ShipmentTrackingType,
      },
    },
  }),
  factsOf(data) {
    const { notification, notificationsByGuid, notifications, trackShipment } = data as GatewayData;
    if (trackShipment) return trackShipment.tracked;
    const all = notification ? [notification] : (notificationsByGuid ?? notifications?.notifications ?? []);
    return all.map(({ recipient: { smsList, ...recipient }, ...rest }) => ({
      ...rest,
      ...recipient,
      smsList: smsList.map((number) => number.replace('+', '')),
    }));
  },
};

const gatewayFields = `${COMMON_FIELDS} recipient { notificationRecipientType ... on ShipmentLevelRecipient { emailList smsList } }`;

type GatewayNotification = Omit<Facts, 'emailList' | 'notificationRecipientType' | 'smsList'> & {
  recipient: Pick<Facts, 'emailList' | 'notificationRecipientType' | 'smsList'>;
};

interface GatewayData {
  notification?: GatewayNotification;
  notificationsByGuid?: GatewayNotification[];
  notifications?: { notifications: GatewayNotification[] };
  trackShipment?: { tracked: boolean };
}

export interface ContractDialectOptions {
  guidType: string;
  trackingType: string;
  /** Turns the fields of an envelope into its selection. */
  envelope: (fields: string) => string;
  /** Selection of the answer to a tracking. */
  tracked: string;
}

/** The schema that follows from the contract: fields are operations, and several reads are one field each. */
export function contractDialect({
  guidType,
  trackingType,
  envelope,
  tracked,
}: ContractDialectOptions): Dialect {
  const fields = `{ ${envelope(`data { ${COMMON_FIELDS} notificationRecipientType emailList smsList }`)} }`;
  const readAll = (guids: readonly string[]) => {
    const parameters = guids.map((_, index) => `$g${index}: ${guidType}!`).join(', ');
    const reads = guids.map(
      (_, index) => `n${index}: readNotification(notificationGuid: $g${index}) ${fields}`,
    );
    return {
      query: `query (${parameters}) { ${reads.join(' ')} }`,
      variables: Object.fromEntries(guids.map((guid, index) => [`g${index}`, guid])),
    };
  };
  return {
    read: (guid) => readAll([guid]),
    readAll,
    list: () => ({ query: `{ listNotifications ${fields} }`, variables: {} }),
    track: () => ({
      query: `mutation ($input: ${trackingType}!) { trackShipment(input: $input) ${tracked} }`,
      variables: { input: tracking },
    }),
    factsOf(data) {
      const { trackShipment, ...envelopes } = data as Record<string, unknown>;
      if (trackShipment !== undefined) return trackShipment === true || isTracked(trackShipment);
      return Object.values(envelopes as Record<string, { data: Facts[] }>).flatMap((each) => each.data);
    },
  };
}

/** Hive Gateway makes an object with an enum of the service's answer `true`. */
function isTracked(value: unknown): boolean {
  return (value as { Tracked?: string }).Tracked === 'TRUE';
}
