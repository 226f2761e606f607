/** The front end's operations. `graphql()` is generated: it returns typed documents. */
import { graphql } from './generated/index.js';

graphql(`
  fragment NotificationDetails on Notification {
    __typename
    id
    notificationName
    shipmentStatuses
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
  }
`);

export const ReadNotification = graphql(`
  query ReadNotification($notificationGuid: ID!) {
    notification(notificationGuid: $notificationGuid) {
      ...NotificationDetails
    }
  }
`);

export const ListNotifications = graphql(`
  query ListNotifications {
    notifications {
      notifications {
        id
        notificationName
      }
    }
  }
`);

export const UpdateNotification = graphql(`
  mutation UpdateNotification($notificationGuid: ID!, $input: UpdateNotificationInput!) {
    updateNotification(notificationGuid: $notificationGuid, input: $input) {
      notification {
        ...NotificationDetails
      }
    }
  }
`);

export const TrackShipment = graphql(`
  mutation TrackShipment($input: TrackShipmentInput!) {
    trackShipment(input: $input) {
      tracked
    }
  }
`);
