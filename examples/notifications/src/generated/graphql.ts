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

/** The rule that an input violates. Values may be added. */
export type InputRule =
  /** A string has characters that are not allowed. */
  | 'CHARACTERS'
  /** A string is not a date and time with a UTC offset. */
  | 'DATE_TIME'
  /** A string is not an email address. */
  | 'EMAIL'
  /** A value is not a value of the enum. */
  | 'ENUM'
  /** A value is not JSON, or is nested deeper than the limit. */
  | 'JSON'
  /** The values together take more bytes in the REST call than the limit. */
  | 'MAX_BYTES'
  /** There are more list elements than the limit. */
  | 'MAX_ITEMS'
  /** A string has more characters than the limit. */
  | 'MAX_LENGTH'
  /** There are fewer list elements than the limit. */
  | 'MIN_ITEMS'
  /** A string is empty, or has only white space and invisible characters. */
  | 'NOT_EMPTY'
  /** An input of which exactly one member must be set has none, or several. */
  | 'ONE_OF'
  /** A string is not a phone number. */
  | 'PHONE_NUMBER'
  /** A value is missing or null. */
  | 'REQUIRED'
  /** The name of a parameter is reserved. */
  | 'RESERVED_NAME'
  /** A value has the wrong type. */
  | 'TYPE'
  /** An earlier item of the list has the same idempotency key, or is the same except for its key. */
  | 'UNIQUE'
  /** An input object has no such field. */
  | 'UNKNOWN_FIELD'
  /** A string is not a UUID of version 4 or 7. */
  | 'UUID';

/** Identifies a shipment by reference number and license plate. */
export type LicensePlateShipmentInput = {
  /** Reference number of the shipment (service: `FreightProviderReferenceNumber`). */
  freightProviderReferenceNumber: string;
  /** License plate identifier (service: `PortalLicensePlate`). */
  portalLicensePlate: string;
};

/** The definition of a custom notification. */
export type NotificationInput = {
  /**
   * Filters that a shipment must match; passed to the service unchanged. The service documents no shape. All lists of an
   * operation together have at most 1,000 elements.
   */
  filters?: Array<unknown> | null | undefined;
  /** External reference name of the notification. */
  notificationName: string;
  /** Who is notified, and how. */
  recipient: NotificationRecipientInput;
  /** The changes that trigger the notification. */
  trigger: NotificationTriggerInput;
};

/** Who is notified: set exactly one field. */
export type NotificationRecipientInput =
  {   /** The recipients listed here. */
  shipmentLevel: ShipmentLevelRecipientInput; stopLevel?: never; }
  |  { shipmentLevel?: never;   /** The contacts of the shipment's stops. */
  stopLevel: StopLevelRecipientInput; };

/** The changes that trigger the notification: set exactly one field. */
export type NotificationTriggerInput =
  {   /** Any other change, in the service's spelling: for labels and subtypes that this schema does not cover. */
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

/** How the outcome of a write is known. Values may be added. */
export type OutcomeEvidence =
  /** The write was not sent. */
  | 'NOT_SENT'
  /** By a read after the write, whose own response was not conclusive. */
  | 'READ_BACK'
  /** By the record of an earlier attempt with the same idempotency key. */
  | 'REPLAY'
  /** By the service's response to the write. */
  | 'RESPONSE';

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
   * characters and no control characters; those that match a documented or fixed parameter, in any
   * spelling, are rejected. Parameters count as list elements.
   */
  additionalParameters?: Record<string, unknown> | null | undefined;
  /** The carrier of the shipment. */
  carrier: CarrierInput;
  /**
   * The driver's mobile phone number (service: `DriverPhoneNumber`). A gateway with `DRIVER_PHONE_FORMAT=unchanged` accepts any text,
   * and sends it unchanged.
   */
  driverPhoneNumber: string;
  /** The shipment to track. */
  shipment: ShipmentIdentityInput;
  /** Type of tracking. The service documents no values (service: `ShipmentTrackingType`). */
  shipmentTrackingType: string;
};

/** An item of `trackShipments`. */
export type TrackShipmentItem = {
  /**
   * A UUID of version 4 or, preferably, 7 (RFC 9562) that makes repeats of this item safe, like the argument `idempotencyKey` of the single
   * mutation field. A key identifies the same write in both fields.
   */
  idempotencyKey?: string | null | undefined;
  /** The shipment, its carrier and its driver. */
  input: TrackShipmentInput;
};

/**
 * Changes to a custom notification: at least one field. A field that is left out or null keeps its value, even one for which
 * this schema has no input, such as other recipient types or subtypes. Numbers in filters that are kept lose no digits,
 * and phone numbers are sent in E.164 format. Fields that the service does not document for requests are not sent back.
 */
export type UpdateNotificationInput = {
  /**
   * Filters that a shipment must match; they replace all previous ones, and an empty list clears them. Passed to the service
   * unchanged. The service documents no shape. All lists of an operation together have at most 1,000 elements.
   */
  filters?: Array<unknown> | null | undefined;
  /** External reference name of the notification. */
  notificationName?: string | null | undefined;
  /** Who is notified, and how; replaces the previous recipient. */
  recipient?: NotificationRecipientInput | null | undefined;
  /** The changes that trigger the notification; they replace all previous ones. */
  trigger?: NotificationTriggerInput | null | undefined;
};

/** The kind of failure of a write. Values may be added. */
export type WriteErrorCode =
  /**
   * The input is invalid. There is one error for each violation, at most 100, and no REST call was made. `inputPath` locates the invalid value,
   * and `rule` says what is wrong with it; a GraphQL error has both in `extensions`.
   */
  | 'BAD_USER_INPUT'
  /** The service responded with 409, or `ifLastUpdateDate` is not the date of the last update. */
  | 'CONFLICT'
  /** The service responded with 403. */
  | 'FORBIDDEN'
  /** The mutation with this idempotency key is still being executed; repeat it later with the same key. */
  | 'IDEMPOTENCY_IN_PROGRESS'
  /** The idempotency key is older than 24 hours and has no record. */
  | 'IDEMPOTENCY_KEY_EXPIRED'
  /** The idempotency key was used with another mutation field, or with other arguments. */
  | 'IDEMPOTENCY_KEY_REUSED'
  /** An earlier attempt with this key may have been applied, and sending it again could apply it twice. */
  | 'IDEMPOTENCY_OUTCOME_UNKNOWN'
  /** The idempotency key cannot be recorded: keys are not enabled, or their store is unavailable. */
  | 'IDEMPOTENCY_UNAVAILABLE'
  /** The service responded with 410, or with 404 and a body that is empty or JSON, or the read before an update or a deletion found nothing. */
  | 'NOT_FOUND'
  /** Another item of the list is invalid, so none was sent. */
  | 'OTHER_ITEM_INVALID'
  /** The operation exceeds a limit, such as 1,000 list elements and additional parameters in its input. */
  | 'QUERY_TOO_COMPLEX'
  /** The service responded with 429, or the client used too many new idempotency keys. */
  | 'RATE_LIMITED'
  /** The service responded with 408 or 5xx, or with something other than HTTP, or the connection was lost after the call was sent. */
  | 'SERVICE_ERROR'
  /** The service responded with any other 4xx. */
  | 'SERVICE_REJECTED'
  /** The response is a redirect, an HTML page, too large or not JSON, violates the contract, or does not prove that the write was applied; or it is a 206, a 202 or 207 to a write, or a 404 that is incomplete or neither empty nor JSON. */
  | 'SERVICE_RESPONSE_INVALID'
  /** No complete response before the deadline. */
  | 'SERVICE_TIMEOUT'
  /** Nothing was sent (no connection, circuit open, queue full, overload), the service responded with 425, or its large response waited too long to be read. */
  | 'SERVICE_UNAVAILABLE'
  /** There is no valid bearer token or client credential, or the service responded with 401 to a call with the token. */
  | 'UNAUTHENTICATED';

/** How a write ended. */
export type WriteOutcome =
  /** The service applied it. */
  | 'APPLIED'
  /** Nothing changed. */
  | 'NOT_APPLIED'
  /**
   * It may have been applied, or may still be, and the gateway could not find out: a read afterwards failed or found another state, or
   * there is nothing to read. Or it was applied, but its result is too large to return.
   */
  | 'UNKNOWN';

export type WriteErrorDetailsFragment = { code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null };

export type DeleteExceptionOutcomeFragment = { outcome: WriteOutcome, evidence: OutcomeEvidence | null, errors: Array<{ code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null }> };

export type CreateNotificationOutcomeFragment = { outcome: WriteOutcome, evidence: OutcomeEvidence | null, errors: Array<{ code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null }> };

export type UpdateNotificationOutcomeFragment = { outcome: WriteOutcome, evidence: OutcomeEvidence | null, errors: Array<{ code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null }> };

export type DeleteNotificationOutcomeFragment = { outcome: WriteOutcome, evidence: OutcomeEvidence | null, errors: Array<{ code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null }> };

export type TrackShipmentOutcomeFragment = { outcome: WriteOutcome, evidence: OutcomeEvidence | null, errors: Array<{ code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null }> };

export type NotificationDetailsFragment = { id: string, notificationName: string, notificationTypeLabel: string, notificationTypes: Array<string>, shipmentStatuses: Array<ShipmentStatus>, lastUpdateUserName: string | null, lastUpdateDate: string | null, recipient:
    | { __typename: 'OtherRecipient', notificationRecipientType: string }
    | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
    | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
   };

export type NotificationsQueryVariables = Exact<{
  parameters: Record<string, unknown>;
}>;


export type NotificationsQuery = { notifications: { totalPossibleCount: number | null, notifications: Array<{ id: string, notificationName: string, notificationTypeLabel: string, notificationTypes: Array<string>, shipmentStatuses: Array<ShipmentStatus>, lastUpdateUserName: string | null, lastUpdateDate: string | null, recipient:
        | { __typename: 'OtherRecipient', notificationRecipientType: string }
        | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
        | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
       }>, unreadable: Array<{ index: number, problem: string }> } | null };

export type ReadNotificationQueryVariables = Exact<{
  notificationGuid: string;
}>;


export type ReadNotificationQuery = { notification: { id: string, notificationName: string, notificationTypeLabel: string, notificationTypes: Array<string>, shipmentStatuses: Array<ShipmentStatus>, lastUpdateUserName: string | null, lastUpdateDate: string | null, recipient:
      | { __typename: 'OtherRecipient', notificationRecipientType: string }
      | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
      | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
     } | null };

export type ReadCandidatesQueryVariables = Exact<{
  notificationGuids: Array<string> | string;
}>;


export type ReadCandidatesQuery = { notificationsByGuid: Array<{ id: string, notificationName: string, lastUpdateDate: string | null } | null> | null };

export type CreateNotificationMutationVariables = Exact<{
  input: NotificationInput;
  idempotencyKey?: string | null | undefined;
}>;


export type CreateNotificationMutation = { createNotification: { outcome: WriteOutcome, evidence: OutcomeEvidence | null, notification: { id: string, notificationName: string, notificationTypeLabel: string, notificationTypes: Array<string>, shipmentStatuses: Array<ShipmentStatus>, lastUpdateUserName: string | null, lastUpdateDate: string | null, recipient:
        | { __typename: 'OtherRecipient', notificationRecipientType: string }
        | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
        | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
       } | null, errors: Array<{ code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null }> } | null };

export type UpdateNotificationMutationVariables = Exact<{
  notificationGuid: string;
  input: UpdateNotificationInput;
  ifLastUpdateDate?: string | null | undefined;
  idempotencyKey?: string | null | undefined;
}>;


export type UpdateNotificationMutation = { updateNotification: { outcome: WriteOutcome, evidence: OutcomeEvidence | null, notification: { id: string, notificationName: string, notificationTypeLabel: string, notificationTypes: Array<string>, shipmentStatuses: Array<ShipmentStatus>, lastUpdateUserName: string | null, lastUpdateDate: string | null, recipient:
        | { __typename: 'OtherRecipient', notificationRecipientType: string }
        | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
        | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
       } | null, current: { id: string, notificationName: string, notificationTypeLabel: string, notificationTypes: Array<string>, shipmentStatuses: Array<ShipmentStatus>, lastUpdateUserName: string | null, lastUpdateDate: string | null, recipient:
        | { __typename: 'OtherRecipient', notificationRecipientType: string }
        | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
        | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
       } | null, errors: Array<{ code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null }> } | null };

export type DeleteNotificationMutationVariables = Exact<{
  notificationGuid: string;
  ifLastUpdateDate?: string | null | undefined;
  idempotencyKey?: string | null | undefined;
}>;


export type DeleteNotificationMutation = { deleteNotification: { outcome: WriteOutcome, evidence: OutcomeEvidence | null, current: { id: string, notificationName: string, notificationTypeLabel: string, notificationTypes: Array<string>, shipmentStatuses: Array<ShipmentStatus>, lastUpdateUserName: string | null, lastUpdateDate: string | null, recipient:
        | { __typename: 'OtherRecipient', notificationRecipientType: string }
        | { __typename: 'ShipmentLevelRecipient', emailList: Array<string>, smsList: Array<string>, notificationRecipientType: string }
        | { __typename: 'StopLevelRecipient', notifyStopContactsByEmail: boolean, notifyStopContactsBySms: boolean, notificationRecipientType: string }
       } | null, errors: Array<{ code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null }> } | null };

export type TrackShipmentsMutationVariables = Exact<{
  items: Array<TrackShipmentItem> | TrackShipmentItem;
  dryRun: boolean;
}>;


export type TrackShipmentsMutation = { trackShipments: { results: Array<{ outcome: WriteOutcome, evidence: OutcomeEvidence | null, driverPhoneNumber: string | null, errors: Array<{ code: WriteErrorCode, message: string, retryable: boolean, requestId: string, inputPath: Array<string> | null, rule: InputRule | null, limit: number | null, status: number | null, retryAfterSeconds: number | null, serviceMessages: Array<unknown>, candidates: Array<string> | null }>, shipment: { freightProviderReferenceNumber: string, freightHaulerProviderXid: string | null, portalLicensePlate: string | null } | null, carrier: { mc: string | null, dot: string | null, scac: string | null } | null } | null> } | null };

export type TrackingSubjectFragment = { driverPhoneNumber: string | null, shipment: { freightProviderReferenceNumber: string, freightHaulerProviderXid: string | null, portalLicensePlate: string | null } | null, carrier: { mc: string | null, dot: string | null, scac: string | null } | null };

export type WriteRecordsQueryVariables = Exact<{
  keys: Array<string> | string;
}>;


export type WriteRecordsQuery = { writeRecords: Array<{ idempotencyKey: string, outcome: WriteOutcome | null } | null> | null };

export const WriteErrorDetailsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}}]} as unknown as DocumentNode<WriteErrorDetailsFragment, unknown>;
export const DeleteExceptionOutcomeFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeleteExceptionOutcome"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteExceptionPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"evidence"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteErrorDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}}]} as unknown as DocumentNode<DeleteExceptionOutcomeFragment, unknown>;
export const CreateNotificationOutcomeFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CreateNotificationOutcome"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateNotificationPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"evidence"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteErrorDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}}]} as unknown as DocumentNode<CreateNotificationOutcomeFragment, unknown>;
export const UpdateNotificationOutcomeFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"UpdateNotificationOutcome"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateNotificationPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"evidence"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteErrorDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}}]} as unknown as DocumentNode<UpdateNotificationOutcomeFragment, unknown>;
export const DeleteNotificationOutcomeFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeleteNotificationOutcome"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteNotificationPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"evidence"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteErrorDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}}]} as unknown as DocumentNode<DeleteNotificationOutcomeFragment, unknown>;
export const TrackShipmentOutcomeFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"TrackShipmentOutcome"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"TrackShipmentPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"evidence"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteErrorDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}}]} as unknown as DocumentNode<TrackShipmentOutcomeFragment, unknown>;
export const NotificationDetailsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypeLabel"}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypes"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateUserName"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateDate"}}]}}]} as unknown as DocumentNode<NotificationDetailsFragment, unknown>;
export const TrackingSubjectFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"TrackingSubject"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"TrackShipmentPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"shipment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freightProviderReferenceNumber"}},{"kind":"Field","name":{"kind":"Name","value":"freightHaulerProviderXid"}},{"kind":"Field","name":{"kind":"Name","value":"portalLicensePlate"}}]}},{"kind":"Field","name":{"kind":"Name","value":"carrier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"mc"}},{"kind":"Field","name":{"kind":"Name","value":"dot"}},{"kind":"Field","name":{"kind":"Name","value":"scac"}}]}},{"kind":"Field","name":{"kind":"Name","value":"driverPhoneNumber"}}]}}]} as unknown as DocumentNode<TrackingSubjectFragment, unknown>;
export const NotificationsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Notifications"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"parameters"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"JSONObject"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifications"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"additionalParameters"},"value":{"kind":"Variable","name":{"kind":"Name","value":"parameters"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationDetails"}}]}},{"kind":"Field","name":{"kind":"Name","value":"unreadable"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"problem"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totalPossibleCount"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypeLabel"}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypes"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateUserName"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateDate"}}]}}]} as unknown as DocumentNode<NotificationsQuery, NotificationsQueryVariables>;
export const ReadNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ReadNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"notificationGuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypeLabel"}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypes"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateUserName"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateDate"}}]}}]} as unknown as DocumentNode<ReadNotificationQuery, ReadNotificationQueryVariables>;
export const ReadCandidatesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ReadCandidates"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuids"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notificationsByGuid"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"notificationGuids"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuids"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateDate"}}]}}]}}]} as unknown as DocumentNode<ReadCandidatesQuery, ReadCandidatesQueryVariables>;
export const CreateNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"NotificationInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createNotification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}},{"kind":"Argument","name":{"kind":"Name","value":"idempotencyKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CreateNotificationOutcome"}},{"kind":"Field","name":{"kind":"Name","value":"notification"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationDetails"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CreateNotificationOutcome"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CreateNotificationPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"evidence"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteErrorDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypeLabel"}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypes"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateUserName"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateDate"}}]}}]} as unknown as DocumentNode<CreateNotificationMutation, CreateNotificationMutationVariables>;
export const UpdateNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateNotificationInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifLastUpdateDate"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateNotification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"notificationGuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifLastUpdateDate"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifLastUpdateDate"}}},{"kind":"Argument","name":{"kind":"Name","value":"idempotencyKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"UpdateNotificationOutcome"}},{"kind":"Field","name":{"kind":"Name","value":"notification"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationDetails"}}]}},{"kind":"Field","name":{"kind":"Name","value":"current"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationDetails"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"UpdateNotificationOutcome"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateNotificationPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"evidence"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteErrorDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypeLabel"}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypes"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateUserName"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateDate"}}]}}]} as unknown as DocumentNode<UpdateNotificationMutation, UpdateNotificationMutationVariables>;
export const DeleteNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifLastUpdateDate"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteNotification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"notificationGuid"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notificationGuid"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifLastUpdateDate"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifLastUpdateDate"}}},{"kind":"Argument","name":{"kind":"Name","value":"idempotencyKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"idempotencyKey"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DeleteNotificationOutcome"}},{"kind":"Field","name":{"kind":"Name","value":"current"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"NotificationDetails"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DeleteNotificationOutcome"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteNotificationPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"evidence"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteErrorDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"NotificationDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Notification"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"notificationName"}},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"notificationRecipientType"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ShipmentLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailList"}},{"kind":"Field","name":{"kind":"Name","value":"smsList"}}]}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StopLevelRecipient"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsByEmail"}},{"kind":"Field","name":{"kind":"Name","value":"notifyStopContactsBySms"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypeLabel"}},{"kind":"Field","name":{"kind":"Name","value":"notificationTypes"}},{"kind":"Field","name":{"kind":"Name","value":"shipmentStatuses"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateUserName"}},{"kind":"Field","name":{"kind":"Name","value":"lastUpdateDate"}}]}}]} as unknown as DocumentNode<DeleteNotificationMutation, DeleteNotificationMutationVariables>;
export const TrackShipmentsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"TrackShipments"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"items"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"TrackShipmentItem"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"trackShipments"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"items"},"value":{"kind":"Variable","name":{"kind":"Name","value":"items"}}},{"kind":"Argument","name":{"kind":"Name","value":"dryRun"},"value":{"kind":"Variable","name":{"kind":"Name","value":"dryRun"}}},{"kind":"Argument","name":{"kind":"Name","value":"onInvalidItem"},"value":{"kind":"EnumValue","value":"SEND_OTHERS"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"results"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"TrackShipmentOutcome"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"TrackingSubject"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteErrorDetails"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"WriteError"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"message"}},{"kind":"Field","name":{"kind":"Name","value":"retryable"}},{"kind":"Field","name":{"kind":"Name","value":"requestId"}},{"kind":"Field","name":{"kind":"Name","value":"inputPath"}},{"kind":"Field","name":{"kind":"Name","value":"rule"}},{"kind":"Field","name":{"kind":"Name","value":"limit"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"retryAfterSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"serviceMessages"}},{"kind":"Field","name":{"kind":"Name","value":"candidates"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"TrackShipmentOutcome"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"TrackShipmentPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"evidence"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteErrorDetails"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"TrackingSubject"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"TrackShipmentPayload"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"shipment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freightProviderReferenceNumber"}},{"kind":"Field","name":{"kind":"Name","value":"freightHaulerProviderXid"}},{"kind":"Field","name":{"kind":"Name","value":"portalLicensePlate"}}]}},{"kind":"Field","name":{"kind":"Name","value":"carrier"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"mc"}},{"kind":"Field","name":{"kind":"Name","value":"dot"}},{"kind":"Field","name":{"kind":"Name","value":"scac"}}]}},{"kind":"Field","name":{"kind":"Name","value":"driverPhoneNumber"}}]}}]} as unknown as DocumentNode<TrackShipmentsMutation, TrackShipmentsMutationVariables>;
export const WriteRecordsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WriteRecords"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"keys"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"writeRecords"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"idempotencyKeys"},"value":{"kind":"Variable","name":{"kind":"Name","value":"keys"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"idempotencyKey"}},{"kind":"Field","name":{"kind":"Name","value":"outcome"}}]}}]}}]} as unknown as DocumentNode<WriteRecordsQuery, WriteRecordsQueryVariables>;