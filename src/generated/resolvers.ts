import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { CreatedNotification, ExceptionParameters, NotificationRecord, NotificationEnvelope, ShipmentParameters, ShipmentLevelNotification, StopLevelNotification, TrackingParameters } from '../service/contract.js';
import type { GatewayContext } from '../context.js';
export type Maybe<T> = T | null | Promise<T | null>;
export type InputMaybe<T> = T | null;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * A date and time as ISO 8601 writes it, with a UTC offset, for instance `2021-03-04T05:06:07.1234567-05:00`.
   * It is checked and never converted: every fractional digit and the offset are exactly those of the service.
   */
  DateTime: { input: string; output: string; }
  /** An e-mail address, as HTML's e-mail field accepts it. */
  EmailAddress: { input: string; output: string; }
  /**
   * Any JSON value except null, as the service gave it or as it shall be given to the service, nested at most 100
   * levels deep. It stands where the service does not document a shape. Numbers are those of JavaScript: whole ones are
   * exact up to 2^53.
   */
  JSON: { input: unknown; output: unknown; }
  /** Any JSON object. */
  JSONObject: { input: Record<string, unknown>; output: Record<string, unknown>; }
  /**
   * A phone number in E.164 format, for instance `+13035550100`. As input, a number without a country code is read
   * as one of the United States, and spaces and punctuation are allowed: `(303) 555-0100`, `3035550100`,
   * `13035550100` and `+13035550100` are one number. Bare digits of the service are read as a number of the United
   * States where they can be one, and otherwise as one with its country code; what cannot be read as a phone number
   * comes out unchanged.
   */
  PhoneNumber: { input: string; output: string; }
};

/** A carrier: exactly one of its three identifiers. */
export type CarrierInput =
  /** Department of Transportation number; not empty (service: `CarrierDOT`). */
  { readonly dot: Scalars['String']['input']; readonly mc?: never; readonly scac?: never; }
  |  /** Motor carrier number; not empty (service: `CarrierMC`). */
  { readonly dot?: never; readonly mc: Scalars['String']['input']; readonly scac?: never; }
  |  /** Standard Carrier Alpha Code; not empty (service: `CarrierSCAC`). */
  { readonly dot?: never; readonly mc?: never; readonly scac: Scalars['String']['input']; };

/** Result of creating a notification. */
export type CreateNotificationPayload = {
  readonly __typename?: 'CreateNotificationPayload';
  /** Messages of the service. Their shape is not documented. */
  readonly messages: ReadonlyArray<Scalars['JSON']['output']>;
  /** The notification as the service created it. */
  readonly notification: Notification;
};

/** The deletion of one exception or exception file. */
export type DeleteExceptionInput = {
  /**
   * Further parameters to send along. A key that a documented or fixed parameter uses, in any letter case, is
   * refused.
   */
  readonly additionalParameters?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The carrier of the shipment. */
  readonly carrier: CarrierInput;
  /** The shipment that has the exception. */
  readonly shipment: ShipmentIdentityInput;
  /** What to delete. */
  readonly target: ExceptionTargetInput;
};

/** Result of deleting an exception or an exception file. */
export type DeleteExceptionPayload = {
  readonly __typename?: 'DeleteExceptionPayload';
  /** True: the service confirmed the deletion. Anything else is an error. */
  readonly deleted: Scalars['Boolean']['output'];
  /** Identifier of the deleted exception file; null when an exception was deleted. */
  readonly exceptionFileGuid?: Maybe<Scalars['ID']['output']>;
  /** Identifier of the deleted exception; null when a file was deleted. */
  readonly exceptionGuid?: Maybe<Scalars['ID']['output']>;
  /** The shipment as it was identified. */
  readonly shipment: ShipmentIdentity;
};

/** Result of deleting a notification. */
export type DeleteNotificationPayload = {
  readonly __typename?: 'DeleteNotificationPayload';
  /** Messages of the service. Their shape is not documented. */
  readonly messages: ReadonlyArray<Scalars['JSON']['output']>;
  /** Identifier of the deleted notification. */
  readonly notificationGuid: Scalars['ID']['output'];
};

/** What to delete: exactly one of the two. */
export type ExceptionTargetInput =
  /** Identifier of an exception file; not empty (service: `ExceptionFileGuid`). */
  { readonly exceptionFileGuid: Scalars['ID']['input']; readonly exceptionGuid?: never; }
  |  /** Identifier of an exception; not empty (service: `ExceptionGuid`). */
  { readonly exceptionFileGuid?: never; readonly exceptionGuid: Scalars['ID']['input']; };

/** A shipment by reference number and hauler. */
export type HaulerShipmentInput = {
  /** Identifier of the hauler; not empty (service: `FreightHaulerProviderXID`). */
  readonly freightHaulerProviderXid: Scalars['String']['input'];
  /** Reference number of the shipment; not empty (service: `FreightProviderReferenceNumber`). */
  readonly freightProviderReferenceNumber: Scalars['String']['input'];
};

/** A shipment by reference number and license plate. */
export type LicensePlateShipmentInput = {
  /** Reference number of the shipment; not empty (service: `FreightProviderReferenceNumber`). */
  readonly freightProviderReferenceNumber: Scalars['String']['input'];
  /** License plate identifier; not empty (service: `PortalLicensePlate`). */
  readonly portalLicensePlate: Scalars['String']['input'];
};

/**
 * What can be changed. Root fields run one after the other, and each is nullable: one that fails leaves the
 * results of its siblings standing. Every failed mutation says in `extensions.outcome` whether it took effect:
 * `NOT_APPLIED` or `UNKNOWN`. The gateway never repeats a change that may have reached the service.
 */
export type Mutation = {
  readonly __typename?: 'Mutation';
  /**
   * Creates a custom notification. Needs a bearer token.
   * REST: `POST /v1/customnotifications`.
   */
  readonly createNotification?: Maybe<CreateNotificationPayload>;
  /**
   * Deletes an exception or an exception file, at order level or on the entire shipment. The service validates the
   * call by its parameters; a bearer token is not needed, and is passed on when there is one.
   * REST: `DELETE /atlas/frexapi/shipment/exception`.
   */
  readonly deleteException?: Maybe<DeleteExceptionPayload>;
  /**
   * Deletes a custom notification. Needs a bearer token.
   * REST: `DELETE /v1/customnotifications/{notificationGuid}`.
   */
  readonly deleteNotification?: Maybe<DeleteNotificationPayload>;
  /**
   * Sets tracking on one shipment through the mobile phone of its driver. The service validates the call by its
   * parameters; a bearer token is not needed, and is passed on when there is one.
   * REST: `POST /atlas/frexapi/shipment/track/`.
   */
  readonly trackShipment?: Maybe<TrackShipmentPayload>;
  /**
   * Replaces the definition of a custom notification. Needs a bearer token.
   * REST: `PUT /v1/customnotifications/{notificationGuid}`.
   */
  readonly updateNotification?: Maybe<UpdateNotificationPayload>;
};


/**
 * What can be changed. Root fields run one after the other, and each is nullable: one that fails leaves the
 * results of its siblings standing. Every failed mutation says in `extensions.outcome` whether it took effect:
 * `NOT_APPLIED` or `UNKNOWN`. The gateway never repeats a change that may have reached the service.
 */
export type MutationCreateNotificationArgs = {
  input: NotificationInput;
};


/**
 * What can be changed. Root fields run one after the other, and each is nullable: one that fails leaves the
 * results of its siblings standing. Every failed mutation says in `extensions.outcome` whether it took effect:
 * `NOT_APPLIED` or `UNKNOWN`. The gateway never repeats a change that may have reached the service.
 */
export type MutationDeleteExceptionArgs = {
  input: DeleteExceptionInput;
};


/**
 * What can be changed. Root fields run one after the other, and each is nullable: one that fails leaves the
 * results of its siblings standing. Every failed mutation says in `extensions.outcome` whether it took effect:
 * `NOT_APPLIED` or `UNKNOWN`. The gateway never repeats a change that may have reached the service.
 */
export type MutationDeleteNotificationArgs = {
  notificationGuid: Scalars['ID']['input'];
};


/**
 * What can be changed. Root fields run one after the other, and each is nullable: one that fails leaves the
 * results of its siblings standing. Every failed mutation says in `extensions.outcome` whether it took effect:
 * `NOT_APPLIED` or `UNKNOWN`. The gateway never repeats a change that may have reached the service.
 */
export type MutationTrackShipmentArgs = {
  input: TrackShipmentInput;
};


/**
 * What can be changed. Root fields run one after the other, and each is nullable: one that fails leaves the
 * results of its siblings standing. Every failed mutation says in `extensions.outcome` whether it took effect:
 * `NOT_APPLIED` or `UNKNOWN`. The gateway never repeats a change that may have reached the service.
 */
export type MutationUpdateNotificationArgs = {
  input: NotificationInput;
  notificationGuid: Scalars['ID']['input'];
};

/** A custom notification: it fires when a change of the named kind occurs on a shipment that meets its filters. */
export type Notification = {
  readonly __typename?: 'Notification';
  /** Filters that a shipment has to meet; empty when none were set. The service does not document their shape. */
  readonly filters: ReadonlyArray<Scalars['JSON']['output']>;
  /** Time of the last update. */
  readonly lastUpdateDate?: Maybe<Scalars['DateTime']['output']>;
  /** Name of the user that last updated the notification. */
  readonly lastUpdateUserName?: Maybe<Scalars['String']['output']>;
  /** Identifier that the service gave the notification. */
  readonly notificationGuid: Scalars['ID']['output'];
  /** Additional data about the notification. The service does not document it beyond null. */
  readonly notificationMetaData?: Maybe<Scalars['JSON']['output']>;
  /** External reference name of the notification. */
  readonly notificationName: Scalars['String']['output'];
  /** Kind of change that is told, as the service spells it, for instance `shipmentStatusChange`. */
  readonly notificationTypeLabel: Scalars['String']['output'];
  /** Sub-types of the kind of change, as the service spells them, for instance `ShipmentStatusEnRoute`. */
  readonly notificationTypes: ReadonlyArray<Scalars['String']['output']>;
  /** Who is told, and by which means. */
  readonly recipient: NotificationRecipient;
  /**
   * The shipment statuses among `notificationTypes` that this schema knows; empty when `notificationTypeLabel` is
   * not `shipmentStatusChange`.
   */
  readonly shipmentStatuses: ReadonlyArray<ShipmentStatus>;
};

/** The definition of a custom notification. */
export type NotificationInput = {
  /** Filters that a shipment has to meet, passed on unchanged; at most 1,000. The service does not document their shape. */
  readonly filters?: InputMaybe<ReadonlyArray<Scalars['JSON']['input']>>;
  /** External reference name of the notification; not empty. */
  readonly notificationName: Scalars['String']['input'];
  /** Who is to be told, and by which means. */
  readonly recipient: NotificationRecipientInput;
  /** Which changes are told. */
  readonly trigger: NotificationTriggerInput;
};

/** The notifications of one answer of the service. */
export type NotificationList = {
  readonly __typename?: 'NotificationList';
  /** Messages of the service. Their shape is not documented. */
  readonly messages: ReadonlyArray<Scalars['JSON']['output']>;
  /** The notifications, in the service's order. */
  readonly notifications: ReadonlyArray<Notification>;
  /** How many notifications there are in all, as the service counts them. */
  readonly totalPossibleCount: Scalars['Int']['output'];
};

/**
 * Who is told of a change. The concrete type follows from the service's recipient type, read without regard to
 * letter case.
 */
export type NotificationRecipient = {
  /** Recipient type exactly as the service spells it. */
  readonly notificationRecipientType: Scalars['String']['output'];
};

/** Who is to be told: exactly one of the two. */
export type NotificationRecipientInput =
  /** Recipients named here. */
  { readonly shipmentLevel: ShipmentLevelRecipientInput; readonly stopLevel?: never; }
  |  /** The contacts of the shipment's stops. */
  { readonly shipmentLevel?: never; readonly stopLevel: StopLevelRecipientInput; };

/** Which changes are told: exactly one of the two. */
export type NotificationTriggerInput =
  /** Changes by the service's own spelling, for labels and sub-types that this schema does not know. */
  { readonly other: OtherTriggerInput; readonly shipmentStatusChange?: never; }
  |  /** The shipment reaches one of these statuses; at least one (service: label `shipmentStatusChange`). */
  { readonly other?: never; readonly shipmentStatusChange: ReadonlyArray<ShipmentStatus>; };

/** A recipient of a type that this schema does not know yet. */
export type OtherRecipient = NotificationRecipient & {
  readonly __typename?: 'OtherRecipient';
  /** Recipient type exactly as the service spells it. */
  readonly notificationRecipientType: Scalars['String']['output'];
};

/** Changes by the service's own spelling. */
export type OtherTriggerInput = {
  /** Kind of change; not empty. */
  readonly notificationTypeLabel: Scalars['String']['input'];
  /** Sub-types of the kind of change; at least one and at most 1,000, none of them empty. */
  readonly notificationTypes: ReadonlyArray<Scalars['String']['input']>;
};

/**
 * What can be read. Every field makes REST calls to the freight service; a field that fails carries an error
 * whose `extensions.code` is one of the gateway's closed list of codes.
 */
export type Query = {
  readonly __typename?: 'Query';
  /**
   * One custom notification; null when the service has none with this identifier. Needs a bearer token.
   * REST: `GET /v1/customnotifications/{notificationGuid}`.
   */
  readonly notification?: Maybe<Notification>;
  /**
   * The custom notifications that the service lists for the caller. Needs a bearer token.
   * REST: `GET /v1/customnotifications`.
   */
  readonly notifications: NotificationList;
  /**
   * Several custom notifications in the order asked for, with null for each that the service does not have. Equal
   * identifiers are read once. Needs a bearer token.
   * REST: `GET /v1/customnotifications/{notificationGuid}`, once for each distinct identifier.
   */
  readonly notificationsByGuid: ReadonlyArray<Maybe<Notification>>;
};


/**
 * What can be read. Every field makes REST calls to the freight service; a field that fails carries an error
 * whose `extensions.code` is one of the gateway's closed list of codes.
 */
export type QueryNotificationArgs = {
  notificationGuid: Scalars['ID']['input'];
};


/**
 * What can be read. Every field makes REST calls to the freight service; a field that fails carries an error
 * whose `extensions.code` is one of the gateway's closed list of codes.
 */
export type QueryNotificationsArgs = {
  additionalParameters?: InputMaybe<Scalars['JSONObject']['input']>;
};


/**
 * What can be read. Every field makes REST calls to the freight service; a field that fails carries an error
 * whose `extensions.code` is one of the gateway's closed list of codes.
 */
export type QueryNotificationsByGuidArgs = {
  notificationGuids: ReadonlyArray<Scalars['ID']['input']>;
};

/** A shipment as it was identified in the call: the gateway reads nothing more about it. */
export type ShipmentIdentity = {
  readonly __typename?: 'ShipmentIdentity';
  /** Identifier of the hauler; null when the shipment was identified by license plate. */
  readonly freightHaulerProviderXid?: Maybe<Scalars['String']['output']>;
  /** Reference number of the shipment. */
  readonly freightProviderReferenceNumber: Scalars['String']['output'];
  /** License plate identifier; null when the shipment was identified by hauler. */
  readonly portalLicensePlate?: Maybe<Scalars['String']['output']>;
};

/** A shipment: exactly one of the two ways to identify it. */
export type ShipmentIdentityInput =
  /** By reference number and hauler. */
  { readonly hauler: HaulerShipmentInput; readonly licensePlate?: never; }
  |  /** By reference number and license plate. */
  { readonly hauler?: never; readonly licensePlate: LicensePlateShipmentInput; };

/** Recipients named by the notification itself (service: `shipmentLevel`). */
export type ShipmentLevelRecipient = NotificationRecipient & {
  readonly __typename?: 'ShipmentLevelRecipient';
  /** E-mail addresses that are told. */
  readonly emailList: ReadonlyArray<Scalars['String']['output']>;
  /** Recipient type exactly as the service spells it. */
  readonly notificationRecipientType: Scalars['String']['output'];
  /** Phone numbers that are told by SMS. */
  readonly smsList: ReadonlyArray<Scalars['PhoneNumber']['output']>;
};

/** Recipients by name: at least one e-mail address or phone number. */
export type ShipmentLevelRecipientInput = {
  /** E-mail addresses to tell; at most 1,000. */
  readonly emailList: ReadonlyArray<Scalars['EmailAddress']['input']>;
  /** Phone numbers to tell by SMS; at most 1,000. */
  readonly smsList: ReadonlyArray<Scalars['PhoneNumber']['input']>;
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

/** The contacts of the shipment's stops (service: `stopLevel`). */
export type StopLevelRecipient = NotificationRecipient & {
  readonly __typename?: 'StopLevelRecipient';
  /** Recipient type exactly as the service spells it. */
  readonly notificationRecipientType: Scalars['String']['output'];
  /** Whether the stop contacts are told by e-mail. */
  readonly notifyStopContactsByEmail: Scalars['Boolean']['output'];
  /** Whether the stop contacts are told by SMS. */
  readonly notifyStopContactsBySms: Scalars['Boolean']['output'];
};

/** Means by which the contacts of the shipment's stops are told. */
export type StopLevelRecipientInput = {
  /** Whether to tell the stop contacts by e-mail. */
  readonly notifyStopContactsByEmail: Scalars['Boolean']['input'];
  /** Whether to tell the stop contacts by SMS. */
  readonly notifyStopContactsBySms: Scalars['Boolean']['input'];
};

/** The tracking of one shipment. */
export type TrackShipmentInput = {
  /**
   * Further parameters to send along: the service has some that it does not name. A key that a documented or
   * fixed parameter uses, in any letter case, is refused.
   */
  readonly additionalParameters?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The carrier of the shipment. */
  readonly carrier: CarrierInput;
  /** The driver's mobile phone number (service: `DriverPhoneNumber`). */
  readonly driverPhoneNumber: Scalars['PhoneNumber']['input'];
  /** The shipment to track. */
  readonly shipment: ShipmentIdentityInput;
  /** Type of tracking; not empty. The service does not document its values (service: `ShipmentTrackingType`). */
  readonly shipmentTrackingType: Scalars['String']['input'];
};

/** Result of tracking a shipment. */
export type TrackShipmentPayload = {
  readonly __typename?: 'TrackShipmentPayload';
  /** The shipment as it was identified. */
  readonly shipment: ShipmentIdentity;
  /** True: the service confirmed the tracking. Anything else is an error. */
  readonly tracked: Scalars['Boolean']['output'];
};

/** Result of updating a notification. The update took effect whenever this object is there. */
export type UpdateNotificationPayload = {
  readonly __typename?: 'UpdateNotificationPayload';
  /** Messages of the service. Their shape is not documented. */
  readonly messages: ReadonlyArray<Scalars['JSON']['output']>;
  /**
   * The notification after the update; null when the service confirmed the update without returning the
   * notification, and it could not be read either.
   */
  readonly notification?: Maybe<Notification>;
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
    | ( ShipmentLevelNotification )
    | ( StopLevelNotification )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  CarrierInput: CarrierInput;
  CreateNotificationPayload: ResolverTypeWrapper<CreatedNotification>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  DeleteExceptionInput: DeleteExceptionInput;
  DeleteExceptionPayload: ResolverTypeWrapper<ExceptionParameters>;
  DeleteNotificationPayload: ResolverTypeWrapper<DeleteNotificationPayload>;
  EmailAddress: ResolverTypeWrapper<Scalars['EmailAddress']['output']>;
  ExceptionTargetInput: ExceptionTargetInput;
  HaulerShipmentInput: HaulerShipmentInput;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSON: ResolverTypeWrapper<Scalars['JSON']['output']>;
  JSONObject: ResolverTypeWrapper<Scalars['JSONObject']['output']>;
  LicensePlateShipmentInput: LicensePlateShipmentInput;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Notification: ResolverTypeWrapper<NotificationRecord>;
  NotificationInput: NotificationInput;
  NotificationList: ResolverTypeWrapper<NotificationEnvelope>;
  NotificationRecipient: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['NotificationRecipient']>;
  NotificationRecipientInput: NotificationRecipientInput;
  NotificationTriggerInput: NotificationTriggerInput;
  OtherRecipient: ResolverTypeWrapper<NotificationRecord>;
  OtherTriggerInput: OtherTriggerInput;
  PhoneNumber: ResolverTypeWrapper<Scalars['PhoneNumber']['output']>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ShipmentIdentity: ResolverTypeWrapper<ShipmentParameters>;
  ShipmentIdentityInput: ShipmentIdentityInput;
  ShipmentLevelRecipient: ResolverTypeWrapper<ShipmentLevelNotification>;
  ShipmentLevelRecipientInput: ShipmentLevelRecipientInput;
  ShipmentStatus: ShipmentStatus;
  StopLevelRecipient: ResolverTypeWrapper<StopLevelNotification>;
  StopLevelRecipientInput: StopLevelRecipientInput;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  TrackShipmentInput: TrackShipmentInput;
  TrackShipmentPayload: ResolverTypeWrapper<TrackingParameters>;
  UpdateNotificationPayload: ResolverTypeWrapper<Omit<UpdateNotificationPayload, 'notification'> & { notification?: Maybe<ResolversTypes['Notification']> }>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Boolean: Scalars['Boolean']['output'];
  CarrierInput: CarrierInput;
  CreateNotificationPayload: CreatedNotification;
  DateTime: Scalars['DateTime']['output'];
  DeleteExceptionInput: DeleteExceptionInput;
  DeleteExceptionPayload: ExceptionParameters;
  DeleteNotificationPayload: DeleteNotificationPayload;
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
  NotificationList: NotificationEnvelope;
  NotificationRecipient: ResolversInterfaceTypes<ResolversParentTypes>['NotificationRecipient'];
  NotificationRecipientInput: NotificationRecipientInput;
  NotificationTriggerInput: NotificationTriggerInput;
  OtherRecipient: NotificationRecord;
  OtherTriggerInput: OtherTriggerInput;
  PhoneNumber: Scalars['PhoneNumber']['output'];
  Query: Record<PropertyKey, never>;
  ShipmentIdentity: ShipmentParameters;
  ShipmentIdentityInput: ShipmentIdentityInput;
  ShipmentLevelRecipient: ShipmentLevelNotification;
  ShipmentLevelRecipientInput: ShipmentLevelRecipientInput;
  StopLevelRecipient: StopLevelNotification;
  StopLevelRecipientInput: StopLevelRecipientInput;
  String: Scalars['String']['output'];
  TrackShipmentInput: TrackShipmentInput;
  TrackShipmentPayload: TrackingParameters;
  UpdateNotificationPayload: Omit<UpdateNotificationPayload, 'notification'> & { notification?: Maybe<ResolversParentTypes['Notification']> };
};

export type MergeDirectiveArgs = {
  keyField: Scalars['String']['input'];
};

export type MergeDirectiveResolver<Result, Parent, ContextType = GatewayContext, Args = MergeDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type CreateNotificationPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['CreateNotificationPayload'] = ResolversParentTypes['CreateNotificationPayload']> = {
  messages?: Resolver<ReadonlyArray<ResolversTypes['JSON']>, ParentType, ContextType>;
  notification?: Resolver<ResolversTypes['Notification'], ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeleteExceptionPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['DeleteExceptionPayload'] = ResolversParentTypes['DeleteExceptionPayload']> = {
  deleted?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  exceptionFileGuid?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  exceptionGuid?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  shipment?: Resolver<ResolversTypes['ShipmentIdentity'], ParentType, ContextType>;
};

export type DeleteNotificationPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['DeleteNotificationPayload'] = ResolversParentTypes['DeleteNotificationPayload']> = {
  messages?: Resolver<ReadonlyArray<ResolversTypes['JSON']>, ParentType, ContextType>;
  notificationGuid?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
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
  createNotification?: Resolver<Maybe<ResolversTypes['CreateNotificationPayload']>, ParentType, ContextType, RequireFields<MutationCreateNotificationArgs, 'input'>>;
  deleteException?: Resolver<Maybe<ResolversTypes['DeleteExceptionPayload']>, ParentType, ContextType, RequireFields<MutationDeleteExceptionArgs, 'input'>>;
  deleteNotification?: Resolver<Maybe<ResolversTypes['DeleteNotificationPayload']>, ParentType, ContextType, RequireFields<MutationDeleteNotificationArgs, 'notificationGuid'>>;
  trackShipment?: Resolver<Maybe<ResolversTypes['TrackShipmentPayload']>, ParentType, ContextType, RequireFields<MutationTrackShipmentArgs, 'input'>>;
  updateNotification?: Resolver<Maybe<ResolversTypes['UpdateNotificationPayload']>, ParentType, ContextType, RequireFields<MutationUpdateNotificationArgs, 'input' | 'notificationGuid'>>;
};

export type NotificationResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Notification'] = ResolversParentTypes['Notification']> = {
  filters?: Resolver<ReadonlyArray<ResolversTypes['JSON']>, ParentType, ContextType>;
  lastUpdateDate?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastUpdateUserName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  notificationGuid?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  notificationMetaData?: Resolver<Maybe<ResolversTypes['JSON']>, ParentType, ContextType>;
  notificationName?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  notificationTypeLabel?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  notificationTypes?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  recipient?: Resolver<ResolversTypes['NotificationRecipient'], ParentType, ContextType>;
  shipmentStatuses?: Resolver<ReadonlyArray<ResolversTypes['ShipmentStatus']>, ParentType, ContextType>;
};

export type NotificationListResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['NotificationList'] = ResolversParentTypes['NotificationList']> = {
  messages?: Resolver<ReadonlyArray<ResolversTypes['JSON']>, ParentType, ContextType>;
  notifications?: Resolver<ReadonlyArray<ResolversTypes['Notification']>, ParentType, ContextType>;
  totalPossibleCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
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
  notifications?: Resolver<ResolversTypes['NotificationList'], ParentType, ContextType, Partial<QueryNotificationsArgs>>;
  notificationsByGuid?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Notification']>>, ParentType, ContextType, RequireFields<QueryNotificationsByGuidArgs, 'notificationGuids'>>;
};

export type ShipmentIdentityResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['ShipmentIdentity'] = ResolversParentTypes['ShipmentIdentity']> = {
  freightHaulerProviderXid?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  freightProviderReferenceNumber?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  portalLicensePlate?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ShipmentLevelRecipientResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['ShipmentLevelRecipient'] = ResolversParentTypes['ShipmentLevelRecipient']> = {
  emailList?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  notificationRecipientType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  smsList?: Resolver<ReadonlyArray<ResolversTypes['PhoneNumber']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type StopLevelRecipientResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['StopLevelRecipient'] = ResolversParentTypes['StopLevelRecipient']> = {
  notificationRecipientType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  notifyStopContactsByEmail?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  notifyStopContactsBySms?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type TrackShipmentPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['TrackShipmentPayload'] = ResolversParentTypes['TrackShipmentPayload']> = {
  shipment?: Resolver<ResolversTypes['ShipmentIdentity'], ParentType, ContextType>;
  tracked?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type UpdateNotificationPayloadResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['UpdateNotificationPayload'] = ResolversParentTypes['UpdateNotificationPayload']> = {
  messages?: Resolver<ReadonlyArray<ResolversTypes['JSON']>, ParentType, ContextType>;
  notification?: Resolver<Maybe<ResolversTypes['Notification']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = GatewayContext> = {
  CreateNotificationPayload?: CreateNotificationPayloadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  DeleteExceptionPayload?: DeleteExceptionPayloadResolvers<ContextType>;
  DeleteNotificationPayload?: DeleteNotificationPayloadResolvers<ContextType>;
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
  UpdateNotificationPayload?: UpdateNotificationPayloadResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = GatewayContext> = {
  merge?: MergeDirectiveResolver<any, any, ContextType>;
};
