/** The operations of a front end; their types are generated. */
import { graphql } from './generated/index.js';

graphql(`
  fragment Details on Notification {
    __typename
    notificationGuid
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
      ...Details
    }
  }
`);

export const ListNotifications = graphql(`
  query ListNotifications {
    notifications {
      notifications {
        notificationGuid
        notificationName
      }
    }
  }
`);

export const UpdateNotification = graphql(`
  mutation UpdateNotification($notificationGuid: ID!, $input: NotificationInput!) {
    updateNotification(notificationGuid: $notificationGuid, input: $input) {
      notification {
        ...Details
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
