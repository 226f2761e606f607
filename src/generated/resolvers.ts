import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { Payload } from '../fields/writes.js';
import type { NotificationRecord, StopLevelNotification } from '../freight/contract.js';
import type { NotificationList as ReceivedNotificationList, UnreadableNotification as ReceivedUnreadableNotification } from '../freight/notificationBodies.js';
import type { WriteError as ReceivedWriteError } from '../freight/write.js';
import type { GatewayContext } from '../fields/context.js';
export type Maybe<T> = T | null | Promise<T | null>;
export type InputMaybe<T> = T | null;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * A date and time in ISO 8601 format with a UTC offset, for example `2021-03-04T05:06:07.1234567-05:00`. The gateway
   * validates it but never converts it, and keeps all fractional digits and the offset of the service. Only the notation changes, to RFC 3339:
   * `+0000` becomes `+00:00`.
   */
  DateTime: { input: string; output: string; }
  /**
   * An email address of at most 254 characters, valid for HTML's `<input type="email">`, with a dot in its domain, and without a display
   * name. Input may also be a link such as `mailto:dock@example.com`.
   */
  EmailAddress: { input: string; output: string; }
  /**
   * Any JSON value except null, nested at most 100 levels deep, as returned by the service or as passed to it. Used
   * where the service documents no shape. Numbers are JavaScript numbers: integers are exact up to 2^53.
   */
  JSON: { input: unknown; output: unknown; }
  /** A JSON object. */
  JSONObject: { input: Record<string, unknown>; output: Record<string, unknown>; }
  /**
   * A phone number in E.164 format, for example `+13035550100`. Input has at most 100 characters. Input without a country code
   * is read as a US number, and may contain spaces and punctuation: `(303) 555-0100`, `3035550100`, `13035550100`,
   * `+13035550100` and the link `tel:+1-303-555-0100` are the same number. In country code 1, area codes and exchanges must
   * start with 2 to 9. Extensions are rejected. Output is normalized: digits without a plus sign are read as a US number if
   * possible, otherwise as a number that starts with its country code. Values of the service that are not phone numbers are returned
   * unchanged.
   */
  PhoneNumber: { input: string; output: string; }
};

/** A carrier, as identified in the input: one field is not null. */
export type CarrierIdentity = {
  __typename?: 'CarrierIdentity';
  /** US Department of Transportation (DOT) number. */
  dot?: Maybe<Scalars['String']['output']>;
  /** Motor carrier (MC) number. */
  mc?: Maybe<Scalars['String']['output']>;
  /** Standard Carrier Alpha Code (SCAC). */
  scac?: Maybe<Scalars['String']['output']>;
};

/** Identifies a carrier: set exactly one field. */
export type CarrierInput =
  /** US Department of Transportation (DOT) number (service: `CarrierDOT`). */
  { dot: Scalars['String']['input']; mc?: never; scac?: never; }
  |  /** Motor carrier (MC) number (service: `CarrierMC`). */
  { dot?: never; mc: Scalars['String']['input']; scac?: never; }
  |  /** Standard Carrier Alpha Code (SCAC) (service: `CarrierSCAC`). */
  { dot?: never; mc?: never; scac: Scalars['String']['input']; };

/** An item of `createNotifications`. */
export type CreateNotificationItem = {
  /**
   * A UUID of version 4 or, preferably, 7 (RFC 9562) that makes repeats of this item safe, like the argument `idempotencyKey` of the single
   * mutation field. A key identifies the same write in both fields.
   */
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** The notification to create. */
  input: NotificationInput;
};

/** Result of creating a notification. */
export type CreateNotificationPayload = WritePayload & {
  __typename?: 'CreateNotificationPayload';
  /** Why the write failed, at most 100 errors; empty if it was applied, and for a dry run of a valid write. */
  errors: Array<WriteError>;
  /** How the outcome is known; null if it is `UNKNOWN`. */
  evidence?: Maybe<OutcomeEvidence>;
  /** Messages from the service, which documents no shape for them, without secrets: at most 20, of at most 16,000 characters. */
  messages: Array<Scalars['JSON']['output']>;
  /**
   * The notification as created by the service; null after a failure, if it or one of its selected fields has an error, if the service
   * confirmed the creation without returning it, or if an earlier attempt with the same idempotency key created it and it cannot be read now.
   */
  notification?: Maybe<Notification>;
  /** Identifier assigned by the service; null after a failure, or if the service confirmed the creation without returning it. */
  notificationGuid?: Maybe<Scalars['ID']['output']>;
  /** How the write ended. Always `APPLIED` if `errors` is not selected. */
  outcome: WriteOutcome;
};

/** Results of `createNotifications`. */
export type CreateNotificationsPayload = {
  __typename?: 'CreateNotificationsPayload';
  /** Number of items that were applied. */
  applied: Scalars['Int']['output'];
  /** Number of items that changed nothing. */
  notApplied: Scalars['Int']['output'];
  /**
   * The result of each item, in the order of the items. If `errors` is selected, a failure is data, as `WritePayload` describes. If it is not,
   * the element is null and the failure is a GraphQL error with the path of the element. Without this field, `createNotifications` itself
   * is null with an error if an item failed and no selected count reveals it.
   */
  results: Array<Maybe<CreateNotificationPayload>>;
  /** Number of items that may have been applied. */
  unknown: Scalars['Int']['output'];
};

/** Identifies the exception or exception file to delete. */
export type DeleteExceptionInput = {
  /**
   * Additional parameters for the service. Names have at most 100 characters and no control characters; those that match
   * a documented or fixed parameter, in any spelling, are rejected. Parameters count as list elements.
   */
  additionalParameters?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The carrier of the shipment. */
  carrier: CarrierInput;
  /** The shipment that has the exception. */
  shipment: ShipmentIdentityInput;
  /** The exception or file to delete. */
  target: ExceptionTargetInput;
};

/** An item of `deleteExceptions`. */
export type DeleteExceptionItem = {
  /**
   * A UUID of version 4 or, preferably, 7 (RFC 9562) that makes repeats of this item safe, like the argument `idempotencyKey` of the single
   * mutation field. A key identifies the same write in both fields.
   */
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** The shipment, its carrier, and what to delete. */
  input: DeleteExceptionInput;
};

/** Result of deleting an exception or an exception file. */
export type DeleteExceptionPayload = WritePayload & {
  __typename?: 'DeleteExceptionPayload';
  /** The carrier, as identified in the input; null if that is invalid. */
  carrier?: Maybe<CarrierIdentity>;
  /** True if the service confirmed the deletion, false if nothing was deleted, null if that is unknown. */
  deleted?: Maybe<Scalars['Boolean']['output']>;
  /** Why the write failed, at most 100 errors; empty if it was applied, and for a dry run of a valid write. */
  errors: Array<WriteError>;
  /** How the outcome is known; null if it is `UNKNOWN`. */
  evidence?: Maybe<OutcomeEvidence>;
  /** Identifier of the exception file; null if the input identifies an exception. */
  exceptionFileGuid?: Maybe<Scalars['ID']['output']>;
  /** Identifier of the exception; null if the input identifies a file. */
  exceptionGuid?: Maybe<Scalars['ID']['output']>;
  /**
   * Messages from the service, which documents no shape for them; empty after a failure, or if an earlier attempt with the same idempotency
   * key made the deletion.
   */
  messages: Array<Scalars['JSON']['output']>;
  /** How the write ended. Always `APPLIED` if `errors` is not selected. */
  outcome: WriteOutcome;
  /** The shipment, as identified in the input; null if that is invalid. */
  shipment?: Maybe<ShipmentIdentity>;
};

/** Results of `deleteExceptions`. */
export type DeleteExceptionsPayload = {
  __typename?: 'DeleteExceptionsPayload';
  /** Number of items that were applied. */
  applied: Scalars['Int']['output'];
  /** Number of items that changed nothing. */
  notApplied: Scalars['Int']['output'];
  /**
   * The result of each item, in the order of the items. If `errors` is selected, a failure is data, as `WritePayload` describes. If it is not,
   * the element is null and the failure is a GraphQL error with the path of the element. Without this field, `deleteExceptions` itself
   * is null with an error if an item failed and no selected count reveals it.
   */
  results: Array<Maybe<DeleteExceptionPayload>>;
  /** Number of items that may have been applied. */
  unknown: Scalars['Int']['output'];
};

/** An item of `deleteNotifications`. */
export type DeleteNotificationItem = {
  /**
   * A UUID of version 4 or, preferably, 7 (RFC 9562) that makes repeats of this item safe, like the argument `idempotencyKey` of the single
   * mutation field. A key identifies the same write in both fields.
   */
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** Like the argument of the single mutation field: if the notification was last updated at another time, the item fails with `CONFLICT`. */
  ifLastUpdateDate?: InputMaybe<Scalars['DateTime']['input']>;
  /** Identifier assigned by the service: at most 256 characters, without slashes. */
  notificationGuid: Scalars['ID']['input'];
};

/** Result of deleting a notification. */
export type DeleteNotificationPayload = WritePayload & {
  __typename?: 'DeleteNotificationPayload';
  /**
   * After `CONFLICT` because of `ifLastUpdateDate`: the notification that the gateway has just read. It is a separate field so that nobody
   * mistakes it for the result.
   */
  current?: Maybe<Notification>;
  /** Why the write failed, at most 100 errors; empty if it was applied, and for a dry run of a valid write. */
  errors: Array<WriteError>;
  /** How the outcome is known; null if it is `UNKNOWN`. */
  evidence?: Maybe<OutcomeEvidence>;
  /** Messages from the service, which documents no shape for them; empty after a failure, or if the success is known from a read or an earlier attempt. */
  messages: Array<Scalars['JSON']['output']>;
  /** Identifier of the notification, as in the input. */
  notificationGuid: Scalars['ID']['output'];
  /** How the write ended. Always `APPLIED` if `errors` is not selected. */
  outcome: WriteOutcome;
};

/** Results of `deleteNotifications`. */
export type DeleteNotificationsPayload = {
  __typename?: 'DeleteNotificationsPayload';
  /** Number of items that were applied. */
  applied: Scalars['Int']['output'];
  /** Number of items that changed nothing. */
  notApplied: Scalars['Int']['output'];
  /**
   * The result of each item, in the order of the items. If `errors` is selected, a failure is data, as `WritePayload` describes. If it is not,
   * the element is null and the failure is a GraphQL error with the path of the element. Without this field, `deleteNotifications` itself
   * is null with an error if an item failed and no selected count reveals it.
   */
  results: Array<Maybe<DeleteNotificationPayload>>;
  /** Number of items that may have been applied. */
  unknown: Scalars['Int']['output'];
};

/** What to delete: set exactly one field. */
export type ExceptionTargetInput =
  /** Identifier of an exception file; at most 256 characters (service: `ExceptionFileGuid`). */
  { exceptionFileGuid: Scalars['ID']['input']; exceptionGuid?: never; }
  |  /** Identifier of an exception; at most 256 characters (service: `ExceptionGuid`). */
  { exceptionFileGuid?: never; exceptionGuid: Scalars['ID']['input']; };

/** Identifies a shipment by reference number and hauler. */
export type HaulerShipmentInput = {
  /** Identifier of the hauler (service: `FreightHaulerProviderXID`). */
  freightHaulerProviderXid: Scalars['String']['input'];
  /** Reference number of the shipment (service: `FreightProviderReferenceNumber`). */
  freightProviderReferenceNumber: Scalars['String']['input'];
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
  freightProviderReferenceNumber: Scalars['String']['input'];
  /** License plate identifier (service: `PortalLicensePlate`). */
  portalLicensePlate: Scalars['String']['input'];
};

/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Creates a custom notification. Requires a bearer token. If the outcome is `UNKNOWN`, the notification may
   * exist: `candidates` of the error has the identifiers in the response or, if there are none, those of equal notifications that were
   * updated since the call. It is missing if the response has none and the gateway could not read the complete list. An empty list is no proof
   * that nothing was created. The service's response proves the creation if it is empty or reports success, or if it has a notification with the values that were sent, or one that is not older than the
   * call; of several, the created one must be the only one that equals the input. If it names a notification without its values, a read
   * decides: the notification must have the values that were sent, and must not be older than the call. Otherwise the outcome is `UNKNOWN`.
   * REST: `POST /v1/customnotifications`.
   */
  createNotification?: Maybe<CreateNotificationPayload>;
  /**
   * Creates custom notifications. Requires a bearer token. Each item has the arguments of `createNotification`; each result is its payload,
   * in the order of the items. An item that the service rejects does not affect the others. At most 500 items per operation;
   * they are sent concurrently, and items that have not started within 30 seconds, or when the gateway shuts down, are not sent. The header
   * `Idempotency-Key` is rejected: each item has its own key.
   * REST: `POST /v1/customnotifications`, once per item.
   */
  createNotifications?: Maybe<CreateNotificationsPayload>;
  /**
   * Deletes an exception or an exception file, at order level or on the entire shipment. The service validates the
   * request by its parameters, so no bearer token is required; if there is one, it is forwarded. Fails with `NOT_FOUND` if the
   * service finds no match. `UNKNOWN` means that the service has not confirmed the deletion. What confirms it is a complete 2xx
   * response, except 202, 206 and 207, whose body is empty or has a flag, a word, a code or a count that means success.
   * REST: `DELETE /atlas/frexapi/shipment/exception`.
   */
  deleteException?: Maybe<DeleteExceptionPayload>;
  /**
   * Deletes exceptions and exception files. Each item has the arguments of `deleteException`; each result is its payload, in the order of
   * the items. An item that the service rejects does not affect the others. At most 500 items per operation; they are sent
   * concurrently, and items that have not started within 30 seconds, or when the gateway shuts down, are not sent. The header
   * `Idempotency-Key` is rejected: each item has its own key.
   * REST: `DELETE /atlas/frexapi/shipment/exception`, once per item.
   */
  deleteExceptions?: Maybe<DeleteExceptionsPayload>;
  /**
   * Deletes a custom notification. Requires a bearer token. Fails with `NOT_FOUND` if the service has none with this
   * identifier. With `ifLastUpdateDate`, the gateway first reads the notification; both calls share the timeout of a single one. If
   * the outcome is unknown, the gateway reads the notification: if it is gone, the field succeeds. `UNKNOWN` means that
   * the gateway could not confirm that it is gone. What confirms a deletion is a complete 2xx response, except 202, 206
   * and 207, whose body is empty or has a flag, a word, a code or a count that means success.
   * REST: `DELETE /v1/customnotifications/{notificationGuid}`.
   */
  deleteNotification?: Maybe<DeleteNotificationPayload>;
  /**
   * Deletes custom notifications. Requires a bearer token. Each item has the arguments of `deleteNotification`; each result is its payload,
   * in the order of the items. An item that the service rejects does not affect the others. At most 500 items per operation;
   * they are sent concurrently, items of the same notification one after the other, and items that have not started within 30 seconds, or
   * when the gateway shuts down, are not sent. The header `Idempotency-Key` is rejected: each item has its own key.
   * REST: `DELETE /v1/customnotifications/{notificationGuid}`, once per item.
   */
  deleteNotifications?: Maybe<DeleteNotificationsPayload>;
  /**
   * Starts tracking a shipment via its driver's mobile phone. The service validates the request by its parameters, so no
   * bearer token is required; if there is one, it is forwarded. Fails with `NOT_FOUND` if the service finds no match.
   * REST: `POST /atlas/frexapi/shipment/track/`.
   */
  trackShipment?: Maybe<TrackShipmentPayload>;
  /**
   * Starts tracking shipments. Each item has the arguments of `trackShipment`; each result is its payload, in the order of the items. An
   * item that the service rejects does not affect the others. At most 500 items per operation; they are sent concurrently, and
   * items that have not started within 30 seconds, or when the gateway shuts down, are not sent. The header `Idempotency-Key` is rejected:
   * each item has its own key.
   * REST: `POST /atlas/frexapi/shipment/track/`, once per item.
   */
  trackShipments?: Maybe<TrackShipmentsPayload>;
  /**
   * Changes a custom notification. Requires a bearer token. Fails with `NOT_FOUND` if the service has none with this
   * identifier. The service replaces whole definitions, so the gateway first reads the notification and sends it back
   * with the changes, unless `input` has all fields and `ifLastUpdateDate` is not set. If that read fails, no update is
   * sent, and the outcome is `NOT_APPLIED`. An update that would have to keep recipients that the service masks or does not return is not
   * sent either, and fails with `SERVICE_RESPONSE_INVALID`: the message names what the input must contain. All REST calls of the
   * field share the timeout of a single one. If the outcome is unknown, the gateway reads the notification, and the field succeeds if it has
   * every value that was sent. `UNKNOWN` means that the notification has other values, possibly because the service
   * rewrites them, or could not be read.
   * REST: `PUT /v1/customnotifications/{notificationGuid}`.
   */
  updateNotification?: Maybe<UpdateNotificationPayload>;
  /**
   * Changes custom notifications. Requires a bearer token. Each item has the arguments of `updateNotification`; each result is its payload,
   * in the order of the items. An item that the service rejects does not affect the others. At most 500 items per operation;
   * they are sent concurrently, items of the same notification one after the other, and items that have not started within 30 seconds, or
   * when the gateway shuts down, are not sent. The header `Idempotency-Key` is rejected: each item has its own key.
   * REST: `PUT /v1/customnotifications/{notificationGuid}`, once per item.
   */
  updateNotifications?: Maybe<UpdateNotificationsPayload>;
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationCreateNotificationArgs = {
  dryRun?: Scalars['Boolean']['input'];
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  input: NotificationInput;
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationCreateNotificationsArgs = {
  dryRun?: Scalars['Boolean']['input'];
  items: Array<CreateNotificationItem>;
  onInvalidItem?: OnInvalidItem;
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationDeleteExceptionArgs = {
  dryRun?: Scalars['Boolean']['input'];
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  input: DeleteExceptionInput;
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationDeleteExceptionsArgs = {
  dryRun?: Scalars['Boolean']['input'];
  items: Array<DeleteExceptionItem>;
  onInvalidItem?: OnInvalidItem;
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationDeleteNotificationArgs = {
  dryRun?: Scalars['Boolean']['input'];
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  ifLastUpdateDate?: InputMaybe<Scalars['DateTime']['input']>;
  notificationGuid: Scalars['ID']['input'];
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationDeleteNotificationsArgs = {
  dryRun?: Scalars['Boolean']['input'];
  items: Array<DeleteNotificationItem>;
  onInvalidItem?: OnInvalidItem;
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationTrackShipmentArgs = {
  dryRun?: Scalars['Boolean']['input'];
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  input: TrackShipmentInput;
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationTrackShipmentsArgs = {
  dryRun?: Scalars['Boolean']['input'];
  items: Array<TrackShipmentItem>;
  onInvalidItem?: OnInvalidItem;
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationUpdateNotificationArgs = {
  dryRun?: Scalars['Boolean']['input'];
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  ifLastUpdateDate?: InputMaybe<Scalars['DateTime']['input']>;
  input: UpdateNotificationInput;
  notificationGuid: Scalars['ID']['input'];
};


/**
 * Write operations. Root fields run sequentially, and each is nullable: a failed field does not affect its siblings. `WritePayload` describes
 * what their payloads have in common. Fields with the argument `items` send many writes, several at a time: each item has its own outcome.
 */
export type MutationUpdateNotificationsArgs = {
  dryRun?: Scalars['Boolean']['input'];
  items: Array<UpdateNotificationItem>;
  onInvalidItem?: OnInvalidItem;
};

/** A custom notification: fires when one of the listed changes occurs on a shipment that matches its filters. */
export type Notification = {
  __typename?: 'Notification';
  /** Filters that a shipment must match; empty if there are none. The service documents no shape. */
  filters: Array<Scalars['JSON']['output']>;
  /** The value of `notificationGuid`, under the name that Apollo Client, urql and Relay use as the cache key without configuration. */
  id: Scalars['ID']['output'];
  /**
   * When the notification was last updated. Null with the error `SERVICE_RESPONSE_INVALID` if the service's date cannot be read, for example
   * because it has no UTC offset; null without an error if there is none.
   */
  lastUpdateDate?: Maybe<Scalars['DateTime']['output']>;
  /** Name of the user who last updated the notification. Null with the error `SERVICE_RESPONSE_INVALID` if it cannot be read as a string. */
  lastUpdateUserName?: Maybe<Scalars['String']['output']>;
  /** Identifier assigned by the service. */
  notificationGuid: Scalars['ID']['output'];
  /** Additional data about the notification. The service documents only null. Null with an error if it is nested more than 100 levels deep. */
  notificationMetaData?: Maybe<Scalars['JSON']['output']>;
  /** External reference name of the notification. */
  notificationName: Scalars['String']['output'];
  /** The kind of change that triggers the notification, in the service's spelling, for example `shipmentStatusChange`. */
  notificationTypeLabel: Scalars['String']['output'];
  /** Subtypes of that kind of change, in the service's spelling, for example `ShipmentStatusEnRoute`. */
  notificationTypes: Array<Scalars['String']['output']>;
  /** Who is notified, and how. */
  recipient: NotificationRecipient;
  /**
   * The `notificationTypes` that are `ShipmentStatus` values; others are omitted. Empty unless
   * `notificationTypeLabel` is `shipmentStatusChange`, in any letter case.
   */
  shipmentStatuses: Array<ShipmentStatus>;
};

/** The definition of a custom notification. */
export type NotificationInput = {
  /**
   * Filters that a shipment must match; passed to the service unchanged. The service documents no shape. All lists of an
   * operation together have at most 1,000 elements.
   */
  filters?: InputMaybe<Array<Scalars['JSON']['input']>>;
  /** External reference name of the notification. */
  notificationName: Scalars['String']['input'];
  /** Who is notified, and how. */
  recipient: NotificationRecipientInput;
  /** The changes that trigger the notification. */
  trigger: NotificationTriggerInput;
};

/** One response of the service with its notifications. */
export type NotificationList = {
  __typename?: 'NotificationList';
  /** Messages from the service, which documents no shape for them, without secrets: at most 20, of at most 16,000 characters. */
  messages: Array<Scalars['JSON']['output']>;
  /** The notifications that match the service's contract, in its order. */
  notifications: Array<Notification>;
  /** Total number of notifications, as counted by the service; null if its response has no count that can be read as an Int. */
  totalPossibleCount?: Maybe<Scalars['Int']['output']>;
  /**
   * The notifications that do not match the contract, at most 100: a list with more of them fails. **If this field is not selected, the list
   * fails with `SERVICE_RESPONSE_INVALID` if there is any**, so that no incomplete list passes for a complete one.
   */
  unreadable: Array<UnreadableNotification>;
};

/** Who is notified, and how. The service's recipient type, regardless of letter case, determines the concrete type. */
export type NotificationRecipient = {
  /** Recipient type, in the service's spelling. */
  notificationRecipientType: Scalars['String']['output'];
};

/** Who is notified: set exactly one field. */
export type NotificationRecipientInput =
  /** The recipients listed here. */
  { shipmentLevel: ShipmentLevelRecipientInput; stopLevel?: never; }
  |  /** The contacts of the shipment's stops. */
  { shipmentLevel?: never; stopLevel: StopLevelRecipientInput; };

/** The changes that trigger the notification: set exactly one field. */
export type NotificationTriggerInput =
  /** Any other change, in the service's spelling: for labels and subtypes that this schema does not cover. */
  { other: OtherTriggerInput; shipmentStatusChange?: never; }
  |  /** The shipment reaches one of these statuses, at least one (service: label `shipmentStatusChange`). */
  { other?: never; shipmentStatusChange: Array<ShipmentStatus>; };

/**
 * What happens to the valid items of a bulk field if others are invalid. Items after the first 1,000 errors are neither checked nor sent, and
 * fail with `QUERY_TOO_COMPLEX`.
 */
export type OnInvalidItem =
  /** No item is sent: the valid ones fail with `OTHER_ITEM_INVALID`. */
  | 'SEND_NOTHING'
  /** The valid items are sent. */
  | 'SEND_OTHERS';

/** A recipient whose type this schema does not cover. */
export type OtherRecipient = NotificationRecipient & {
  __typename?: 'OtherRecipient';
  /** Recipient type, in the service's spelling. */
  notificationRecipientType: Scalars['String']['output'];
};

/** Changes in the service's spelling. */
export type OtherTriggerInput = {
  /** The kind of change. */
  notificationTypeLabel: Scalars['String']['input'];
  /** Subtypes of that kind of change, at least one. */
  notificationTypes: Array<Scalars['String']['input']>;
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

/** Read operations. */
export type Query = {
  __typename?: 'Query';
  /**
   * A custom notification; null if the service has none with this identifier (404, 410, 204). Requires a bearer token. After a 404 whose body is
   * neither empty nor JSON, the field fails with `SERVICE_RESPONSE_INVALID`.
   * REST: `GET /v1/customnotifications/{notificationGuid}`.
   */
  notification?: Maybe<Notification>;
  /**
   * The custom notifications that the service lists for the client. Requires a bearer token. Select `unreadable` to get the
   * list even if some notifications do not match the service's contract.
   * REST: `GET /v1/customnotifications`.
   */
  notifications?: Maybe<NotificationList>;
  /**
   * Several custom notifications in request order, with null for each one that the service does not have. Duplicates
   * are read once, and a failed read does not affect the others. Requires a bearer token.
   * REST: `GET /v1/customnotifications/{notificationGuid}`, once per distinct identifier.
   */
  notificationsByGuid?: Maybe<Array<Maybe<Notification>>>;
  /**
   * The recorded outcomes of the writes with these idempotency keys, in request order; nothing is sent again. If a key has no record, its element
   * is null, which proves nothing: the write was not applied or not received, or its record has expired (after 24 hours) or was lost.
   * Within 24 hours, a repeat with the key settles it. Requires no token, and makes no REST call. Fails with
   * `IDEMPOTENCY_UNAVAILABLE` if keys are not enabled, or their store cannot be read.
   */
  writeRecords?: Maybe<Array<Maybe<WriteRecord>>>;
};


/** Read operations. */
export type QueryNotificationArgs = {
  notificationGuid: Scalars['ID']['input'];
};


/** Read operations. */
export type QueryNotificationsArgs = {
  additionalParameters?: InputMaybe<Scalars['JSONObject']['input']>;
};


/** Read operations. */
export type QueryNotificationsByGuidArgs = {
  notificationGuids: Array<Scalars['ID']['input']>;
};


/** Read operations. */
export type QueryWriteRecordsArgs = {
  idempotencyKeys: Array<Scalars['ID']['input']>;
};

/** A shipment, as identified in the input. The gateway reads no further data about it. */
export type ShipmentIdentity = {
  __typename?: 'ShipmentIdentity';
  /** Identifier of the hauler; null if the shipment was identified by license plate. */
  freightHaulerProviderXid?: Maybe<Scalars['String']['output']>;
  /** Reference number of the shipment. */
  freightProviderReferenceNumber: Scalars['String']['output'];
  /** License plate identifier; null if the shipment was identified by hauler. */
  portalLicensePlate?: Maybe<Scalars['String']['output']>;
};

/** Identifies a shipment: set exactly one field. */
export type ShipmentIdentityInput =
  /** By reference number and hauler. */
  { hauler: HaulerShipmentInput; licensePlate?: never; }
  |  /** By reference number and license plate. */
  { hauler?: never; licensePlate: LicensePlateShipmentInput; };

/** Recipients listed in the notification itself (service: `shipmentLevel`). */
export type ShipmentLevelRecipient = NotificationRecipient & {
  __typename?: 'ShipmentLevelRecipient';
  /** Email addresses to notify. */
  emailList: Array<Scalars['String']['output']>;
  /** Recipient type, in the service's spelling. */
  notificationRecipientType: Scalars['String']['output'];
  /** Phone numbers to notify by SMS. */
  smsList: Array<Scalars['PhoneNumber']['output']>;
};

/** The recipients: at least one email address or phone number in total. */
export type ShipmentLevelRecipientInput = {
  /** Email addresses to notify; may be empty. All lists of an operation together have at most 1,000 elements. */
  emailList: Array<Scalars['EmailAddress']['input']>;
  /** Phone numbers to notify by SMS; may be empty. All lists of an operation together have at most 1,000 elements. */
  smsList: Array<Scalars['PhoneNumber']['input']>;
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

/** The contacts of the shipment's stops (service: `stopLevel`). */
export type StopLevelRecipient = NotificationRecipient & {
  __typename?: 'StopLevelRecipient';
  /** Recipient type, in the service's spelling. */
  notificationRecipientType: Scalars['String']['output'];
  /** Whether stop contacts are notified by email. */
  notifyStopContactsByEmail: Scalars['Boolean']['output'];
  /** Whether stop contacts are notified by SMS. */
  notifyStopContactsBySms: Scalars['Boolean']['output'];
};

/** How the contacts of the shipment's stops are notified. */
export type StopLevelRecipientInput = {
  /** Whether to notify stop contacts by email. */
  notifyStopContactsByEmail: Scalars['Boolean']['input'];
  /** Whether to notify stop contacts by SMS. */
  notifyStopContactsBySms: Scalars['Boolean']['input'];
};

/** The shipment to track, and how to track it. */
export type TrackShipmentInput = {
  /**
   * Additional parameters for the service, which accepts some that it does not document. Names have at most 100
   * characters and no control characters; those that match a documented or fixed parameter, in any
   * spelling, are rejected. Parameters count as list elements.
   */
  additionalParameters?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The carrier of the shipment. */
  carrier: CarrierInput;
  /**
   * The driver's mobile phone number (service: `DriverPhoneNumber`). A gateway with `DRIVER_PHONE_FORMAT=unchanged` accepts any text,
   * and sends it unchanged.
   */
  driverPhoneNumber: Scalars['PhoneNumber']['input'];
  /** The shipment to track. */
  shipment: ShipmentIdentityInput;
  /** Type of tracking. The service documents no values (service: `ShipmentTrackingType`). */
  shipmentTrackingType: Scalars['String']['input'];
};

/** An item of `trackShipments`. */
export type TrackShipmentItem = {
  /**
   * A UUID of version 4 or, preferably, 7 (RFC 9562) that makes repeats of this item safe, like the argument `idempotencyKey` of the single
   * mutation field. A key identifies the same write in both fields.
   */
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** The shipment, its carrier and its driver. */
  input: TrackShipmentInput;
};

/** Result of tracking a shipment. */
export type TrackShipmentPayload = WritePayload & {
  __typename?: 'TrackShipmentPayload';
  /** The carrier, as identified in the input; null if that is invalid. */
  carrier?: Maybe<CarrierIdentity>;
  /** The driver's phone number from the input, in E.164 format if it is a phone number; null if it is invalid. */
  driverPhoneNumber?: Maybe<Scalars['PhoneNumber']['output']>;
  /** Why the write failed, at most 100 errors; empty if it was applied, and for a dry run of a valid write. */
  errors: Array<WriteError>;
  /** How the outcome is known; null if it is `UNKNOWN`. */
  evidence?: Maybe<OutcomeEvidence>;
  /** How the write ended. Always `APPLIED` if `errors` is not selected. */
  outcome: WriteOutcome;
  /** The shipment, as identified in the input; null if that is invalid. */
  shipment?: Maybe<ShipmentIdentity>;
  /** True if tracking was started, false if it was not, null if that is unknown. */
  tracked?: Maybe<Scalars['Boolean']['output']>;
};

/** Results of `trackShipments`. */
export type TrackShipmentsPayload = {
  __typename?: 'TrackShipmentsPayload';
  /** Number of items that were applied. */
  applied: Scalars['Int']['output'];
  /** Number of items that changed nothing. */
  notApplied: Scalars['Int']['output'];
  /**
   * The result of each item, in the order of the items. If `errors` is selected, a failure is data, as `WritePayload` describes. If it is not,
   * the element is null and the failure is a GraphQL error with the path of the element. Without this field, `trackShipments` itself
   * is null with an error if an item failed and no selected count reveals it.
   */
  results: Array<Maybe<TrackShipmentPayload>>;
  /** Number of items that may have been applied. */
  unknown: Scalars['Int']['output'];
};

/** A notification in the service's response that does not match the service's contract. */
export type UnreadableNotification = {
  __typename?: 'UnreadableNotification';
  /** Position in the response, from 0. */
  index: Scalars['Int']['output'];
  /** Identifier assigned by the service, if it can be read. */
  notificationGuid?: Maybe<Scalars['ID']['output']>;
  /** What is wrong: the JSON Pointer (RFC 6901) of each place in the response, and what the contract expects there. */
  problem: Scalars['String']['output'];
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
  filters?: InputMaybe<Array<Scalars['JSON']['input']>>;
  /** External reference name of the notification. */
  notificationName?: InputMaybe<Scalars['String']['input']>;
  /** Who is notified, and how; replaces the previous recipient. */
  recipient?: InputMaybe<NotificationRecipientInput>;
  /** The changes that trigger the notification; they replace all previous ones. */
  trigger?: InputMaybe<NotificationTriggerInput>;
};

/** An item of `updateNotifications`. */
export type UpdateNotificationItem = {
  /**
   * A UUID of version 4 or, preferably, 7 (RFC 9562) that makes repeats of this item safe, like the argument `idempotencyKey` of the single
   * mutation field. A key identifies the same write in both fields.
   */
  idempotencyKey?: InputMaybe<Scalars['ID']['input']>;
  /** Like the argument of the single mutation field: if the notification was last updated at another time, the item fails with `CONFLICT`. */
  ifLastUpdateDate?: InputMaybe<Scalars['DateTime']['input']>;
  /** The changes. */
  input: UpdateNotificationInput;
  /** Identifier assigned by the service: at most 256 characters, without slashes. */
  notificationGuid: Scalars['ID']['input'];
};

/** Result of updating a notification. */
export type UpdateNotificationPayload = WritePayload & {
  __typename?: 'UpdateNotificationPayload';
  /**
   * After `CONFLICT` because of `ifLastUpdateDate`: the notification that the gateway has just read. It is a separate field so that nobody
   * mistakes it for the result.
   */
  current?: Maybe<Notification>;
  /** Why the write failed, at most 100 errors; empty if it was applied, and for a dry run of a valid write. */
  errors: Array<WriteError>;
  /** How the outcome is known; null if it is `UNKNOWN`. */
  evidence?: Maybe<OutcomeEvidence>;
  /** Messages from the service, which documents no shape for them; empty after a failure, or if the success is known from a read or an earlier attempt. */
  messages: Array<Scalars['JSON']['output']>;
  /**
   * The notification after the update; null after a failure, or if it could not be read: the service confirmed the update without
   * returning it as updated, or an earlier attempt with the same idempotency key made the update, and reading the notification failed, or
   * returned what was there before.
   */
  notification?: Maybe<Notification>;
  /** Identifier of the updated notification, as in the input. */
  notificationGuid: Scalars['ID']['output'];
  /** How the write ended. Always `APPLIED` if `errors` is not selected. */
  outcome: WriteOutcome;
};

/** Results of `updateNotifications`. */
export type UpdateNotificationsPayload = {
  __typename?: 'UpdateNotificationsPayload';
  /** Number of items that were applied. */
  applied: Scalars['Int']['output'];
  /** Number of items that changed nothing. */
  notApplied: Scalars['Int']['output'];
  /**
   * The result of each item, in the order of the items. If `errors` is selected, a failure is data, as `WritePayload` describes. If it is not,
   * the element is null and the failure is a GraphQL error with the path of the element. Without this field, `updateNotifications` itself
   * is null with an error if an item failed and no selected count reveals it.
   */
  results: Array<Maybe<UpdateNotificationPayload>>;
  /** Number of items that may have been applied. */
  unknown: Scalars['Int']['output'];
};

/** Why a write failed: the same members as in `extensions` of a GraphQL error for this failure. */
export type WriteError = {
  __typename?: 'WriteError';
  /**
   * After `createNotification` with the outcome `UNKNOWN`: identifiers of the notifications that it may have created, at most 100. Null if the
   * response has none and the gateway could not look for them; an empty list is no proof that nothing was created.
   */
  candidates?: Maybe<Array<Scalars['ID']['output']>>;
  /** The kind of failure. */
  code: WriteErrorCode;
  /**
   * With `BAD_USER_INPUT`: path of the invalid input within the arguments, with indexes as text, such as
   * `["input", "recipient", "shipmentLevel", "emailList", "0"]`. With other codes: path of the value that the service rejects, for the
   * reasons in `serviceMessages`. There is one error for each such value, and one without a path for all other messages of the service.
   */
  inputPath?: Maybe<Array<Scalars['String']['output']>>;
  /** The limit that the rule sets, such as the maximum length. */
  limit?: Maybe<Scalars['Int']['output']>;
  /** For people; may change. */
  message: Scalars['String']['output'];
  /** Identifies the request in the log of the gateway. */
  requestId: Scalars['ID']['output'];
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: Maybe<Scalars['Int']['output']>;
  /** Whether repeating the field is safe and may succeed. */
  retryable: Scalars['Boolean']['output'];
  /** With `BAD_USER_INPUT`: the rule that the input violates. */
  rule?: Maybe<InputRule>;
  /**
   * Messages of the service, without secrets: at most 20, of at most 1,000 characters each, in all errors of the write together. Elements of its
   * `messages` are returned unchanged. Other messages are strings, or, if they are about a field of the call,
   * `{ "field": "DriverPhoneNumber", "message": "…" }` with the service's name for the field.
   */
  serviceMessages: Array<Scalars['JSON']['output']>;
  /** HTTP status of the service's response. */
  status?: Maybe<Scalars['Int']['output']>;
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

/**
 * What all payloads of mutations have in common. **A failure is reported where the client looks**: if the operation selects `errors`
 * of the payload, under any alias or in a fragment, a failed write returns its payload, with the failure in `outcome` and `errors`. If it
 * does not, the field is null and the same failure is a GraphQL error. Failures before the field is executed, such as errors in the document
 * or in the coercion of variables, are always GraphQL errors.
 *
 * Every GraphQL error of a mutation has `extensions.outcome`, which is `NOT_APPLIED` or `UNKNOWN`, or `APPLIED` if only a value in the payload
 * of an applied write cannot be read. The gateway never resends a write that may have reached the service. Instead, it reads once: if it finds
 * the state that the write requested, the field succeeds with the evidence `READ_BACK`.
 */
export type WritePayload = {
  /**
   * Why the write failed, at most 100 errors; empty if it was applied, and also after a dry run of a valid write, whose outcome is
   * `NOT_APPLIED`.
   */
  errors: Array<WriteError>;
  /** How the outcome is known; null if it is `UNKNOWN`. */
  evidence?: Maybe<OutcomeEvidence>;
  /** How the write ended. Always `APPLIED` if `errors` is not selected. */
  outcome: WriteOutcome;
};

/** What the gateway has recorded about a write with an idempotency key. */
export type WriteRecord = {
  __typename?: 'WriteRecord';
  /**
   * When the record is removed, by the clock of the gateway. After that, a repeat with a key of
   * version 4 counts as new, and one of version 7 fails with `IDEMPOTENCY_KEY_EXPIRED`.
   */
  expiresAt: Scalars['DateTime']['output'];
  /** The mutation field, for example `trackShipment`. */
  field: Scalars['String']['output'];
  /** The key, in lower case. */
  idempotencyKey: Scalars['ID']['output'];
  /** Identifier of the notification that the write created; null for other writes. */
  notificationGuid?: Maybe<Scalars['ID']['output']>;
  /** How the write ended: `APPLIED` or `UNKNOWN`. Null while it is in progress. */
  outcome?: Maybe<WriteOutcome>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;




/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  NotificationRecipient:
    | ( NotificationRecord )
    | ( NotificationRecord )
    | ( StopLevelNotification )
  ;
  WritePayload:
    | ( Payload<'createNotification'> )
    | ( Payload<'deleteException'> )
    | ( Payload<'deleteNotification'> )
    | ( Payload<'trackShipment'> )
    | ( Payload<'updateNotification'> )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  CarrierIdentity: ResolverTypeWrapper<CarrierIdentity>;
  CarrierInput: CarrierInput;
  CreateNotificationItem: CreateNotificationItem;
  CreateNotificationPayload: ResolverTypeWrapper<Payload<'createNotification'>>;
  CreateNotificationsPayload: ResolverTypeWrapper<Payload<'createNotifications'>>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  DeleteExceptionInput: DeleteExceptionInput;
  DeleteExceptionItem: DeleteExceptionItem;
  DeleteExceptionPayload: ResolverTypeWrapper<Payload<'deleteException'>>;
  DeleteExceptionsPayload: ResolverTypeWrapper<Payload<'deleteExceptions'>>;
  DeleteNotificationItem: DeleteNotificationItem;
  DeleteNotificationPayload: ResolverTypeWrapper<Payload<'deleteNotification'>>;
  DeleteNotificationsPayload: ResolverTypeWrapper<Payload<'deleteNotifications'>>;
  EmailAddress: ResolverTypeWrapper<Scalars['EmailAddress']['output']>;
  ExceptionTargetInput: ExceptionTargetInput;
  HaulerShipmentInput: HaulerShipmentInput;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  InputRule: InputRule;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  JSONObject: ResolverTypeWrapper<Scalars['JSONObject']['output']>;
  LicensePlateShipmentInput: LicensePlateShipmentInput;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Notification: ResolverTypeWrapper<NotificationRecord>;
  NotificationInput: NotificationInput;
  NotificationList: ResolverTypeWrapper<ReceivedNotificationList>;
  NotificationRecipient: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['NotificationRecipient']>;
  NotificationRecipientInput: NotificationRecipientInput;
  NotificationTriggerInput: NotificationTriggerInput;
  OnInvalidItem: OnInvalidItem;
  OtherRecipient: ResolverTypeWrapper<NotificationRecord>;
  OtherTriggerInput: OtherTriggerInput;
  OutcomeEvidence: OutcomeEvidence;
  PhoneNumber: ResolverTypeWrapper<Scalars['PhoneNumber']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ShipmentIdentity: ResolverTypeWrapper<ShipmentIdentity>;
  ShipmentIdentityInput: ShipmentIdentityInput;
  ShipmentLevelRecipient: ResolverTypeWrapper<NotificationRecord>;
  ShipmentLevelRecipientInput: ShipmentLevelRecipientInput;
  ShipmentStatus: ShipmentStatus;
  StopLevelRecipient: ResolverTypeWrapper<StopLevelNotification>;
  StopLevelRecipientInput: StopLevelRecipientInput;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  TrackShipmentInput: TrackShipmentInput;
  TrackShipmentItem: TrackShipmentItem;
  TrackShipmentPayload: ResolverTypeWrapper<Payload<'trackShipment'>>;
  TrackShipmentsPayload: ResolverTypeWrapper<Payload<'trackShipments'>>;
  UnreadableNotification: ResolverTypeWrapper<ReceivedUnreadableNotification>;
  UpdateNotificationInput: UpdateNotificationInput;
  UpdateNotificationItem: UpdateNotificationItem;
  UpdateNotificationPayload: ResolverTypeWrapper<Payload<'updateNotification'>>;
  UpdateNotificationsPayload: ResolverTypeWrapper<Payload<'updateNotifications'>>;
  WriteError: ResolverTypeWrapper<ReceivedWriteError>;
  WriteErrorCode: WriteErrorCode;
  WriteOutcome: WriteOutcome;
  WritePayload: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['WritePayload']>;
  WriteRecord: ResolverTypeWrapper<WriteRecord>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Boolean: Scalars['Boolean']['output'];
  CarrierIdentity: CarrierIdentity;
  CarrierInput: CarrierInput;
  CreateNotificationItem: CreateNotificationItem;
  CreateNotificationPayload: Payload<'createNotification'>;
  CreateNotificationsPayload: Payload<'createNotifications'>;
  DateTime: Scalars['DateTime']['output'];
  DeleteExceptionInput: DeleteExceptionInput;
  DeleteExceptionItem: DeleteExceptionItem;
  DeleteExceptionPayload: Payload<'deleteException'>;
  DeleteExceptionsPayload: Payload<'deleteExceptions'>;
  DeleteNotificationItem: DeleteNotificationItem;
  DeleteNotificationPayload: Payload<'deleteNotification'>;
  DeleteNotificationsPayload: Payload<'deleteNotifications'>;
  EmailAddress: Scalars['EmailAddress']['output'];
  ExceptionTargetInput: ExceptionTargetInput;
  HaulerShipmentInput: HaulerShipmentInput;
  ID: Scalars['ID']['output'];
  Int: Scalars['Int']['output'];
  JSON: Scalars['JSON']['output'];
  JSONObject: Scalars['JSONObject']['output'];
  LicensePlateShipmentInput: LicensePlateShipmentInput;
  Mutation: Record<PropertyKey, never>;
  Notification: NotificationRecord;
  NotificationInput: NotificationInput;
  NotificationList: ReceivedNotificationList;
  NotificationRecipient: ResolversInterfaceTypes<ResolversParentTypes>['NotificationRecipient'];
  NotificationRecipientInput: NotificationRecipientInput;
  NotificationTriggerInput: NotificationTriggerInput;
  OtherRecipient: NotificationRecord;
  OtherTriggerInput: OtherTriggerInput;
  PhoneNumber: Scalars['PhoneNumber']['output'];
  Query: Record<PropertyKey, never>;
  ShipmentIdentity: ShipmentIdentity;
  ShipmentIdentityInput: ShipmentIdentityInput;
  ShipmentLevelRecipient: NotificationRecord;
  ShipmentLevelRecipientInput: ShipmentLevelRecipientInput;
  StopLevelRecipient: StopLevelNotification;
  StopLevelRecipientInput: StopLevelRecipientInput;
  String: Scalars['String']['output'];
  TrackShipmentInput: TrackShipmentInput;
  TrackShipmentItem: TrackShipmentItem;
  TrackShipmentPayload: Payload<'trackShipment'>;
  TrackShipmentsPayload: Payload<'trackShipments'>;
  UnreadableNotification: ReceivedUnreadableNotification;
  UpdateNotificationInput: UpdateNotificationInput;
  UpdateNotificationItem: UpdateNotificationItem;
  UpdateNotificationPayload: Payload<'updateNotification'>;
  UpdateNotificationsPayload: Payload<'updateNotifications'>;
  WriteError: ReceivedWriteError;
  WritePayload: ResolversInterfaceTypes<ResolversParentTypes>['WritePayload'];
  WriteRecord: WriteRecord;
};

export type MergeDirectiveArgs = {
  keyField: Scalars['String']['input'];
};

export type MergeDirectiveResolver<Result, Parent, ContextType = GatewayContext, Args = MergeDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type CarrierIdentityResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['CarrierIdentity'] = ResolversParentTypes['CarrierIdentity']> = {
  dot?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  mc?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  scac?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CreateNotificationPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['CreateNotificationPayload'] = ResolversParentTypes['CreateNotificationPayload']> = {
  errors?: Resolver<Array<ResolversTypes['WriteError']>, ParentType, ContextType>;
  evidence?: Resolver<Maybe<ResolversTypes['OutcomeEvidence']>, ParentType, ContextType>;
  messages?: Resolver<Array<ResolversTypes['JSON']>, ParentType, ContextType>;
  notification?: Resolver<Maybe<ResolversTypes['Notification']>, ParentType, ContextType>;
  notificationGuid?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['WriteOutcome'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type CreateNotificationsPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['CreateNotificationsPayload'] = ResolversParentTypes['CreateNotificationsPayload']> = {
  applied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  notApplied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  results?: Resolver<Array<Maybe<ResolversTypes['CreateNotificationPayload']>>, ParentType, ContextType>;
  unknown?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeleteExceptionPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['DeleteExceptionPayload'] = ResolversParentTypes['DeleteExceptionPayload']> = {
  carrier?: Resolver<Maybe<ResolversTypes['CarrierIdentity']>, ParentType, ContextType>;
  deleted?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  errors?: Resolver<Array<ResolversTypes['WriteError']>, ParentType, ContextType>;
  evidence?: Resolver<Maybe<ResolversTypes['OutcomeEvidence']>, ParentType, ContextType>;
  exceptionFileGuid?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  exceptionGuid?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  messages?: Resolver<Array<ResolversTypes['JSON']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['WriteOutcome'], ParentType, ContextType>;
  shipment?: Resolver<Maybe<ResolversTypes['ShipmentIdentity']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type DeleteExceptionsPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['DeleteExceptionsPayload'] = ResolversParentTypes['DeleteExceptionsPayload']> = {
  applied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  notApplied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  results?: Resolver<Array<Maybe<ResolversTypes['DeleteExceptionPayload']>>, ParentType, ContextType>;
  unknown?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type DeleteNotificationPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['DeleteNotificationPayload'] = ResolversParentTypes['DeleteNotificationPayload']> = {
  current?: Resolver<Maybe<ResolversTypes['Notification']>, ParentType, ContextType>;
  errors?: Resolver<Array<ResolversTypes['WriteError']>, ParentType, ContextType>;
  evidence?: Resolver<Maybe<ResolversTypes['OutcomeEvidence']>, ParentType, ContextType>;
  messages?: Resolver<Array<ResolversTypes['JSON']>, ParentType, ContextType>;
  notificationGuid?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['WriteOutcome'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type DeleteNotificationsPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['DeleteNotificationsPayload'] = ResolversParentTypes['DeleteNotificationsPayload']> = {
  applied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  notApplied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  results?: Resolver<Array<Maybe<ResolversTypes['DeleteNotificationPayload']>>, ParentType, ContextType>;
  unknown?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export interface EmailAddressScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['EmailAddress'], any> {
  name: 'EmailAddress';
}

export interface JsonScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSON'], any> {
  name: 'JSON';
}

export interface JsonObjectScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSONObject'], any> {
  name: 'JSONObject';
}

export type MutationResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createNotification?: Resolver<Maybe<ResolversTypes['CreateNotificationPayload']>, ParentType, ContextType, RequireFields<MutationCreateNotificationArgs, 'dryRun' | 'input'>>;
  createNotifications?: Resolver<Maybe<ResolversTypes['CreateNotificationsPayload']>, ParentType, ContextType, RequireFields<MutationCreateNotificationsArgs, 'dryRun' | 'items' | 'onInvalidItem'>>;
  deleteException?: Resolver<Maybe<ResolversTypes['DeleteExceptionPayload']>, ParentType, ContextType, RequireFields<MutationDeleteExceptionArgs, 'dryRun' | 'input'>>;
  deleteExceptions?: Resolver<Maybe<ResolversTypes['DeleteExceptionsPayload']>, ParentType, ContextType, RequireFields<MutationDeleteExceptionsArgs, 'dryRun' | 'items' | 'onInvalidItem'>>;
  deleteNotification?: Resolver<Maybe<ResolversTypes['DeleteNotificationPayload']>, ParentType, ContextType, RequireFields<MutationDeleteNotificationArgs, 'dryRun' | 'notificationGuid'>>;
  deleteNotifications?: Resolver<Maybe<ResolversTypes['DeleteNotificationsPayload']>, ParentType, ContextType, RequireFields<MutationDeleteNotificationsArgs, 'dryRun' | 'items' | 'onInvalidItem'>>;
  trackShipment?: Resolver<Maybe<ResolversTypes['TrackShipmentPayload']>, ParentType, ContextType, RequireFields<MutationTrackShipmentArgs, 'dryRun' | 'input'>>;
  trackShipments?: Resolver<Maybe<ResolversTypes['TrackShipmentsPayload']>, ParentType, ContextType, RequireFields<MutationTrackShipmentsArgs, 'dryRun' | 'items' | 'onInvalidItem'>>;
  updateNotification?: Resolver<Maybe<ResolversTypes['UpdateNotificationPayload']>, ParentType, ContextType, RequireFields<MutationUpdateNotificationArgs, 'dryRun' | 'input' | 'notificationGuid'>>;
  updateNotifications?: Resolver<Maybe<ResolversTypes['UpdateNotificationsPayload']>, ParentType, ContextType, RequireFields<MutationUpdateNotificationsArgs, 'dryRun' | 'items' | 'onInvalidItem'>>;
};

export type NotificationResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Notification'] = ResolversParentTypes['Notification']> = {
  filters?: Resolver<Array<ResolversTypes['JSON']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  lastUpdateDate?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastUpdateUserName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  notificationGuid?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  notificationMetaData?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  notificationName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  notificationTypeLabel?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  notificationTypes?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  recipient?: Resolver<ResolversTypes['NotificationRecipient'], ParentType, ContextType>;
  shipmentStatuses?: Resolver<Array<ResolversTypes['ShipmentStatus']>, ParentType, ContextType>;
};

export type NotificationListResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['NotificationList'] = ResolversParentTypes['NotificationList']> = {
  messages?: Resolver<Array<ResolversTypes['JSON']>, ParentType, ContextType>;
  notifications?: Resolver<Array<ResolversTypes['Notification']>, ParentType, ContextType>;
  totalPossibleCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  unreadable?: Resolver<Array<ResolversTypes['UnreadableNotification']>, ParentType, ContextType>;
};

export type NotificationRecipientResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['NotificationRecipient'] = ResolversParentTypes['NotificationRecipient']> = {
  __resolveType: TypeResolveFn<'OtherRecipient' | 'ShipmentLevelRecipient' | 'StopLevelRecipient', ParentType, ContextType>;
};

export type OtherRecipientResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['OtherRecipient'] = ResolversParentTypes['OtherRecipient']> = {
  notificationRecipientType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export interface PhoneNumberScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['PhoneNumber'], any> {
  name: 'PhoneNumber';
}

export type QueryResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  notification?: Resolver<Maybe<ResolversTypes['Notification']>, ParentType, ContextType, RequireFields<QueryNotificationArgs, 'notificationGuid'>>;
  notifications?: Resolver<Maybe<ResolversTypes['NotificationList']>, ParentType, ContextType, Partial<QueryNotificationsArgs>>;
  notificationsByGuid?: Resolver<Maybe<Array<Maybe<ResolversTypes['Notification']>>>, ParentType, ContextType, RequireFields<QueryNotificationsByGuidArgs, 'notificationGuids'>>;
  writeRecords?: Resolver<Maybe<Array<Maybe<ResolversTypes['WriteRecord']>>>, ParentType, ContextType, RequireFields<QueryWriteRecordsArgs, 'idempotencyKeys'>>;
};

export type ShipmentIdentityResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['ShipmentIdentity'] = ResolversParentTypes['ShipmentIdentity']> = {
  freightHaulerProviderXid?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  freightProviderReferenceNumber?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  portalLicensePlate?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ShipmentLevelRecipientResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['ShipmentLevelRecipient'] = ResolversParentTypes['ShipmentLevelRecipient']> = {
  emailList?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  notificationRecipientType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  smsList?: Resolver<Array<ResolversTypes['PhoneNumber']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type StopLevelRecipientResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['StopLevelRecipient'] = ResolversParentTypes['StopLevelRecipient']> = {
  notificationRecipientType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  notifyStopContactsByEmail?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  notifyStopContactsBySms?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type TrackShipmentPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['TrackShipmentPayload'] = ResolversParentTypes['TrackShipmentPayload']> = {
  carrier?: Resolver<Maybe<ResolversTypes['CarrierIdentity']>, ParentType, ContextType>;
  driverPhoneNumber?: Resolver<Maybe<ResolversTypes['PhoneNumber']>, ParentType, ContextType>;
  errors?: Resolver<Array<ResolversTypes['WriteError']>, ParentType, ContextType>;
  evidence?: Resolver<Maybe<ResolversTypes['OutcomeEvidence']>, ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['WriteOutcome'], ParentType, ContextType>;
  shipment?: Resolver<Maybe<ResolversTypes['ShipmentIdentity']>, ParentType, ContextType>;
  tracked?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type TrackShipmentsPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['TrackShipmentsPayload'] = ResolversParentTypes['TrackShipmentsPayload']> = {
  applied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  notApplied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  results?: Resolver<Array<Maybe<ResolversTypes['TrackShipmentPayload']>>, ParentType, ContextType>;
  unknown?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type UnreadableNotificationResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['UnreadableNotification'] = ResolversParentTypes['UnreadableNotification']> = {
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  notificationGuid?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  problem?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type UpdateNotificationPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['UpdateNotificationPayload'] = ResolversParentTypes['UpdateNotificationPayload']> = {
  current?: Resolver<Maybe<ResolversTypes['Notification']>, ParentType, ContextType>;
  errors?: Resolver<Array<ResolversTypes['WriteError']>, ParentType, ContextType>;
  evidence?: Resolver<Maybe<ResolversTypes['OutcomeEvidence']>, ParentType, ContextType>;
  messages?: Resolver<Array<ResolversTypes['JSON']>, ParentType, ContextType>;
  notification?: Resolver<Maybe<ResolversTypes['Notification']>, ParentType, ContextType>;
  notificationGuid?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  outcome?: Resolver<ResolversTypes['WriteOutcome'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type UpdateNotificationsPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['UpdateNotificationsPayload'] = ResolversParentTypes['UpdateNotificationsPayload']> = {
  applied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  notApplied?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  results?: Resolver<Array<Maybe<ResolversTypes['UpdateNotificationPayload']>>, ParentType, ContextType>;
  unknown?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type WriteErrorResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['WriteError'] = ResolversParentTypes['WriteError']> = {
  candidates?: Resolver<Maybe<Array<ResolversTypes['ID']>>, ParentType, ContextType>;
  code?: Resolver<ResolversTypes['WriteErrorCode'], ParentType, ContextType>;
  inputPath?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  limit?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  requestId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  retryAfterSeconds?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  retryable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  rule?: Resolver<Maybe<ResolversTypes['InputRule']>, ParentType, ContextType>;
  serviceMessages?: Resolver<Array<ResolversTypes['JSON']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type WritePayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['WritePayload'] = ResolversParentTypes['WritePayload']> = {
  __resolveType: TypeResolveFn<'CreateNotificationPayload' | 'DeleteExceptionPayload' | 'DeleteNotificationPayload' | 'TrackShipmentPayload' | 'UpdateNotificationPayload', ParentType, ContextType>;
};

export type WriteRecordResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['WriteRecord'] = ResolversParentTypes['WriteRecord']> = {
  expiresAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  idempotencyKey?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  notificationGuid?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  outcome?: Resolver<Maybe<ResolversTypes['WriteOutcome']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = GatewayContext> = {
  CarrierIdentity?: CarrierIdentityResolvers<ContextType>;
  CreateNotificationPayload?: CreateNotificationPayloadResolvers<ContextType>;
  CreateNotificationsPayload?: CreateNotificationsPayloadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  DeleteExceptionPayload?: DeleteExceptionPayloadResolvers<ContextType>;
  DeleteExceptionsPayload?: DeleteExceptionsPayloadResolvers<ContextType>;
  DeleteNotificationPayload?: DeleteNotificationPayloadResolvers<ContextType>;
  DeleteNotificationsPayload?: DeleteNotificationsPayloadResolvers<ContextType>;
  EmailAddress?: GraphQLScalarType;
  JSON?: GraphQLScalarType;
  JSONObject?: GraphQLScalarType;
  Mutation?: MutationResolvers<ContextType>;
  Notification?: NotificationResolvers<ContextType>;
  NotificationList?: NotificationListResolvers<ContextType>;
  NotificationRecipient?: NotificationRecipientResolvers<ContextType>;
  OtherRecipient?: OtherRecipientResolvers<ContextType>;
  PhoneNumber?: GraphQLScalarType;
  Query?: QueryResolvers<ContextType>;
  ShipmentIdentity?: ShipmentIdentityResolvers<ContextType>;
  ShipmentLevelRecipient?: ShipmentLevelRecipientResolvers<ContextType>;
  StopLevelRecipient?: StopLevelRecipientResolvers<ContextType>;
  TrackShipmentPayload?: TrackShipmentPayloadResolvers<ContextType>;
  TrackShipmentsPayload?: TrackShipmentsPayloadResolvers<ContextType>;
  UnreadableNotification?: UnreadableNotificationResolvers<ContextType>;
  UpdateNotificationPayload?: UpdateNotificationPayloadResolvers<ContextType>;
  UpdateNotificationsPayload?: UpdateNotificationsPayloadResolvers<ContextType>;
  WriteError?: WriteErrorResolvers<ContextType>;
  WritePayload?: WritePayloadResolvers<ContextType>;
  WriteRecord?: WriteRecordResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = GatewayContext> = {
  merge?: MergeDirectiveResolver<any, any, ContextType>;
};
