import type { Example } from './example.js';

export const queryExamples: readonly Example[] = [
  {
    title: 'List notifications',
    document: `# Welcome! This query lists all notifications:
# who is notified about what.
#
# Press the play button or Ctrl-Enter to run it.
# Ctrl-Space autocompletes. The side bar lists an
# example of every query, mutation and error.
#
# The mock service accepts any bearer token, such
# as "demo". Your own service needs a valid one.

query ListNotifications {
  notifications {
    totalPossibleCount
    notifications {
      notificationGuid
      notificationName
      shipmentStatuses
      recipient {
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
  }
}`,
    variables: {},
  },
  {
    title: 'Read a notification',
    document: `# Reads a notification; null if the service has
# none with this identifier.

query ReadNotification($notificationGuid: ID!) {
  notification(notificationGuid: $notificationGuid) {
    notificationName
    notificationTypeLabel
    notificationTypes
    shipmentStatuses
    recipient {
      notificationRecipientType
      ... on ShipmentLevelRecipient {
        emailList
        smsList
      }
    }
    lastUpdateUserName
    lastUpdateDate
  }
}`,
    variables: { notificationGuid: 'e124b63a-74ab-43ac-abaf-d7512394501a' },
  },
  {
    title: 'Read several notifications',
    document: `# Reads several notifications at once. The last
# one is null: its identifier does not exist.

query ReadSeveralNotifications($notificationGuids: [ID!]!) {
  notificationsByGuid(notificationGuids: $notificationGuids) {
    notificationGuid
    notificationName
    lastUpdateDate
  }
}`,
    variables: {
      notificationGuids: [
        '12751a71-3f6c-4191-9f31-0f4e1843c23e',
        '268a56bc-f2d2-4fef-9422-cdf49d95b972',
        '00000000-0000-4000-8000-000000000000',
      ],
    },
  },
];
