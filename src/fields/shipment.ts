/** Schemas of the tracking and exception inputs; their output is the REST parameters. */
import { z } from 'zod';
import { Identifier, oneOf, PhoneNumber, NonEmptyString, type additionalParameters } from './valueSchemas.js';

const ShipmentIdentity = oneOf({
  hauler: z
    .object({ freightProviderReferenceNumber: NonEmptyString, freightHaulerProviderXid: NonEmptyString })
    .transform((hauler) => ({
      FreightProviderReferenceNumber: hauler.freightProviderReferenceNumber,
      FreightHaulerProviderXID: hauler.freightHaulerProviderXid,
    })),
  licensePlate: z
    .object({ freightProviderReferenceNumber: NonEmptyString, portalLicensePlate: NonEmptyString })
    .transform((plate) => ({
      FreightProviderReferenceNumber: plate.freightProviderReferenceNumber,
      PortalLicensePlate: plate.portalLicensePlate,
    })),
});

const Carrier = oneOf({
  mc: NonEmptyString.transform((CarrierMC) => ({ CarrierMC })),
  dot: NonEmptyString.transform((CarrierDOT) => ({ CarrierDOT })),
  scac: NonEmptyString.transform((CarrierSCAC) => ({ CarrierSCAC })),
});

const ExceptionTarget = oneOf({
  exceptionGuid: Identifier.transform((ExceptionGuid) => ({ ExceptionGuid })),
  exceptionFileGuid: Identifier.transform((ExceptionFileGuid) => ({ ExceptionFileGuid })),
});

type AdditionalParameters = ReturnType<typeof additionalParameters>;

export function createTrackShipmentInput(additionalParameters: AdditionalParameters) {
  return z
    .object({
      shipment: ShipmentIdentity,
      carrier: Carrier,
      driverPhoneNumber: PhoneNumber,
      shipmentTrackingType: NonEmptyString,
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

export function createDeleteExceptionInput(additionalParameters: AdditionalParameters) {
  return z
    .object({ shipment: ShipmentIdentity, carrier: Carrier, target: ExceptionTarget, additionalParameters })
    .transform(({ shipment, carrier, target, additionalParameters }) => ({
      ...additionalParameters,
      ...shipment,
      ...carrier,
      ...target,
    }));
}
