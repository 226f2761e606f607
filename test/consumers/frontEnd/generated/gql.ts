/* eslint-disable */
import * as types from './graphql.js';
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
    "\n  fragment NotificationDetails on Notification {\n    __typename\n    id\n    notificationName\n    shipmentStatuses\n    recipient {\n      __typename\n      notificationRecipientType\n      ... on ShipmentLevelRecipient {\n        emailList\n        smsList\n      }\n      ... on StopLevelRecipient {\n        notifyStopContactsByEmail\n        notifyStopContactsBySms\n      }\n    }\n  }\n": typeof types.NotificationDetailsFragmentDoc,
    "\n  query ReadNotification($notificationGuid: ID!) {\n    notification(notificationGuid: $notificationGuid) {\n      ...NotificationDetails\n    }\n  }\n": typeof types.ReadNotificationDocument,
    "\n  query ListNotifications {\n    notifications {\n      notifications {\n        id\n        notificationName\n      }\n    }\n  }\n": typeof types.ListNotificationsDocument,
    "\n  mutation UpdateNotification($notificationGuid: ID!, $input: UpdateNotificationInput!) {\n    updateNotification(notificationGuid: $notificationGuid, input: $input) {\n      notification {\n        ...NotificationDetails\n      }\n    }\n  }\n": typeof types.UpdateNotificationDocument,
    "\n  mutation TrackShipment($input: TrackShipmentInput!) {\n    trackShipment(input: $input) {\n      tracked\n    }\n  }\n": typeof types.TrackShipmentDocument,
};
const documents: Documents = {
    "\n  fragment NotificationDetails on Notification {\n    __typename\n    id\n    notificationName\n    shipmentStatuses\n    recipient {\n      __typename\n      notificationRecipientType\n      ... on ShipmentLevelRecipient {\n        emailList\n        smsList\n      }\n      ... on StopLevelRecipient {\n        notifyStopContactsByEmail\n        notifyStopContactsBySms\n      }\n    }\n  }\n": types.NotificationDetailsFragmentDoc,
    "\n  query ReadNotification($notificationGuid: ID!) {\n    notification(notificationGuid: $notificationGuid) {\n      ...NotificationDetails\n    }\n  }\n": types.ReadNotificationDocument,
    "\n  query ListNotifications {\n    notifications {\n      notifications {\n        id\n        notificationName\n      }\n    }\n  }\n": types.ListNotificationsDocument,
    "\n  mutation UpdateNotification($notificationGuid: ID!, $input: UpdateNotificationInput!) {\n    updateNotification(notificationGuid: $notificationGuid, input: $input) {\n      notification {\n        ...NotificationDetails\n      }\n    }\n  }\n": types.UpdateNotificationDocument,
    "\n  mutation TrackShipment($input: TrackShipmentInput!) {\n    trackShipment(input: $input) {\n      tracked\n    }\n  }\n": types.TrackShipmentDocument,
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
export function graphql(source: "\n  fragment NotificationDetails on Notification {\n    __typename\n    id\n    notificationName\n    shipmentStatuses\n    recipient {\n      __typename\n      notificationRecipientType\n      ... on ShipmentLevelRecipient {\n        emailList\n        smsList\n      }\n      ... on StopLevelRecipient {\n        notifyStopContactsByEmail\n        notifyStopContactsBySms\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment NotificationDetails on Notification {\n    __typename\n    id\n    notificationName\n    shipmentStatuses\n    recipient {\n      __typename\n      notificationRecipientType\n      ... on ShipmentLevelRecipient {\n        emailList\n        smsList\n      }\n      ... on StopLevelRecipient {\n        notifyStopContactsByEmail\n        notifyStopContactsBySms\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ReadNotification($notificationGuid: ID!) {\n    notification(notificationGuid: $notificationGuid) {\n      ...NotificationDetails\n    }\n  }\n"): (typeof documents)["\n  query ReadNotification($notificationGuid: ID!) {\n    notification(notificationGuid: $notificationGuid) {\n      ...NotificationDetails\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ListNotifications {\n    notifications {\n      notifications {\n        id\n        notificationName\n      }\n    }\n  }\n"): (typeof documents)["\n  query ListNotifications {\n    notifications {\n      notifications {\n        id\n        notificationName\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateNotification($notificationGuid: ID!, $input: UpdateNotificationInput!) {\n    updateNotification(notificationGuid: $notificationGuid, input: $input) {\n      notification {\n        ...NotificationDetails\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation UpdateNotification($notificationGuid: ID!, $input: UpdateNotificationInput!) {\n    updateNotification(notificationGuid: $notificationGuid, input: $input) {\n      notification {\n        ...NotificationDetails\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation TrackShipment($input: TrackShipmentInput!) {\n    trackShipment(input: $input) {\n      tracked\n    }\n  }\n"): (typeof documents)["\n  mutation TrackShipment($input: TrackShipmentInput!) {\n    trackShipment(input: $input) {\n      tracked\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;