/** Cases shared by the supergraph tests of all tools. */

/** The `@oneOf` inputs of the gateway. */
export const oneOfInputs = [
  'CarrierInput',
  'ExceptionTargetInput',
  'NotificationRecipientInput',
  'NotificationTriggerInput',
  'ShipmentIdentityInput',
];

/** Joins the loads subgraph with the gateway's notifications. */
export const LOADS = `{
  loads {
    loadId
    notification {
      notificationGuid
      notificationName
    }
  }
}`;

/** A `trackShipment` mutation whose carrier has two identifiers instead of exactly one. */
export const TWO_CARRIERS = {
  query: `mutation ($carrier: CarrierInput!) {
    trackShipment(
      input: {
        shipment: { hauler: { freightProviderReferenceNumber: "REF-1", freightHaulerProviderXid: "XID-1" } }
        carrier: $carrier
        driverPhoneNumber: "(303) 555-0100"
        shipmentTrackingType: "Mobile"
      }
    ) {
      tracked
    }
  }`,
  variables: { carrier: { mc: '123456', dot: '7654321' } },
};
