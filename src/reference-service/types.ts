/** The fields that a client sets: schema NotificationFields of the contract. */
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

/** Sets exactly one of hauler XID and license plate, and exactly one carrier identifier. */
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

/** Sets exactly one of the two. */
export interface ExceptionTarget {
  ExceptionGuid?: string;
  ExceptionFileGuid?: string;
}

export interface ShipmentException {
  ExceptionGuid: string;
  files: { ExceptionFileGuid: string }[];
}

/** Exceptions belong to the entire shipment or to one of its orders. */
export interface Shipment extends Required<ShipmentParameters> {
  tracking: Tracking | null;
  exceptions: ShipmentException[];
  orders: { orderNumber: string; exceptions: ShipmentException[] }[];
}
