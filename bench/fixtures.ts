/** Data of the benchmark's REST service, and the parameters of the requests. */

/** Enough that concurrent clients do not request the same one by chance. */
export const GUIDS: readonly string[] = Array.from({ length: 10_000 }, (_, index) => guidOf(index));

/** Number of notifications in the list. */
export const LIST_LENGTH = 1000;

export const TOKEN = 'a-token-of-the-benchmark';

/** A notification in the service's response. */
export function recordOf(notificationGuid: string) {
  return { ...fieldsOf(notificationGuid), notifyStopContactsByEmail: false, notifyStopContactsBySms: false };
}

/**
 * The fields of a shipment-level notification that every peer can return, with values for which all responses agree:
 * Hive Gateway treats the metadata as non-null, so it is set, and normalizes times to UTC with milliseconds, so the
 * time already has that form.
 */
export function fieldsOf(notificationGuid: string) {
  // Distinct numbers, as in real notifications, so that no peer profits from caching formatted numbers.
  const digits = String(5_550_000 + Number.parseInt(notificationGuid.slice(-12), 16));
  return {
    notificationGuid,
    notificationName: 'Dock team, arrivals',
    notificationRecipientType: 'shipmentLevel',
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: ['ShipmentStatusAtConsignee', 'ShipmentStatusDelivered'],
    emailList: ['dock@example.com', 'planning@example.com'],
    smsList: [`1303${digits}`, `1720${digits}`],
    notificationMetaData: { source: 'planning' },
    filters: [{ field: 'originState', values: ['CO', 'UT'] }],
    lastUpdateUserName: 'robin.planner',
    lastUpdateDate: '2024-05-01T08:30:00.123Z',
  };
}

export type NotificationFields = ReturnType<typeof fieldsOf>;

export function envelopeOf(data: readonly NotificationFields[]) {
  return { data, messages: [], totalPossibleCount: data.length };
}

/** The type of tracking that takes the REST service a while, and how long in milliseconds. */
export const SLOW_TYPE = 'Slow';
export const SLOW_MS = 20;

/** Parameters of the tracking call. */
export const tracking = {
  FreightProviderReferenceNumber: 'REF-1001',
  FreightHaulerProviderXID: 'XID-2001',
  CarrierSCAC: 'EXMA',
  DriverPhoneNumber: '+13035550110',
  ShipmentTrackingType: 'Mobile',
} as const;

function guidOf(index: number): string {
  return `3f0a7c1e-2b64-4e7f-9a55-${index.toString(16).padStart(12, '0')}`;
}
