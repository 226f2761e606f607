/** The object types of each interface of the schema, for caches that match fragments. */
export const possibleTypes: Record<string, string[]> = {
  NotificationRecipient: ['ShipmentLevelRecipient', 'StopLevelRecipient', 'OtherRecipient'],
  WritePayload: [
    'CreateNotificationPayload',
    'DeleteExceptionPayload',
    'DeleteNotificationPayload',
    'TrackShipmentPayload',
    'UpdateNotificationPayload',
  ],
};
