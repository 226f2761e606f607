/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "fragment WriteErrorDetails on WriteError {\n  code\n  message\n  retryable\n  requestId\n  inputPath\n  rule\n  limit\n  status\n  retryAfterSeconds\n  serviceMessages\n  candidates\n}\n\nfragment DeleteExceptionOutcome on DeleteExceptionPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment CreateNotificationOutcome on CreateNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment UpdateNotificationOutcome on UpdateNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment DeleteNotificationOutcome on DeleteNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment TrackShipmentOutcome on TrackShipmentPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}": typeof types.WriteErrorDetailsFragmentDoc,
    "\n  fragment NotificationDetails on Notification {\n    id\n    notificationName\n    recipient {\n      __typename\n      notificationRecipientType\n      ... on ShipmentLevelRecipient {\n        emailList\n        smsList\n      }\n      ... on StopLevelRecipient {\n        notifyStopContactsByEmail\n        notifyStopContactsBySms\n      }\n    }\n    notificationTypeLabel\n    notificationTypes\n    shipmentStatuses\n    lastUpdateUserName\n    lastUpdateDate\n  }\n": typeof types.NotificationDetailsFragmentDoc,
    "\n  query Notifications($parameters: JSONObject!) {\n    notifications(additionalParameters: $parameters) {\n      notifications {\n        ...NotificationDetails\n      }\n      unreadable {\n        index\n        problem\n      }\n      totalPossibleCount\n    }\n  }\n": typeof types.NotificationsDocument,
    "\n  query ReadNotification($notificationGuid: ID!) {\n    notification(notificationGuid: $notificationGuid) {\n      ...NotificationDetails\n    }\n  }\n": typeof types.ReadNotificationDocument,
    "\n  query ReadCandidates($notificationGuids: [ID!]!) {\n    notificationsByGuid(notificationGuids: $notificationGuids) {\n      id\n      notificationName\n      lastUpdateDate\n    }\n  }\n": typeof types.ReadCandidatesDocument,
    "\n  mutation CreateNotification($input: NotificationInput!, $idempotencyKey: ID) {\n    createNotification(input: $input, idempotencyKey: $idempotencyKey) {\n      ...CreateNotificationOutcome\n      notification {\n        ...NotificationDetails\n      }\n    }\n  }\n": typeof types.CreateNotificationDocument,
    "\n  mutation UpdateNotification(\n    $notificationGuid: ID!\n    $input: UpdateNotificationInput!\n    $ifLastUpdateDate: DateTime\n    $idempotencyKey: ID\n  ) {\n    updateNotification(\n      notificationGuid: $notificationGuid\n      input: $input\n      ifLastUpdateDate: $ifLastUpdateDate\n      idempotencyKey: $idempotencyKey\n    ) {\n      ...UpdateNotificationOutcome\n      notification {\n        ...NotificationDetails\n      }\n      current {\n        ...NotificationDetails\n      }\n    }\n  }\n": typeof types.UpdateNotificationDocument,
    "\n  mutation DeleteNotification($notificationGuid: ID!, $ifLastUpdateDate: DateTime, $idempotencyKey: ID) {\n    deleteNotification(\n      notificationGuid: $notificationGuid\n      ifLastUpdateDate: $ifLastUpdateDate\n      idempotencyKey: $idempotencyKey\n    ) {\n      ...DeleteNotificationOutcome\n      current {\n        ...NotificationDetails\n      }\n    }\n  }\n": typeof types.DeleteNotificationDocument,
    "\n  mutation TrackShipments($items: [TrackShipmentItem!]!, $dryRun: Boolean!) {\n    trackShipments(items: $items, dryRun: $dryRun, onInvalidItem: SEND_OTHERS) {\n      results {\n        ...TrackShipmentOutcome\n        ...TrackingSubject\n      }\n    }\n  }\n\n  # What the gateway makes of the input, after a dry run, too.\n  fragment TrackingSubject on TrackShipmentPayload {\n    shipment {\n      freightProviderReferenceNumber\n      freightHaulerProviderXid\n      portalLicensePlate\n    }\n    carrier {\n      mc\n      dot\n      scac\n    }\n    driverPhoneNumber\n  }\n": typeof types.TrackShipmentsDocument,
    "\n  query WriteRecords($keys: [ID!]!) {\n    writeRecords(idempotencyKeys: $keys) {\n      idempotencyKey\n      outcome\n    }\n  }\n": typeof types.WriteRecordsDocument,
};
const documents: Documents = {
    "fragment WriteErrorDetails on WriteError {\n  code\n  message\n  retryable\n  requestId\n  inputPath\n  rule\n  limit\n  status\n  retryAfterSeconds\n  serviceMessages\n  candidates\n}\n\nfragment DeleteExceptionOutcome on DeleteExceptionPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment CreateNotificationOutcome on CreateNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment UpdateNotificationOutcome on UpdateNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment DeleteNotificationOutcome on DeleteNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment TrackShipmentOutcome on TrackShipmentPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}": types.WriteErrorDetailsFragmentDoc,
    "\n  fragment NotificationDetails on Notification {\n    id\n    notificationName\n    recipient {\n      __typename\n      notificationRecipientType\n      ... on ShipmentLevelRecipient {\n        emailList\n        smsList\n      }\n      ... on StopLevelRecipient {\n        notifyStopContactsByEmail\n        notifyStopContactsBySms\n      }\n    }\n    notificationTypeLabel\n    notificationTypes\n    shipmentStatuses\n    lastUpdateUserName\n    lastUpdateDate\n  }\n": types.NotificationDetailsFragmentDoc,
    "\n  query Notifications($parameters: JSONObject!) {\n    notifications(additionalParameters: $parameters) {\n      notifications {\n        ...NotificationDetails\n      }\n      unreadable {\n        index\n        problem\n      }\n      totalPossibleCount\n    }\n  }\n": types.NotificationsDocument,
    "\n  query ReadNotification($notificationGuid: ID!) {\n    notification(notificationGuid: $notificationGuid) {\n      ...NotificationDetails\n    }\n  }\n": types.ReadNotificationDocument,
    "\n  query ReadCandidates($notificationGuids: [ID!]!) {\n    notificationsByGuid(notificationGuids: $notificationGuids) {\n      id\n      notificationName\n      lastUpdateDate\n    }\n  }\n": types.ReadCandidatesDocument,
    "\n  mutation CreateNotification($input: NotificationInput!, $idempotencyKey: ID) {\n    createNotification(input: $input, idempotencyKey: $idempotencyKey) {\n      ...CreateNotificationOutcome\n      notification {\n        ...NotificationDetails\n      }\n    }\n  }\n": types.CreateNotificationDocument,
    "\n  mutation UpdateNotification(\n    $notificationGuid: ID!\n    $input: UpdateNotificationInput!\n    $ifLastUpdateDate: DateTime\n    $idempotencyKey: ID\n  ) {\n    updateNotification(\n      notificationGuid: $notificationGuid\n      input: $input\n      ifLastUpdateDate: $ifLastUpdateDate\n      idempotencyKey: $idempotencyKey\n    ) {\n      ...UpdateNotificationOutcome\n      notification {\n        ...NotificationDetails\n      }\n      current {\n        ...NotificationDetails\n      }\n    }\n  }\n": types.UpdateNotificationDocument,
    "\n  mutation DeleteNotification($notificationGuid: ID!, $ifLastUpdateDate: DateTime, $idempotencyKey: ID) {\n    deleteNotification(\n      notificationGuid: $notificationGuid\n      ifLastUpdateDate: $ifLastUpdateDate\n      idempotencyKey: $idempotencyKey\n    ) {\n      ...DeleteNotificationOutcome\n      current {\n        ...NotificationDetails\n      }\n    }\n  }\n": types.DeleteNotificationDocument,
    "\n  mutation TrackShipments($items: [TrackShipmentItem!]!, $dryRun: Boolean!) {\n    trackShipments(items: $items, dryRun: $dryRun, onInvalidItem: SEND_OTHERS) {\n      results {\n        ...TrackShipmentOutcome\n        ...TrackingSubject\n      }\n    }\n  }\n\n  # What the gateway makes of the input, after a dry run, too.\n  fragment TrackingSubject on TrackShipmentPayload {\n    shipment {\n      freightProviderReferenceNumber\n      freightHaulerProviderXid\n      portalLicensePlate\n    }\n    carrier {\n      mc\n      dot\n      scac\n    }\n    driverPhoneNumber\n  }\n": types.TrackShipmentsDocument,
    "\n  query WriteRecords($keys: [ID!]!) {\n    writeRecords(idempotencyKeys: $keys) {\n      idempotencyKey\n      outcome\n    }\n  }\n": types.WriteRecordsDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "fragment WriteErrorDetails on WriteError {\n  code\n  message\n  retryable\n  requestId\n  inputPath\n  rule\n  limit\n  status\n  retryAfterSeconds\n  serviceMessages\n  candidates\n}\n\nfragment DeleteExceptionOutcome on DeleteExceptionPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment CreateNotificationOutcome on CreateNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment UpdateNotificationOutcome on UpdateNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment DeleteNotificationOutcome on DeleteNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment TrackShipmentOutcome on TrackShipmentPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}"): (typeof documents)["fragment WriteErrorDetails on WriteError {\n  code\n  message\n  retryable\n  requestId\n  inputPath\n  rule\n  limit\n  status\n  retryAfterSeconds\n  serviceMessages\n  candidates\n}\n\nfragment DeleteExceptionOutcome on DeleteExceptionPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment CreateNotificationOutcome on CreateNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment UpdateNotificationOutcome on UpdateNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment DeleteNotificationOutcome on DeleteNotificationPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}\n\nfragment TrackShipmentOutcome on TrackShipmentPayload {\n  outcome\n  evidence\n  errors {\n    ...WriteErrorDetails\n  }\n}"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment NotificationDetails on Notification {\n    id\n    notificationName\n    recipient {\n      __typename\n      notificationRecipientType\n      ... on ShipmentLevelRecipient {\n        emailList\n        smsList\n      }\n      ... on StopLevelRecipient {\n        notifyStopContactsByEmail\n        notifyStopContactsBySms\n      }\n    }\n    notificationTypeLabel\n    notificationTypes\n    shipmentStatuses\n    lastUpdateUserName\n    lastUpdateDate\n  }\n"): (typeof documents)["\n  fragment NotificationDetails on Notification {\n    id\n    notificationName\n    recipient {\n      __typename\n      notificationRecipientType\n      ... on ShipmentLevelRecipient {\n        emailList\n        smsList\n      }\n      ... on StopLevelRecipient {\n        notifyStopContactsByEmail\n        notifyStopContactsBySms\n      }\n    }\n    notificationTypeLabel\n    notificationTypes\n    shipmentStatuses\n    lastUpdateUserName\n    lastUpdateDate\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Notifications($parameters: JSONObject!) {\n    notifications(additionalParameters: $parameters) {\n      notifications {\n        ...NotificationDetails\n      }\n      unreadable {\n        index\n        problem\n      }\n      totalPossibleCount\n    }\n  }\n"): (typeof documents)["\n  query Notifications($parameters: JSONObject!) {\n    notifications(additionalParameters: $parameters) {\n      notifications {\n        ...NotificationDetails\n      }\n      unreadable {\n        index\n        problem\n      }\n      totalPossibleCount\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ReadNotification($notificationGuid: ID!) {\n    notification(notificationGuid: $notificationGuid) {\n      ...NotificationDetails\n    }\n  }\n"): (typeof documents)["\n  query ReadNotification($notificationGuid: ID!) {\n    notification(notificationGuid: $notificationGuid) {\n      ...NotificationDetails\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ReadCandidates($notificationGuids: [ID!]!) {\n    notificationsByGuid(notificationGuids: $notificationGuids) {\n      id\n      notificationName\n      lastUpdateDate\n    }\n  }\n"): (typeof documents)["\n  query ReadCandidates($notificationGuids: [ID!]!) {\n    notificationsByGuid(notificationGuids: $notificationGuids) {\n      id\n      notificationName\n      lastUpdateDate\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateNotification($input: NotificationInput!, $idempotencyKey: ID) {\n    createNotification(input: $input, idempotencyKey: $idempotencyKey) {\n      ...CreateNotificationOutcome\n      notification {\n        ...NotificationDetails\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateNotification($input: NotificationInput!, $idempotencyKey: ID) {\n    createNotification(input: $input, idempotencyKey: $idempotencyKey) {\n      ...CreateNotificationOutcome\n      notification {\n        ...NotificationDetails\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateNotification(\n    $notificationGuid: ID!\n    $input: UpdateNotificationInput!\n    $ifLastUpdateDate: DateTime\n    $idempotencyKey: ID\n  ) {\n    updateNotification(\n      notificationGuid: $notificationGuid\n      input: $input\n      ifLastUpdateDate: $ifLastUpdateDate\n      idempotencyKey: $idempotencyKey\n    ) {\n      ...UpdateNotificationOutcome\n      notification {\n        ...NotificationDetails\n      }\n      current {\n        ...NotificationDetails\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateNotification(\n    $notificationGuid: ID!\n    $input: UpdateNotificationInput!\n    $ifLastUpdateDate: DateTime\n    $idempotencyKey: ID\n  ) {\n    updateNotification(\n      notificationGuid: $notificationGuid\n      input: $input\n      ifLastUpdateDate: $ifLastUpdateDate\n      idempotencyKey: $idempotencyKey\n    ) {\n      ...UpdateNotificationOutcome\n      notification {\n        ...NotificationDetails\n      }\n      current {\n        ...NotificationDetails\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeleteNotification($notificationGuid: ID!, $ifLastUpdateDate: DateTime, $idempotencyKey: ID) {\n    deleteNotification(\n      notificationGuid: $notificationGuid\n      ifLastUpdateDate: $ifLastUpdateDate\n      idempotencyKey: $idempotencyKey\n    ) {\n      ...DeleteNotificationOutcome\n      current {\n        ...NotificationDetails\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DeleteNotification($notificationGuid: ID!, $ifLastUpdateDate: DateTime, $idempotencyKey: ID) {\n    deleteNotification(\n      notificationGuid: $notificationGuid\n      ifLastUpdateDate: $ifLastUpdateDate\n      idempotencyKey: $idempotencyKey\n    ) {\n      ...DeleteNotificationOutcome\n      current {\n        ...NotificationDetails\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TrackShipments($items: [TrackShipmentItem!]!, $dryRun: Boolean!) {\n    trackShipments(items: $items, dryRun: $dryRun, onInvalidItem: SEND_OTHERS) {\n      results {\n        ...TrackShipmentOutcome\n        ...TrackingSubject\n      }\n    }\n  }\n\n  # What the gateway makes of the input, after a dry run, too.\n  fragment TrackingSubject on TrackShipmentPayload {\n    shipment {\n      freightProviderReferenceNumber\n      freightHaulerProviderXid\n      portalLicensePlate\n    }\n    carrier {\n      mc\n      dot\n      scac\n    }\n    driverPhoneNumber\n  }\n"): (typeof documents)["\n  mutation TrackShipments($items: [TrackShipmentItem!]!, $dryRun: Boolean!) {\n    trackShipments(items: $items, dryRun: $dryRun, onInvalidItem: SEND_OTHERS) {\n      results {\n        ...TrackShipmentOutcome\n        ...TrackingSubject\n      }\n    }\n  }\n\n  # What the gateway makes of the input, after a dry run, too.\n  fragment TrackingSubject on TrackShipmentPayload {\n    shipment {\n      freightProviderReferenceNumber\n      freightHaulerProviderXid\n      portalLicensePlate\n    }\n    carrier {\n      mc\n      dot\n      scac\n    }\n    driverPhoneNumber\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query WriteRecords($keys: [ID!]!) {\n    writeRecords(idempotencyKeys: $keys) {\n      idempotencyKey\n      outcome\n    }\n  }\n"): (typeof documents)["\n  query WriteRecords($keys: [ID!]!) {\n    writeRecords(idempotencyKeys: $keys) {\n      idempotencyKey\n      outcome\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;