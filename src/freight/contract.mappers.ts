/**
 * What resolvers of a GraphQL type receive, by its name: REST shapes inferred from the contract, so that field resolvers do the
 * mapping. codegen.yml lists every `…Mapper` of this file; a type without one is as in the schema.
 */
import type { GatewayErrorExtensions } from '../errors.js';
import type { ServiceMessage } from '../gatewayError.js';
import type {
  CreatedNotification,
  DeletedNotification,
  ExceptionParameters,
  NotificationRecord,
  SentParameters,
  ShipmentParameters,
  StopLevelNotification,
  TrackingParameters,
  WrittenNotification,
} from './contract.js';
import type { NotificationList, UnreadableNotification } from './notificationBodies.js';
import type { BulkPayload, Sent, WritePayload } from './write.js';

export type CarrierIdentityMapper = SentParameters<ShipmentParameters>;
export type CreateNotificationPayloadMapper = WritePayload<CreatedNotification>;
export type CreateNotificationsPayloadMapper = BulkPayload<CreateNotificationPayloadMapper>;
export type DeleteExceptionPayloadMapper = WritePayload<Sent<ExceptionParameters>>;
export type DeleteExceptionsPayloadMapper = BulkPayload<DeleteExceptionPayloadMapper>;
export type DeleteNotificationPayloadMapper = WritePayload<DeletedNotification>;
export type DeleteNotificationsPayloadMapper = BulkPayload<DeleteNotificationPayloadMapper>;
export type NotificationMapper = NotificationRecord;
export type NotificationListMapper = NotificationList;
export type OtherRecipientMapper = NotificationRecord;
export type ShipmentIdentityMapper = ShipmentParameters;
export type ShipmentLevelRecipientMapper = NotificationRecord;
export type StopLevelRecipientMapper = StopLevelNotification;
export type TrackShipmentPayloadMapper = WritePayload<Sent<TrackingParameters>>;
export type TrackShipmentsPayloadMapper = BulkPayload<TrackShipmentPayloadMapper>;
export type UnreadableNotificationMapper = UnreadableNotification;
export type UpdateNotificationPayloadMapper = WritePayload<WrittenNotification>;
export type UpdateNotificationsPayloadMapper = BulkPayload<UpdateNotificationPayloadMapper>;
export type WriteErrorMapper = Pick<GatewayErrorExtensions, 'code' | 'requestId' | 'retryable'> & {
  message: string;
  serviceMessages?: readonly ServiceMessage[] | undefined;
} & {
  [Name in Exclude<keyof GatewayErrorExtensions, 'serviceMessages'>]?:
    GatewayErrorExtensions[Name] | undefined;
};
