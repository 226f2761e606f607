/** The operations of the tracking page. The fragment with the outcome comes with the package. */
import { graphql } from '../generated';

export const TrackShipments = graphql(`
  mutation TrackShipments($items: [TrackShipmentItem!]!, $dryRun: Boolean!) {
    trackShipments(items: $items, dryRun: $dryRun, onInvalidItem: SEND_OTHERS) {
      results {
        ...TrackShipmentOutcome
        ...TrackingSubject
      }
    }
  }

  # What the gateway makes of the input, after a dry run, too.
  fragment TrackingSubject on TrackShipmentPayload {
    shipment {
      freightProviderReferenceNumber
      freightHaulerProviderXid
      portalLicensePlate
    }
    carrier {
      mc
      dot
      scac
    }
    driverPhoneNumber
  }
`);

export const WriteRecords = graphql(`
  query WriteRecords($keys: [ID!]!) {
    writeRecords(idempotencyKeys: $keys) {
      idempotencyKey
      outcome
    }
  }
`);
