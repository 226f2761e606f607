/** One document per root field, selecting every field. Each is a single line, so that errors are located on line 1. */
const RECIPIENT =
  'recipient { __typename notificationRecipientType ... on ShipmentLevelRecipient { emailList smsList } ... on StopLevelRecipient { notifyStopContactsByEmail notifyStopContactsBySms } }';

export const NOTIFICATION_FIELDS = `id notificationGuid notificationName ${RECIPIENT} notificationTypeLabel notificationTypes shipmentStatuses filters notificationMetaData lastUpdateUserName lastUpdateDate`;

export const SHIPMENT =
  'shipment { freightProviderReferenceNumber freightHaulerProviderXid portalLicensePlate }';

export const CARRIER = 'carrier { mc dot scac }';

export const READ = `query ($guid: ID!) { notification(notificationGuid: $guid) { ${NOTIFICATION_FIELDS} } }`;

export const READ_SEVERAL = `query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { ${NOTIFICATION_FIELDS} } }`;

export const LIST = `query ($parameters: JSONObject) { notifications(additionalParameters: $parameters) { notifications { ${NOTIFICATION_FIELDS} } totalPossibleCount messages } }`;

export const CREATE = `mutation ($input: NotificationInput!) { createNotification(input: $input) { notification { ${NOTIFICATION_FIELDS} } messages } }`;

export const UPDATE = `mutation ($guid: ID!, $input: UpdateNotificationInput!) { updateNotification(notificationGuid: $guid, input: $input) { notification { ${NOTIFICATION_FIELDS} } messages } }`;

export const DELETE = `mutation ($guid: ID!) { deleteNotification(notificationGuid: $guid) { notificationGuid messages } }`;

export const TRACK = `mutation ($input: TrackShipmentInput!) { trackShipment(input: $input) { tracked ${SHIPMENT} ${CARRIER} } }`;

export const DELETE_EXCEPTION = `mutation ($input: DeleteExceptionInput!) { deleteException(input: $input) { deleted exceptionGuid exceptionFileGuid messages ${SHIPMENT} ${CARRIER} } }`;
