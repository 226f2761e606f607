/** The fields that write shipments. Their inputs become the parameters of a REST call. */
import { z } from 'zod';
import type { FieldSettings } from './context.js';
import { mutationField } from './field.js';
import {
  additionalParameters,
  fitsTarget,
  Identifier,
  oneOf,
  phoneNumberIn,
  Text,
  writeArguments,
} from './values.js';
import { shipmentParameterNames } from '../freight/contract.js';
import { operations } from '../freight/operations.js';
import { defineUnreadableWrite } from '../freight/write.js';

const { trackShipment, deleteException } = operations;

export const shipmentWrites = {
  trackShipment: mutationField({
    args: (settings) => z.object({ input: trackShipmentInput(settings), ...writeArguments }),
    write: defineUnreadableWrite(trackShipment),
    subject: ({ input }, { driverPhoneFormat }) => ({
      parameters: {
        ...ShipmentIdentity.safeParse(input.shipment).data,
        DriverPhoneNumber: phoneNumberIn(driverPhoneFormat).safeParse(input.driverPhoneNumber).data,
      },
    }),
  }),

  deleteException: mutationField({
    args: (settings) => z.object({ input: deleteExceptionInput(settings), ...writeArguments }),
    write: defineUnreadableWrite(deleteException),
    subject: ({ input }) => ({
      parameters: {
        ...ShipmentIdentity.safeParse(input.shipment).data,
        ...ExceptionTarget.safeParse(input.target).data,
      },
      messages: [],
    }),
  }),
};

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
  exceptionGuid: Identifier.transform((ExceptionGuid) => ({ ExceptionGuid })),
  exceptionFileGuid: Identifier.transform((ExceptionFileGuid) => ({ ExceptionFileGuid })),
});

function trackShipmentInput(settings: FieldSettings) {
  return z
    .object({
      shipment: ShipmentIdentity,
      carrier: Carrier,
      driverPhoneNumber: phoneNumberIn(settings.driverPhoneFormat),
      shipmentTrackingType: Text,
      additionalParameters: otherParameters(trackShipment, settings),
    })
    .transform(({ shipment, carrier, driverPhoneNumber, shipmentTrackingType, additionalParameters }) => ({
      ...additionalParameters,
      ...shipment,
      ...carrier,
      DriverPhoneNumber: driverPhoneNumber,
      ShipmentTrackingType: shipmentTrackingType,
    }))
    .transform(fitsTarget(trackShipment, settings));
}

function deleteExceptionInput(settings: FieldSettings) {
  return z
    .object({
      shipment: ShipmentIdentity,
      carrier: Carrier,
      target: ExceptionTarget,
      additionalParameters: otherParameters(deleteException, settings),
    })
    .transform(({ shipment, carrier, target, additionalParameters }) => ({
      ...additionalParameters,
      ...shipment,
      ...carrier,
      ...target,
    }))
    .transform(fitsTarget(deleteException, settings));
}

/** Parameters that the schema does not have. */
function otherParameters(
  { parametersIn }: Pick<typeof trackShipment, 'parametersIn'>,
  settings: FieldSettings,
) {
  const { licensePlateParameter, shipmentParameters } = settings;
  return additionalParameters({
    reserved: [...shipmentParameterNames, licensePlateParameter, ...Object.keys(shipmentParameters)],
    location: parametersIn(settings),
  });
}
