/** An operation to try for each query and mutation; they succeed on the first data of the reference service. */

export interface Example {
  /** A GraphQL document with one named operation. */
  document: string;
  /** A variable has one value in all examples, so that they can also stand in one document together. */
  variables: Readonly<Record<string, unknown>>;
}

/** Token that goes with the examples: the reference service takes any. */
export const EXAMPLE_TOKEN = 'demo';

export const examples: readonly Example[] = [
  {
    document: `# Welcome. This lists the notifications of the freight
# service: who is told, and of what.
#
# Run it with the play button or Ctrl-Enter; Ctrl-Space
# proposes what can be written at the cursor. There is an
# example of each query and mutation.
#
# They are sent with the token demo, as the reference
# service takes any; enter your own for another service.

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
    document: `# One notification; null when the service has none with
# this identifier.

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
    document: `# Several notifications at once. The service has none with
# the last identifier, so that one is null.

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
    document: `# The recipient and the trigger are @oneOf inputs: each
# takes exactly one of its fields.

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
    document: `# Replaces the whole definition of a notification.

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
    document: `# A second run is answered with NOT_FOUND.

mutation DeleteNotification($obsoleteGuid: ID!) {
  deleteNotification(notificationGuid: $obsoleteGuid) {
    notificationGuid
    messages
  }
}`,
    variables: { obsoleteGuid: '00a30b2b-22c8-4022-b40c-e04de3de38ed' },
  },
  {
    document: `# Tracks a shipment through the phone of its driver.
# Needs no token.

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
    document: `# Deletes an exception, or one of its files when the target
# is an exceptionFileGuid. Needs no token.
# A second run is answered with NOT_FOUND.

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
