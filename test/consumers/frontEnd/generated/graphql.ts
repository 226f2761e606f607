/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Identifies a carrier: set exactly one field. */
export type CarrierInput =
  {   /** US Department of Transportation (DOT) number (service: `CarrierDOT`). */
  dot: string; mc?: never; scac?: never; }
  |  { dot?: never;   /** Motor carrier (MC) number (service: `CarrierMC`). */
  mc: string; scac?: never; }
  |  { dot?: never; mc?: never;   /** Standard Carrier Alpha Code (SCAC) (service: `CarrierSCAC`). */
  scac: string; };

/** Identifies a shipment by reference number and hauler. */
export type HaulerShipmentInput = {
  /** Identifier of the hauler (service: `FreightHaulerProviderXID`). */
  freightHaulerProviderXid: string;
  /** Reference number of the shipment (service: `FreightProviderReferenceNumber`). */
  freightProviderReferenceNumber: string;
};

/** Identifies a shipment by reference number and license plate. */
export type LicensePlateShipmentInput = {
  /** Reference number of the shipment (service: `FreightProviderReferenceNumber`). */
  freightProviderReferenceNumber: string;
  /** License plate identifier (service: `PortalLicensePlate`). */
  portalLicensePlate: string;
};

/** Who is notified: set exactly one field. */
export type NotificationRecipientInput =
  {   /** The recipients listed here. */
  shipmentLevel: ShipmentLevelRecipientInput; stopLevel?: never; }
  |  { shipmentLevel?: never;   /** The contacts of the shipment's stops. */
  stopLevel: StopLevelRecipientInput; };

/** The changes that trigger the notification: set exactly one field. */
export type NotificationTriggerInput =
  {   /** Any change, in the service's spelling: for labels and subtypes that this schema does not cover. */
  other: OtherTriggerInput; shipmentStatusChange?: never; }
  |  { other?: never;   /** The shipment reaches one of these statuses, at least one (service: label `shipmentStatusChange`). */
  shipmentStatusChange: Array<ShipmentStatus>; };

/** Changes in the service's spelling. */
export type OtherTriggerInput = {
  /** The kind of change. */
  notificationTypeLabel: string;
  /** Subtypes of that kind of change, at least one. */
  notificationTypes: Array<string>;
};

/** Identifies a shipment: set exactly one field. */
export type ShipmentIdentityInput =
  {   /** By reference number and hauler. */
  hauler: HaulerShipmentInput; licensePlate?: never; }
  |  { hauler?: never;   /** By reference number and license plate. */
  licensePlate: LicensePlateShipmentInput; };

/** The recipients: at least one email address or phone number in total. */
export type ShipmentLevelRecipientInput = {
  /** Email addresses to notify; may be empty. All lists of an operation together have at most 1,000 elements. */
  emailList: Array<string>;
  /** Phone numbers to notify by SMS; may be empty. All lists of an operation together have at most 1,000 elements. */
  smsList: Array<string>;
};

/** Status of a shipment. Each value is a subtype of the notification type `shipmentStatusChange`. */
export type ShipmentStatus =
  /** At the consignee (service: `ShipmentStatusAtConsignee`). */
  | 'AT_CONSIGNEE'
  /** At the shipper (service: `ShipmentStatusAtShipper`). */
  | 'AT_SHIPPER'
  /** Delivered (service: `ShipmentStatusDelivered`). */
  | 'DELIVERED'
  /** On the way to the shipper (service: `ShipmentStatusEnRoute`). */
  | 'EN_ROUTE'
  /** On the way to the consignee (service: `ShipmentStatusInTransit`). */
  | 'IN_TRANSIT';

/** How the contacts of the shipment's stops are notified. */
export type StopLevelRecipientInput = {
  /** Whether to notify stop contacts by email. */
  notifyStopContactsByEmail: boolean;
  /** Whether to notify stop contacts by SMS. */
  notifyStopContactsBySms: boolean;
};

/** The shipment to track, and how to track it. */
export type TrackShipmentInput = {
  /**
   * Additional parameters for the service, which accepts some that it does not document. Names have at most 100
   * characters and no control characters; those that match a documented or preconfigured parameter, in whatever
   * spelling, are rejected. Parameters count as list elements.
   */
  additionalParameters?: Record<string, unknown> | null | undefined;
  /** The carrier of the shipment. */
  carrier: CarrierInput;
  /**
   * The driver's mobile phone number (service: `DriverPhoneNumber`). A gateway with `DRIVER_PHONE_FORMAT=unchanged` takes any text,
   * and sends it in its notation.
   */
  driverPhoneNumber: string;
  /** The shipment to track. */
  shipment: ShipmentIdentityInput;
  /** Type of tracking. The service documents no values (service: `ShipmentTrackingType`). */
  shipmentTrackingType: string;
};

/**
 * Changes to a custom notification: at least one field. A field that is left out or null keeps its value, even one that
 * this schema has no input for, such as a recipient type or subtypes that it does not cover. Numbers in filters that are kept lose no digit,
 * and phone numbers are sent in E.164 format. Fields that the service does not document for requests are not sent back.
 */
export type UpdateNotificationInput = {
  /**
   * Filters that a shipment must match; replace all previous ones, and an empty list clears them. Passed to the service
   * unchanged. The service documents no shape. All lists of an operation together have at most 1,000 elements.
   */
  filters?: Array<unknown> | null | undefined;
  /** External reference name of the notification. */
  notificationName?: string | null | undefined;
  /** Who is notified, and how; replaces the previous recipient. */
  recipient?: NotificationRecipientInput | null | undefined;
  /** The changes that trigger the notification; replace all previous ones. */
  trigger?: NotificationTriggerInput | null | undefined;
};

export type NotificationDetailsFragment = { __typename: 'Notification', id: string, notificationName: string, shipmentStatuses: Array<ShipmentStatus>, recipient:
    | { __typename: 'OtherRecipient', notificationRecipientType: string }
    | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
    | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
   };

export type ReadNotificationQueryVariables = Exact<{
  notificationGuid: string;
}>;


export type ReadNotificationQuery = { notification: { __typename: 'Notification', id: string, notificationName: string, shipmentStatuses: Array<ShipmentStatus>, recipient:
      | { __typename: 'OtherRecipient', notificationRecipientType: string }
      | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
      | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
     } | null };

export type ListNotificationsQueryVariables = Exact<{ [key: string]: never; }>;


export type ListNotificationsQuery = { notifications: { notifications: Array<{ id: string, notificationName: string }> } | null };

export type UpdateNotificationMutationVariables = Exact<{
  notificationGuid: string;
  input: UpdateNotificationInput;
}>;


export type UpdateNotificationMutation = { updateNotification: { notification: { __typename: 'Notification', id: string, notificationName: string, shipmentStatuses: Array<ShipmentStatus>, recipient:
        | { __typename: 'OtherRecipient', notificationRecipientType: string }
        | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
        | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
       } | null } | null };

export type TrackShipmentMutationVariables = Exact<{
  input: TrackShipmentInput;
}>;


export type TrackShipmentMutation = { trackShipment: { tracked: boolean | null } | null };

export const NotificationDetailsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}}]}}]} as unknown as DocumentNode<NotificationDetailsFragment, unknown>;
export const ReadNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ReadNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"notificationGuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}}]}}]} as unknown as DocumentNode<ReadNotificationQuery, ReadNotificationQueryVariables>;
export const ListNotificationsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ListNotifications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}}]}}]}}]}}]} as unknown as DocumentNode<ListNotificationsQuery, ListNotificationsQueryVariables>;
export const UpdateNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateNotificationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateNotification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"notificationGuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notification"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationDetails"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}}]}}]} as unknown as DocumentNode<UpdateNotificationMutation, UpdateNotificationMutationVariables>;
export const TrackShipmentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"TrackShipment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TrackShipmentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"trackShipment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tracked"}}]}}]}}]} as unknown as DocumentNode<TrackShipmentMutation, TrackShipmentMutationVariables>;