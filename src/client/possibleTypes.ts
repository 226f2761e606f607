/** Written by npm run codegen: what caches have to know of the schema. */

/** The object types of each interface, for caches that match fragments. */
export const possibleTypes: Record<string, string[]> = {
  "NotificationRecipient": [
    "OtherRecipient",
    "ShipmentLevelRecipient",
    "StopLevelRecipient"
  ],
  "WritePayload": [
    "CreateNotificationPayload",
    "DeleteExceptionPayload",
    "DeleteNotificationPayload",
    "TrackShipmentPayload",
    "UpdateNotificationPayload"
  ]
};

/** The object types without the field `id`, by which caches find an object again. */
export const typesWithoutId: readonly string[] = [
  "CarrierIdentity",
  "CreateNotificationPayload",
  "CreateNotificationsPayload",
  "DeleteExceptionPayload",
  "DeleteExceptionsPayload",
  "DeleteNotificationPayload",
  "DeleteNotificationsPayload",
  "NotificationList",
  "OtherRecipient",
  "ShipmentIdentity",
  "ShipmentLevelRecipient",
  "StopLevelRecipient",
  "TrackShipmentPayload",
  "TrackShipmentsPayload",
  "UnreadableNotification",
  "UpdateNotificationPayload",
  "UpdateNotificationsPayload",
  "WriteError",
  "WriteRecord"
];
