/** What holds for a larger graph, whatever composes and runs it. */

/** The `@oneOf` inputs of the gateway. */
export const oneOfInputs = [
  'CarrierInput',
  'ExceptionTargetInput',
  'NotificationRecipientInput',
  'NotificationTriggerInput',
  'ShipmentIdentityInput',
];

export const LOADS = '{ loads { loadId notification { notificationGuid notificationName } } }';

/** Sets tracking; the carrier has two identifiers where one has to be. */
export const TWO_CARRIERS = {
  query: `mutation ($carrier: CarrierInput!) { trackShipment(input: {
    shipment: { hauler: { freightProviderReferenceNumber: "REF-1", freightHaulerProviderXid: "XID-1" } },
    carrier: $carrier, driverPhoneNumber: "(303) 555-0100", shipmentTrackingType: "Mobile"
  }) { tracked } }`,
  variables: { carrier: { mc: '123456', dot: '7654321' } },
};
