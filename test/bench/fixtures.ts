/** What the REST service of the benchmark holds, and what the callers ask it for. */

/** So many that the callers of a moment never ask for the same one by chance. */
export const GUIDS: readonly string[] = Array.from({ length: 10_000 }, (_, index) => guidOf(index));

/** Notifications in the list. */
export const LIST_LENGTH = 1000;

export const TOKEN = 'a-token-of-the-benchmark';

/** A notification as the service answers it. */
export function recordOf(notificationGuid: string) {
  return { ...factsOf(notificationGuid), notifyStopContactsByEmail: false, notifyStopContactsBySms: false };
}

/**
 * What every peer can say of a notification at shipment level, such that all answer the same. Hive Gateway takes
 * metadata for something that is never null, and turns a time into UTC with milliseconds; so the metadata is set, and
 * the time is of that form.
 */
export function factsOf(notificationGuid: string) {
  // Numbers of its own, as notifications have: what was worked out for one is of no use for another.
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

export type Facts = ReturnType<typeof factsOf>;

export function envelopeOf(data: readonly Facts[]) {
  return { data, messages: [], totalPossibleCount: data.length };
}

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
