/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** A carrier: exactly one of its three identifiers. */
export type CarrierInput =
  {   /** Department of Transportation number; not empty (service: `CarrierDOT`). */
  dot: string; mc?: never; scac?: never; }
  |  { dot?: never;   /** Motor carrier number; not empty (service: `CarrierMC`). */
  mc: string; scac?: never; }
  |  { dot?: never; mc?: never;   /** Standard Carrier Alpha Code; not empty (service: `CarrierSCAC`). */
  scac: string; };

/** A shipment by reference number and hauler. */
export type HaulerShipmentInput = {
  /** Identifier of the hauler; not empty (service: `FreightHaulerProviderXID`). */
  freightHaulerProviderXid: string;
  /** Reference number of the shipment; not empty (service: `FreightProviderReferenceNumber`). */
  freightProviderReferenceNumber: string;
};

/** A shipment by reference number and license plate. */
export type LicensePlateShipmentInput = {
  /** Reference number of the shipment; not empty (service: `FreightProviderReferenceNumber`). */
  freightProviderReferenceNumber: string;
  /** License plate identifier; not empty (service: `PortalLicensePlate`). */
  portalLicensePlate: string;
};

/** The definition of a custom notification. */
export type NotificationInput = {
  /** Filters that a shipment has to meet, passed on unchanged; at most 1,000. The service does not document their shape. */
  filters?: Array<unknown> | null | undefined;
  /** External reference name of the notification; not empty. */
  notificationName: string;
  /** Who is to be told, and by which means. */
  recipient: NotificationRecipientInput;
  /** Which changes are told. */
  trigger: NotificationTriggerInput;
};

/** Who is to be told: exactly one of the two. */
export type NotificationRecipientInput =
  {   /** Recipients named here. */
  shipmentLevel: ShipmentLevelRecipientInput; stopLevel?: never; }
  |  { shipmentLevel?: never;   /** The contacts of the shipment's stops. */
  stopLevel: StopLevelRecipientInput; };

/** Which changes are told: exactly one of the two. */
export type NotificationTriggerInput =
  {   /** Changes by the service's own spelling, for labels and sub-types that this schema does not know. */
  other: OtherTriggerInput; shipmentStatusChange?: never; }
  |  { other?: never;   /** The shipment reaches one of these statuses; at least one (service: label `shipmentStatusChange`). */
  shipmentStatusChange: Array<ShipmentStatus>; };

/** Changes by the service's own spelling. */
export type OtherTriggerInput = {
  /** Kind of change; not empty. */
  notificationTypeLabel: string;
  /** Sub-types of the kind of change; at least one and at most 1,000, none of them empty. */
  notificationTypes: Array<string>;
};

/** A shipment: exactly one of the two ways to identify it. */
export type ShipmentIdentityInput =
  {   /** By reference number and hauler. */
  hauler: HaulerShipmentInput; licensePlate?: never; }
  |  { hauler?: never;   /** By reference number and license plate. */
  licensePlate: LicensePlateShipmentInput; };

/** Recipients by name: at least one e-mail address or phone number. */
export type ShipmentLevelRecipientInput = {
  /** E-mail addresses to tell; at most 1,000. */
  emailList: Array<string>;
  /** Phone numbers to tell by SMS; at most 1,000. */
  smsList: Array<string>;
};

/** Status of a shipment; each is a sub-type of the notification type label `shipmentStatusChange`. */
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

/** Means by which the contacts of the shipment's stops are told. */
export type StopLevelRecipientInput = {
  /** Whether to tell the stop contacts by e-mail. */
  notifyStopContactsByEmail: boolean;
  /** Whether to tell the stop contacts by SMS. */
  notifyStopContactsBySms: boolean;
};

/** The tracking of one shipment. */
export type TrackShipmentInput = {
  /**
   * Further parameters to send along: the service has some that it does not name. A key that a documented or
   * fixed parameter uses, in any letter case, is refused.
   */
  additionalParameters?: Record<string, unknown> | null | undefined;
  /** The carrier of the shipment. */
  carrier: CarrierInput;
  /** The driver's mobile phone number (service: `DriverPhoneNumber`). */
  driverPhoneNumber: string;
  /** The shipment to track. */
  shipment: ShipmentIdentityInput;
  /** Type of tracking; not empty. The service does not document its values (service: `ShipmentTrackingType`). */
  shipmentTrackingType: string;
};

export type DetailsFragment = { __typename: 'Notification', notificationGuid: string, notificationName: string, shipmentStatuses: Array<ShipmentStatus>, recipient:
    | { __typename: 'OtherRecipient', notificationRecipientType: string }
    | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
    | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
   };

export type ReadNotificationQueryVariables = Exact<{
  notificationGuid: string;
}>;


export type ReadNotificationQuery = { notification: { __typename: 'Notification', notificationGuid: string, notificationName: string, shipmentStatuses: Array<ShipmentStatus>, recipient:
      | { __typename: 'OtherRecipient', notificationRecipientType: string }
      | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
      | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
     } | null };

export type ListNotificationsQueryVariables = Exact<{ [key: string]: never; }>;


export type ListNotificationsQuery = { notifications: { notifications: Array<{ notificationGuid: string, notificationName: string }> } };

export type UpdateNotificationMutationVariables = Exact<{
  notificationGuid: string;
  input: NotificationInput;
}>;


export type UpdateNotificationMutation = { updateNotification: { notification: { __typename: 'Notification', notificationGuid: string, notificationName: string, shipmentStatuses: Array<ShipmentStatus>, recipient:
        | { __typename: 'OtherRecipient', notificationRecipientType: string }
        | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
        | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
       } | null } | null };

export type TrackShipmentMutationVariables = Exact<{
  input: TrackShipmentInput;
}>;


export type TrackShipmentMutation = { trackShipment: { tracked: boolean } | null };

export const DetailsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Details"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationGuid"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}}]}}]} as unknown as DocumentNode<DetailsFragment, unknown>;
export const ReadNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ReadNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"notificationGuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Details"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Details"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationGuid"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}}]}}]} as unknown as DocumentNode<ReadNotificationQuery, ReadNotificationQueryVariables>;
export const ListNotificationsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ListNotifications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notificationGuid"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}}]}}]}}]}}]} as unknown as DocumentNode<ListNotificationsQuery, ListNotificationsQueryVariables>;
export const UpdateNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"NotificationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateNotification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"notificationGuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notification"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Details"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Details"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationGuid"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}}]}}]} as unknown as DocumentNode<UpdateNotificationMutation, UpdateNotificationMutationVariables>;
export const TrackShipmentDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"TrackShipment"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TrackShipmentInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"trackShipment"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tracked"}}]}}]}}]} as unknown as DocumentNode<TrackShipmentMutation, TrackShipmentMutationVariables>;