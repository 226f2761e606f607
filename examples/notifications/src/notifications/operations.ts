/** The operations of the notification pages. The fragments with the outcomes come with the package. */
import { graphql } from '../generated';

graphql(`
  fragment NotificationDetails on Notification {
    id
    notificationName
    recipient {
      __typename
      notificationRecipientType
      ... on ShipmentLevelRecipient {
        emailList
        smsList
      }
      ... on StopLevelRecipient {
        notifyStopContactsByEmail
        notifyStopContactsBySms
      }
    }
    notificationTypeLabel
    notificationTypes
    shipmentStatuses
    lastUpdateUserName
    lastUpdateDate
  }
`);

export const Notifications = graphql(`
  query Notifications($parameters: JSONObject!) {
    notifications(additionalParameters: $parameters) {
      notifications {
        ...NotificationDetails
      }
      unreadable {
        index
        problem
      }
      totalPossibleCount
    }
  }
`);

export const ReadNotification = graphql(`
  query ReadNotification($notificationGuid: ID!) {
    notification(notificationGuid: $notificationGuid) {
      ...NotificationDetails
    }
  }
`);

export const ReadCandidates = graphql(`
  query ReadCandidates($notificationGuids: [ID!]!) {
    notificationsByGuid(notificationGuids: $notificationGuids) {
      id
      notificationName
      lastUpdateDate
    }
  }
`);

export const CreateNotification = graphql(`
  mutation CreateNotification($input: NotificationInput!, $idempotencyKey: ID) {
    createNotification(input: $input, idempotencyKey: $idempotencyKey) {
      ...CreateNotificationOutcome
      notification {
        ...NotificationDetails
      }
    }
  }
`);

export const UpdateNotification = graphql(`
  mutation UpdateNotification(
    $notificationGuid: ID!
    $input: UpdateNotificationInput!
    $ifLastUpdateDate: DateTime
    $idempotencyKey: ID
  ) {
    updateNotification(
      notificationGuid: $notificationGuid
      input: $input
      ifLastUpdateDate: $ifLastUpdateDate
      idempotencyKey: $idempotencyKey
    ) {
      ...UpdateNotificationOutcome
      notification {
        ...NotificationDetails
      }
      current {
        ...NotificationDetails
      }
    }
  }
`);

export const DeleteNotification = graphql(`
  mutation DeleteNotification($notificationGuid: ID!, $ifLastUpdateDate: DateTime, $idempotencyKey: ID) {
    deleteNotification(
      notificationGuid: $notificationGuid
      ifLastUpdateDate: $ifLastUpdateDate
      idempotencyKey: $idempotencyKey
    ) {
      ...DeleteNotificationOutcome
      current {
        ...NotificationDetails
      }
    }
  }
`);
