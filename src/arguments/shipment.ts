/** The parameters of a tracking or exception call: as callers give them, and as the service takes them. */
import { z } from 'zod';
import { oneOf, PhoneNumber, Text, type furtherParameters } from './rules.js';

const ShipmentIdentity = oneOf({
  hauler: z
    .object({ freightProviderReferenceNumber: Text, freightHaulerProviderXid: Text })
    .transform((hauler) => ({
      FreightProviderReferenceNumber: hauler.freightProviderReferenceNumber,
      FreightHaulerProviderXID: hauler.freightHaulerProviderXid,
    })),
  licensePlate: z
    .object({ freightProviderReferenceNumber: Text, portalLicensePlate: Text })
    .transform((plate) => ({
      FreightProviderReferenceNumber: plate.freightProviderReferenceNumber,
      PortalLicensePlate: plate.portalLicensePlate,
    })),
});

const Carrier = oneOf({
  mc: Text.transform((CarrierMC) => ({ CarrierMC })),
  dot: Text.transform((CarrierDOT) => ({ CarrierDOT })),
  scac: Text.transform((CarrierSCAC) => ({ CarrierSCAC })),
});

const ExceptionTarget = oneOf({
  exceptionGuid: Text.transform((ExceptionGuid) => ({ ExceptionGuid })),
  exceptionFileGuid: Text.transform((ExceptionFileGuid) => ({ ExceptionFileGuid })),
});

type FurtherParameters = ReturnType<typeof furtherParameters>;

export function createTrackShipmentInput(additionalParameters: FurtherParameters) {
  return z
    .object({
      shipment: ShipmentIdentity,
      carrier: Carrier,
      driverPhoneNumber: PhoneNumber,
      shipmentTrackingType: Text,
      additionalParameters,
    })
    .transform(({ shipment, carrier, driverPhoneNumber, shipmentTrackingType, additionalParameters }) => ({
      ...additionalParameters,
      ...shipment,
      ...carrier,
      DriverPhoneNumber: driverPhoneNumber,
      ShipmentTrackingType: shipmentTrackingType,
    }));
}

export function createDeleteExceptionInput(additionalParameters: FurtherParameters) {
  return z
    .object({ shipment: ShipmentIdentity, carrier: Carrier, target: ExceptionTarget, additionalParameters })
    .transform(({ shipment, carrier, target, additionalParameters }) => ({
      ...additionalParameters,
      ...shipment,
      ...carrier,
      ...target,
    }));
}
