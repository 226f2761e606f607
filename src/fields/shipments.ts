/** The fields that write shipments. Their inputs become the parameters of a REST call, and their payloads return these parameters. */
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
import { shipmentParameterNames, type ShipmentParameters } from '../freight/contract.js';
import { operations } from '../freight/operations.js';
import { unreadableWrite, type WritePayload } from '../freight/write.js';

const { trackShipment, deleteException } = operations;

export const shipmentWrites = {
  trackShipment: mutationField({
    operation: trackShipment,
    args: (settings) =>
      z.object({
        input: trackShipmentInput(settings).transform(fitsTarget(trackShipment, settings, toParameters)),
        ...writeArguments,
      }),
    toWrite: ({ input }) =>
      unreadableWrite(toParameters(input), {
        shipment: identityOf(input.shipment),
        carrier: input.carrier,
        driverPhoneNumber: input.driverPhoneNumber,
      }),
    subject: ({ input }, { driverPhoneFormat }) => ({
      ...validSubject(input),
      driverPhoneNumber: phoneNumberIn(driverPhoneFormat).safeParse(input.driverPhoneNumber).data,
    }),
  }),

  deleteException: mutationField({
    operation: deleteException,
    args: (settings) =>
      z.object({
        input: deleteExceptionInput(settings).transform(fitsTarget(deleteException, settings, toParameters)),
        ...writeArguments,
      }),
    toWrite: ({ input }) =>
      unreadableWrite(toParameters(input), {
        shipment: identityOf(input.shipment),
        carrier: input.carrier,
        ...input.target,
      }),
    subject: ({ input }) => ({
      ...validSubject(input),
      ...ExceptionTarget.safeParse(input.target).data,
      messages: [],
    }),
  }),
};

/** Field resolvers of the payloads; a field without one has the value of the same name. */
export const shipmentTypes = {
  TrackShipmentPayload: { tracked: isApplied },
  DeleteExceptionPayload: { deleted: isApplied },
};

/** Whether the write was applied; null if that is unknown. */
function isApplied({ outcome }: WritePayload<object>): boolean | null {
  return outcome === 'UNKNOWN' ? null : outcome === 'APPLIED';
}

const ShipmentIdentity = oneOf({
  hauler: z.object({
    freightProviderReferenceNumber: Text,
    freightHaulerProviderXid: Text,
  }),
  licensePlate: z.object({
    freightProviderReferenceNumber: Text,
    portalLicensePlate: Text,
  }),
});

const Carrier = oneOf({ mc: Text, dot: Text, scac: Text });

const ExceptionTarget = oneOf({ exceptionGuid: Identifier, exceptionFileGuid: Identifier });

const trackShipmentInput = (settings: FieldSettings) =>
  shipmentInput(trackShipment, settings, {
    driverPhoneNumber: phoneNumberIn(settings.driverPhoneFormat),
    shipmentTrackingType: Text,
  });

const deleteExceptionInput = (settings: FieldSettings) =>
  shipmentInput(deleteException, settings, { target: ExceptionTarget });

/** Adds the members that all inputs have: the shipment, its carrier, and parameters that the schema does not define. */
function shipmentInput<Shape extends z.ZodRawShape>(
  { parametersIn }: Pick<typeof trackShipment, 'parametersIn'>,
  settings: FieldSettings,
  members: Shape,
) {
  const { licensePlateParameter, shipmentParameters } = settings;
  return z.object({
    shipment: ShipmentIdentity,
    carrier: Carrier,
    ...members,
    additionalParameters: additionalParameters(parametersIn(settings), [
      ...shipmentParameterNames,
      licensePlateParameter,
      ...Object.keys(shipmentParameters),
    ]),
  });
}

/** The parameter that each member of an input becomes. */
const parameterNames: Readonly<Record<string, (typeof shipmentParameterNames)[number]>> = {
  freightProviderReferenceNumber: 'FreightProviderReferenceNumber',
  freightHaulerProviderXid: 'FreightHaulerProviderXID',
  portalLicensePlate: 'PortalLicensePlate',
  mc: 'CarrierMC',
  dot: 'CarrierDOT',
  scac: 'CarrierSCAC',
  driverPhoneNumber: 'DriverPhoneNumber',
  shipmentTrackingType: 'ShipmentTrackingType',
  exceptionGuid: 'ExceptionGuid',
  exceptionFileGuid: 'ExceptionFileGuid',
};

interface ShipmentInput {
  shipment: z.output<typeof ShipmentIdentity>;
  carrier: z.output<typeof Carrier>;
  target?: z.output<typeof ExceptionTarget>;
  additionalParameters: Record<string, unknown>;
}

/**
 * The parameters of a REST call. Must not inspect values: freight/fieldNames.ts passes argument paths in their place, to find the argument that
 * each parameter comes from.
 */
function toParameters(input: ShipmentInput) {
  const parameters = { ...input.additionalParameters };
  const parts: unknown[] = [identityOf(input.shipment), input.carrier, input.target, input];
  for (const members of parts as Readonly<Record<string, unknown>>[]) {
    // Object.entries() would take ten times as long.
    for (const name in members) {
      const parameter = parameterNames[name];
      if (parameter !== undefined && members[name] !== undefined) parameters[parameter] = members[name];
    }
  }
  return parameters as ShipmentParameters;
}

/** The members of either object, as the payload has them. */
const identityOf = (shipment: z.output<typeof ShipmentIdentity>) => shipment.hauler ?? shipment.licensePlate;

/** The shipment and the carrier of an input, unless they are invalid. */
function validSubject({ shipment, carrier }: { shipment: unknown; carrier: unknown }) {
  const { data: identity = {} } = ShipmentIdentity.safeParse(shipment);
  return { shipment: identityOf(identity), carrier: Carrier.safeParse(carrier).data };
}
