/**
 * Examples of each query, mutation, bulk mutation and error code. All except errors and dry runs
 * succeed against the mock's initial data.
 */
import { errorExamples } from './errorExamples.js';
import { newIdempotencyKey, type Example } from './example.js';

/** The examples' bearer token. The mock accepts any. */
export const EXAMPLE_TOKEN = 'demo';

/**
 * New each time the page is loaded, so that the first run of "Repeat safely" always sends its request. Of version 4, which has no time: in
 * Apollo Sandbox it is as old as the process, and a key of version 7 would expire.
 */
const repeatKey = newIdempotencyKey().replace(/^(.{14})7/, (_, start: string) => `${start}4`);

const queryExamples: readonly Example[] = [
  {
    title: 'List notifications',
    needs: 'token',
    document: `# Ctrl-Enter runs it, with a bearer token. The side bar has an example of every query, mutation and error.

query ListNotifications {
  notifications {
    totalPossibleCount
    # Without this, a list of which something cannot be read fails.
    unreadable {
      index
      problem
    }
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
    needs: 'token',
    document: `# Reads a notification; null if the service has none with this identifier.

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
    needs: 'token',
    document: `# Reads several notifications at once. The last one is null: its identifier does not exist.

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
    title: 'Look up the outcome of a write',
    document: `# Null, until "Repeat safely" among the mutations has run with this key. Sends nothing to the service. No bearer token required.

query AskWhatBecameOfWrites($idempotencyKeys: [ID!]!) {
  writeRecords(idempotencyKeys: $idempotencyKeys) {
    idempotencyKey
    field
    outcome
    notificationGuid
    expiresAt
  }
}`,
    variables: { idempotencyKeys: [repeatKey] },
  },
];

const mutationExamples: readonly Example[] = [
  {
    title: 'Create a notification',
    needs: 'token',
    document: `# Creates a notification. recipient and trigger are @oneOf inputs: set exactly one field each.

mutation CreateNotification($notification: NotificationInput!) {
  createNotification(input: $notification) {
    outcome
    errors {
      code
      message
      inputPath
    }
    notification {
      notificationGuid
      notificationName
      shipmentStatuses
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
    title: 'Create several notifications',
    needs: 'token',
    document: `# Creates two notifications. If one of them were invalid, neither would be sent.

mutation CreateNotifications($definitions: [CreateNotificationItem!]!) {
  createNotifications(items: $definitions) {
    results {
      outcome
      errors {
        code
        message
        inputPath
      }
      notification {
        notificationGuid
        notificationName
      }
    }
    applied
    notApplied
    unknown
  }
}`,
    variables: {
      definitions: ['Gate 1', 'Gate 2'].map((notificationName) => ({
        input: {
          notificationName,
          recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } },
          trigger: { shipmentStatusChange: ['AT_SHIPPER'] },
        },
      })),
    },
  },
  {
    title: 'Update a notification',
    needs: 'token',
    document: `# Changes a notification. What the input leaves out stays as it is.

mutation UpdateNotification($changedGuid: ID!, $change: UpdateNotificationInput!) {
  updateNotification(notificationGuid: $changedGuid, input: $change) {
    outcome
    errors {
      code
      message
      inputPath
    }
    notification {
      notificationName
      recipient {
        notificationRecipientType
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
      },
    },
  },
  {
    title: 'Update several notifications',
    needs: 'token',
    document: `# Changes two notifications. The rows of one notification are sent one after the other, others side by side.

mutation UpdateNotifications($changes: [UpdateNotificationItem!]!) {
  updateNotifications(items: $changes) {
    results {
      outcome
      errors {
        code
        message
        inputPath
      }
      notification {
        notificationName
        shipmentStatuses
      }
    }
    applied
    notApplied
    unknown
  }
}`,
    variables: {
      changes: ['485ae539-27a7-4f9f-a855-00d4fe7ad991', '643e98dc-2a8e-4de0-9706-f2efb295af30'].map(
        (notificationGuid) => ({
          notificationGuid,
          input: { trigger: { shipmentStatusChange: ['AT_CONSIGNEE', 'DELIVERED'] } },
        }),
      ),
    },
  },
  {
    title: 'Delete a notification',
    needs: 'token',
    document: `# Deletes a notification. Running it again fails with NOT_FOUND.

mutation DeleteNotification($obsoleteGuid: ID!) {
  deleteNotification(notificationGuid: $obsoleteGuid) {
    outcome
    errors {
      code
      message
      inputPath
    }
    notificationGuid
    messages
  }
}`,
    variables: { obsoleteGuid: '00a30b2b-22c8-4022-b40c-e04de3de38ed' },
  },
  {
    title: 'Delete several notifications',
    needs: 'token',
    document: `# Deletes two notifications, each with an outcome of its own. Running it again fails with NOT_FOUND.

mutation DeleteNotifications($obsolete: [DeleteNotificationItem!]!) {
  deleteNotifications(items: $obsolete) {
    results {
      outcome
      errors {
        code
        message
        inputPath
      }
      notificationGuid
    }
    applied
    notApplied
    unknown
  }
}`,
    variables: {
      obsolete: [
        { notificationGuid: 'cf4856b3-dbfc-4049-a3c5-c78602ffa321' },
        { notificationGuid: '6de051ec-a242-4c96-8a72-7bef13aac13f' },
      ],
    },
  },
  {
    title: 'Track a shipment',
    document: `# Starts tracking a shipment via its driver's phone. No bearer token required.

mutation TrackShipment($tracking: TrackShipmentInput!) {
  trackShipment(input: $tracking) {
    outcome
    evidence
    errors {
      code
      message
      inputPath
    }
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
    title: 'Paste a number',
    document: `# A number from the contacts of a phone or of Windows, between the invisible characters U+202A and U+202C, and a reference number with a zero-width space from a web page. The payload has the clean texts, which would be sent: this is a dry run.

mutation PasteNumber($pasted: TrackShipmentInput!) {
  trackShipment(input: $pasted, dryRun: true) {
    outcome
    errors {
      code
      message
      inputPath
    }
    shipment {
      freightProviderReferenceNumber
      freightHaulerProviderXid
    }
    driverPhoneNumber
  }
}`,
    variables: {
      pasted: {
        shipment: {
          hauler: {
            freightProviderReferenceNumber: 'REF\u200b-1001',
            freightHaulerProviderXid: ' XID-2001 ',
          },
        },
        carrier: { scac: 'EXMA' },
        driverPhoneNumber: '\u202a+1 (303) 555-0100\u202c',
        shipmentTrackingType: 'Mobile',
      },
    },
  },
  {
    title: 'Repeat safely',
    document: `# Running it again sends nothing to the service: the evidence is REPLAY then. A key belongs to its arguments; with others it is rejected.

mutation RepeatSafely($request: TrackShipmentInput!, $key: ID) {
  trackShipment(input: $request, idempotencyKey: $key) {
    outcome
    evidence
    errors {
      code
      message
      inputPath
    }
    tracked
  }
}`,
    variables: {
      request: {
        shipment: {
          licensePlate: {
            freightProviderReferenceNumber: 'REF-1003',
            portalLicensePlate: 'PLATE-3003',
          },
        },
        carrier: { scac: 'EXMC' },
        driverPhoneNumber: '(303) 555-0101',
        shipmentTrackingType: 'Mobile',
      },
      key: repeatKey,
    },
  },
  {
    title: 'Track several shipments',
    document: `# Tracks shipments, one of which has an invalid phone number. This is a dry run, which sends nothing. With dryRun: false, the others are sent side by side, and the mock service shows every outcome.

mutation TrackShipments(
  $loads: [TrackShipmentItem!]!
  $dryRun: Boolean!
) {
  trackShipments(
    items: $loads
    onInvalidItem: SEND_OTHERS
    dryRun: $dryRun
  ) {
    results {
      outcome
      errors {
        code
        message
        inputPath
      }
      shipment {
        freightProviderReferenceNumber
      }
      driverPhoneNumber
    }
    applied
    notApplied
    unknown
  }
}`,
    variables: {
      loads: [
        ['REF-1004', 'XID-2004', 'EXMD', '(303) 555-0111', 'b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f811'],
        ['REF-1005', 'XID-2005', 'EXMA', '303-555', 'b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f812'],
        ['REF-4040', 'XID-4040', 'EXMC', '(303) 555-0113', 'b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f813'],
        ['REF-0000', 'XID-0000', 'EXMA', '(303) 555-0114', 'b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f814'],
        ['REF-2020', 'XID-2020', 'EXMA', '(303) 555-0115', 'b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f815'],
        ['REF-4000', 'XID-4000', 'EXMA', '(303) 555-0116', 'b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f816'],
        ['REF-4030', 'XID-4030', 'EXMA', '(303) 555-0117', 'b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f817'],
        ['REF-4290', 'XID-4290', 'EXMA', '(303) 555-0118', 'b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f818'],
        ['REF-5000', 'XID-5000', 'EXMA', '(303) 555-0119', 'b3a1f6d2-5e08-4c41-8a7b-90c2d4e6f819'],
      ].map(([reference, hauler, scac, driverPhoneNumber, idempotencyKey]) => ({
        input: {
          shipment: {
            hauler: { freightProviderReferenceNumber: reference, freightHaulerProviderXid: hauler },
          },
          carrier: { scac },
          driverPhoneNumber,
          shipmentTrackingType: 'Mobile',
        },
        idempotencyKey,
      })),
      dryRun: true,
    },
  },
  {
    title: 'Delete an exception',
    document: `# Deletes an exception. To delete one of its files instead, set exceptionFileGuid in target. Running it again fails with NOT_FOUND. No bearer token required.

mutation DeleteException($exception: DeleteExceptionInput!) {
  deleteException(input: $exception) {
    outcome
    errors {
      code
      message
      inputPath
    }
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
  {
    title: 'Delete several exceptions',
    document: `# Deletes an exception, and a file of another one. Running it again fails with NOT_FOUND. No bearer token required.

mutation DeleteExceptions($targets: [DeleteExceptionItem!]!) {
  deleteExceptions(items: $targets) {
    results {
      outcome
      errors {
        code
        message
        inputPath
      }
      exceptionGuid
    }
    applied
    notApplied
    unknown
  }
}`,
    variables: {
      targets: [
        {
          input: {
            shipment: {
              licensePlate: { freightProviderReferenceNumber: 'REF-1001', portalLicensePlate: 'PLATE-3001' },
            },
            carrier: { scac: 'EXMA' },
            target: { exceptionGuid: 'e0000000-0000-4000-8000-000000000101' },
          },
        },
        {
          input: {
            shipment: {
              licensePlate: { freightProviderReferenceNumber: 'REF-1002', portalLicensePlate: 'PLATE-3002' },
            },
            carrier: { scac: 'EXMB' },
            target: { exceptionFileGuid: 'f0000000-0000-4000-8000-000000000202' },
          },
        },
      ],
    },
  },
];

export const examples: readonly Example[] = [...queryExamples, ...mutationExamples];

export const exampleGroups: readonly { title: string; examples: readonly Example[] }[] = [
  { title: 'Queries', examples: queryExamples },
  { title: 'Mutations', examples: mutationExamples },
  { title: 'Errors', examples: errorExamples },
];
