/** What a client says about a notification: the schema NotificationFields of the contract. */
export interface NotificationFields {
  notificationName: string;
  notificationRecipientType: string;
  notificationTypeLabel: string;
  notificationTypes: string[];
  notifyStopContactsByEmail?: boolean;
  notifyStopContactsBySms?: boolean;
  emailList?: string[];
  smsList?: string[];
  filters?: unknown[];
}

export interface Notification extends Required<NotificationFields> {
  notificationGuid: string;
  notificationMetaData: unknown;
  lastUpdateUserName: string;
  lastUpdateDate: string;
}

export interface Envelope {
  data: Notification[];
  messages: unknown[];
  totalPossibleCount: number;
}

/** One of the first two, and one of the three carrier identifiers, is always given. */
export interface ShipmentParameters {
  FreightProviderReferenceNumber: string;
  FreightHaulerProviderXID?: string;
  PortalLicensePlate?: string;
  CarrierMC?: string;
  CarrierDOT?: string;
  CarrierSCAC?: string;
}

export interface Tracking {
  DriverPhoneNumber: string;
  ShipmentTrackingType: string;
}

/** One of the two is always given. */
export interface ExceptionTarget {
  ExceptionGuid?: string;
  ExceptionFileGuid?: string;
}

export interface ShipmentException {
  ExceptionGuid: string;
  files: { ExceptionFileGuid: string }[];
}

/** Exceptions exist on the entire shipment and on each of its orders. */
export interface Shipment extends Required<ShipmentParameters> {
  tracking: Tracking | null;
  exceptions: ShipmentException[];
  orders: { orderNumber: string; exceptions: ShipmentException[] }[];
}
