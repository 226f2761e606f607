/**
 * What resolvers of a GraphQL type receive, by its name: REST shapes inferred from the contract, so that field resolvers do the
 * mapping. The generated types of resolvers (codegen.ts) use every `…Mapper` of this file; a type without one is as in the schema.
 */
import type {
  DeletedException,
  NotificationRecord,
  ShipmentLevelNotification,
  ShipmentParameters,
  StopLevelNotification,
  TrackingParameters,
  WrittenNotification,
} from './contract.js';
import type { NotificationList, UnreadableNotification } from './notificationList.js';

export type CreateNotificationPayloadMapper = WrittenNotification;
export type DeleteExceptionPayloadMapper = DeletedException;
export type NotificationMapper = NotificationRecord;
export type NotificationListMapper = NotificationList;
export type OtherRecipientMapper = NotificationRecord;
export type ShipmentIdentityMapper = ShipmentParameters;
export type ShipmentLevelRecipientMapper = ShipmentLevelNotification;
export type StopLevelRecipientMapper = StopLevelNotification;
export type TrackShipmentPayloadMapper = TrackingParameters;
export type UnreadableNotificationMapper = UnreadableNotification;
