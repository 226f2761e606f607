/**
 * The benchmark's operations for the two kinds of schema: the gateway's own, and the one that tools derive from the
 * REST contract. Both select the same fields.
 */
import { createHash } from 'node:crypto';
import { SLOW_TYPE, tracking, type NotificationFields } from './fixtures.js';

export interface Operation {
  /** Undefined if the operation is sent by its id. */
  query?: string;
  documentId?: string;
  variables: Record<string, unknown>;
}

export interface Dialect {
  read: (guid: string) => Operation;
  /** One operation for several notifications. */
  readAll: (guids: readonly string[]) => Operation;
  list: () => Operation;
  track: () => Operation;
  /** Tracking calls that take the REST service a while, in one bulk field or in as many aliased fields. */
  slow?: Record<'aliased' | 'bulk', (count: number) => Operation>;
  /** Normalizes the data of any of them: the notifications read, or whether tracking succeeded. */
  parseResult: (data: unknown) => NotificationFields[] | boolean;
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
    variables: { input: trackingInput() },
  }),
  slow: {
    bulk: (count) => ({
      query:
        'mutation ($items: [TrackShipmentItem!]!) { trackShipments(items: $items) { results { tracked } } }',
      variables: {
        items: Array.from({ length: count }, (_, index) => ({ input: slowInput(`REF-${index}`) })),
      },
    }),
    aliased: (count) => {
      const fields = Array.from(
        { length: count },
        (_, index) => `t${index}: trackShipment(input: $input) { tracked }`,
      );
      return {
        query: `mutation ($input: TrackShipmentInput!) { ${fields.join(' ')} }`,
        variables: { input: slowInput() },
      };
    },
  },
  parseResult(data) {
    const { notification, notificationsByGuid, notifications, trackShipment, ...others } =
      data as GatewayData;
    if (trackShipment) return trackShipment.tracked;
    if (others.trackShipments) return others.trackShipments.results.every(({ tracked }) => tracked);
    if ('t0' in others)
      return Object.values(others as Record<string, { tracked: boolean }>).every(({ tracked }) => tracked);
    const all = notification ? [notification] : (notificationsByGuid ?? notifications?.notifications ?? []);
    return all.map(({ recipient: { smsList, ...recipient }, ...rest }) => ({
      ...rest,
      ...recipient,
      smsList: smsList.map((number) => number.replace('+', '')),
    }));
  },
};

/** The same dialect with operations sent by their id, and the manifest that lists them (Relay format). */
export function persistedDialect(dialect: Dialect): { dialect: Dialect; manifest: Record<string, string> } {
  const byId = ({ query = '', variables }: Operation): Operation => ({
    documentId: createHash('sha256').update(query).digest('hex'),
    variables,
  });
  const queries = [dialect.read(''), dialect.readAll([]), dialect.list(), dialect.track()];
  return {
    dialect: {
      read: (guid) => byId(dialect.read(guid)),
      readAll: (guids) => byId(dialect.readAll(guids)),
      list: () => byId(dialect.list()),
      track: () => byId(dialect.track()),
      parseResult: dialect.parseResult,
    },
    manifest: Object.fromEntries(queries.map((each) => [byId(each).documentId ?? '', each.query ?? ''])),
  };
}

const gatewayFields = `${COMMON_FIELDS} recipient { notificationRecipientType ... on ShipmentLevelRecipient { emailList smsList } }`;

type GatewayNotification = Omit<NotificationFields, 'emailList' | 'notificationRecipientType' | 'smsList'> & {
  recipient: Pick<NotificationFields, 'emailList' | 'notificationRecipientType' | 'smsList'>;
};

interface GatewayData {
  notification?: GatewayNotification;
  notificationsByGuid?: GatewayNotification[];
  notifications?: { notifications: GatewayNotification[] };
  trackShipment?: { tracked: boolean };
  trackShipments?: { results: { tracked: boolean }[] };
}

function trackingInput(reference: string = tracking.FreightProviderReferenceNumber) {
  return {
    shipment: {
      hauler: {
        freightProviderReferenceNumber: reference,
        freightHaulerProviderXid: tracking.FreightHaulerProviderXID,
      },
    },
    carrier: { scac: tracking.CarrierSCAC },
    driverPhoneNumber: tracking.DriverPhoneNumber,
    shipmentTrackingType: tracking.ShipmentTrackingType as string,
  };
}

function slowInput(reference?: string) {
  return { ...trackingInput(reference), shipmentTrackingType: SLOW_TYPE };
}

export interface ContractDialectOptions {
  guidType: string;
  trackingType: string;
  /** Wraps the fields of an envelope into its selection. */
  envelope: (fields: string) => string;
  /** Selection set of the tracking result. */
  tracked: string;
}

/** The schema derived from the contract: one field per REST operation, so several reads are aliased fields. */
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
    parseResult(data) {
      const { trackShipment, ...envelopes } = data as Record<string, unknown>;
      if (trackShipment !== undefined) return trackShipment === true || isTracked(trackShipment);
      return Object.values(envelopes as Record<string, { data: NotificationFields[] }>).flatMap(
        (each) => each.data,
      );
    },
  };
}

/** Hive Gateway represents the service's `true` as an object with an enum. */
function isTracked(value: unknown): boolean {
  return (value as { Tracked?: string }).Tracked === 'TRUE';
}
