/** One example per query and mutation. All of them succeed against the mock service's initial data. */

export interface Example {
  /** A GraphQL document with one named operation. */
  document: string;
  /** Equal names have equal values across all examples: Apollo Sandbox shows them as one document. */
  variables: Readonly<Record<string, unknown>>;
}

/** The examples' bearer token. The mock service accepts any. */
export const EXAMPLE_TOKEN = 'demo';

export const examples: readonly Example[] = [
  {
    document: `# Welcome! This query lists all notifications:
# who is notified about what.
#
# Press the play button or Ctrl-Enter to run it.
# Ctrl-Space autocompletes. There is an example
# of every query and mutation.
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
  {
    document: `# Creates a notification. recipient and trigger
# are @oneOf inputs: set exactly one field each.

mutation CreateNotification($notification: NotificationInput!) {
  createNotification(input: $notification) {
    notification {
      notificationGuid
      notificationName
      shipmentStatuses
      recipient {
        notificationRecipientType
        ... on ShipmentLevelRecipient {
          emailList
          smsList
        }
      }
    }
    messages
  }
}`,
    variables: {
      notification: {
        notificationName: 'Arrivals at the dock',
        recipient: {
          shipmentLevel: { emailList: ['dock@example.com'], smsList: ['(303) 555-0100'] },
        },
        trigger: { shipmentStatusChange: ['AT_CONSIGNEE', 'DELIVERED'] },
      },
    },
  },
  {
    document: `# Replaces the definition of a notification.

mutation UpdateNotification($changedGuid: ID!, $change: NotificationInput!) {
  updateNotification(notificationGuid: $changedGuid, input: $change) {
    notification {
      notificationName
      shipmentStatuses
      recipient {
        notificationRecipientType
        ... on StopLevelRecipient {
          notifyStopContactsByEmail
          notifyStopContactsBySms
        }
      }
    }
    messages
  }
}`,
    variables: {
      changedGuid: '3cc0494f-c4db-43d9-b239-cd666e1e9eae',
      change: {
        notificationName: 'Night shift, stop contacts',
        recipient: {
          stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false },
        },
        trigger: { shipmentStatusChange: ['IN_TRANSIT'] },
      },
    },
  },
  {
    document: `# Deletes a notification. Running it again fails
# with NOT_FOUND.

mutation DeleteNotification($obsoleteGuid: ID!) {
  deleteNotification(notificationGuid: $obsoleteGuid) {
    notificationGuid
    messages
  }
}`,
    variables: { obsoleteGuid: '00a30b2b-22c8-4022-b40c-e04de3de38ed' },
  },
  {
    document: `# Starts tracking a shipment via its driver's
# phone. No bearer token required.

mutation TrackShipment($tracking: TrackShipmentInput!) {
  trackShipment(input: $tracking) {
    tracked
    shipment {
      freightProviderReferenceNumber
      freightHaulerProviderXid
    }
  }
}`,
    variables: {
      tracking: {
        shipment: {
          hauler: {
            freightProviderReferenceNumber: 'REF-1001',
            freightHaulerProviderXid: 'XID-2001',
          },
        },
        carrier: { scac: 'EXMA' },
        driverPhoneNumber: '(303) 555-0100',
        shipmentTrackingType: 'Mobile',
      },
    },
  },
  {
    document: `# Deletes an exception. To delete one of its files
# instead, set exceptionFileGuid in target. Running
# it again fails with NOT_FOUND.
# No bearer token required.

mutation DeleteException($exception: DeleteExceptionInput!) {
  deleteException(input: $exception) {
    deleted
    exceptionGuid
    shipment {
      freightProviderReferenceNumber
      portalLicensePlate
    }
  }
}`,
    variables: {
      exception: {
        shipment: {
          licensePlate: {
            freightProviderReferenceNumber: 'REF-1002',
            portalLicensePlate: 'PLATE-3002',
          },
        },
        carrier: { dot: '8000002' },
        target: { exceptionGuid: 'e0000000-0000-4000-8000-000000000202' },
      },
    },
  },
];
