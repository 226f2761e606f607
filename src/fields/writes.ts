/**
 * The fields that write. The inputs of notifications become the body of a REST request, or changes to one; those of shipments become the
 * parameters of a call, which their payloads return.
 */
import { z } from 'zod';
import { bulkFieldsOf } from './bulk.js';
import type { FieldSettings } from './context.js';
import { mutationField } from './field.js';
import {
  additionalParameters,
  DateTime,
  EmailAddress,
  fitsTarget,
  Identifier,
  inputList,
  JsonValue,
  NotificationGuid,
  oneOf,
  PhoneNumber,
  phoneNumberIn,
  rule,
  Text,
  writeArguments,
} from './values.js';
import { cleanText } from '../domain/text.js';
import { InputRule } from '../errors.js';
import type { ShipmentStatus } from '../generated/enums.js';
import {
  shipmentParameterNames,
  type NotificationRequest,
  type RecipientFields,
  type ShipmentParameters,
} from '../freight/contract.js';
import type { SentFields } from '../freight/notificationChanges.js';
import { RecipientType, serviceSubtypes, SHIPMENT_STATUS_CHANGE } from '../freight/vocabulary.js';
import { operations } from '../freight/operations.js';
import { unreadableWrite } from '../freight/write.js';
import { createNotification, deleteNotification, updateNotification } from '../freight/writes.js';

const { trackShipment, deleteException } = operations;

const singleWrites = {
  createNotification: mutationField({
    operation: operations.createNotification,
    args: (settings) => z.object({ input: definition(settings), ...writeArguments }),
    toWrite: ({ input }) => createNotification(toFields(input) as NotificationRequest),
    subject: () => ({ messages: [] }),
  }),

  updateNotification: mutationField({
    operation: operations.replaceNotification,
    args: (settings) =>
      z.object({
        notificationGuid: NotificationGuid,
        input: updateNotificationInput(settings),
        ifLastUpdateDate: DateTime.nullish(),
        ...writeArguments,
      }),
    restCalls: () => 3, // the read before the update, the update, and the read after it
    toWrite: ({ input, ...target }) => updateNotification(target, toFields(input)),
    subject: ({ notificationGuid }) => ({ notificationGuid: cleanText(notificationGuid), messages: [] }),
  }),

  deleteNotification: mutationField({
    operation: operations.deleteNotification,
    args: () =>
      z.object({
        notificationGuid: NotificationGuid,
        ifLastUpdateDate: DateTime.nullish(),
        ...writeArguments,
      }),
    restCalls: ({ ifLastUpdateDate }) => (ifLastUpdateDate == null ? 1 : 2),
    toWrite: deleteNotification,
    subject: ({ notificationGuid }) => ({ notificationGuid: cleanText(notificationGuid), messages: [] }),
  }),

  trackShipment: mutationField({
    operation: trackShipment,
    args: (settings) =>
      z.object({
        input: shipmentInput(trackShipment, settings, {
          driverPhoneNumber: phoneNumberIn(settings.driverPhoneFormat),
          shipmentTrackingType: Text,
        }).transform(fitsTarget(trackShipment, settings, toParameters)),
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
        input: shipmentInput(deleteException, settings, { target: ExceptionTarget }).transform(
          fitsTarget(deleteException, settings, toParameters),
        ),
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

/** The single writes, and a bulk field for each of them. */
export const writes = { ...singleWrites, ...bulkFieldsOf(singleWrites) };

/** The payload of a mutation field, as its resolvers receive it. */
export type Payload<Field extends keyof typeof writes> = Awaited<
  ReturnType<(typeof writes)[Field]['resolve']>
>;

/** The kind of read-back after each mutation field; undefined if nothing can be read back. */
export const readBackKinds = Object.fromEntries(
  Object.entries(singleWrites).map(([name, { operation }]) => [name, operation.readBack]),
);

function updateNotificationInput(settings: FieldSettings) {
  const { shape } = definition(settings);
  return z
    .object({
      notificationName: shape.notificationName.nullish(),
      recipient: shape.recipient.nullish(),
      trigger: shape.trigger.nullish(),
      filters: shape.filters,
    })
    .refine(
      (input) => Object.values(input).some((value) => value != null),
      rule(InputRule.Required, 'at least one field'),
    );
}

function definition(settings: FieldSettings) {
  return z.object({
    notificationName: Text,
    recipient: recipient(settings),
    trigger: Trigger,
    filters: inputList(JsonValue).nullish(),
  });
}

function recipient({ stopLevelRecipientType }: FieldSettings) {
  return oneOf({
    shipmentLevel: z
      .object({ emailList: inputList(EmailAddress), smsList: inputList(PhoneNumber) })
      .refine(
        ({ emailList, smsList }) => emailList.length + smsList.length > 0,
        rule(InputRule.MinItems, 'at least one email address or phone number', 1),
      )
      .transform((lists) => ({ notificationRecipientType: RecipientType.ShipmentLevel, ...lists })),
    stopLevel: z
      .object({ notifyStopContactsByEmail: z.boolean(), notifyStopContactsBySms: z.boolean() })
      .transform((contactFlags) => ({ notificationRecipientType: stopLevelRecipientType, ...contactFlags })),
  });
}

const Trigger = oneOf({
  shipmentStatusChange: z
    .array(z.custom<ShipmentStatus>().transform((status) => serviceSubtypes[status]))
    .refine((statuses) => statuses.length > 0, rule(InputRule.MinItems, 'at least one status', 1)),
  other: z.object({
    notificationTypeLabel: Text,
    notificationTypes: inputList(Text).refine(
      (types) => types.length > 0,
      rule(InputRule.MinItems, 'at least one subtype', 1),
    ),
  }),
});

/** The fields that an input sets, as REST requests have them. Only moves values (see `toWrite` in field.ts). */
function toFields(input: z.output<ReturnType<typeof updateNotificationInput>>): SentFields {
  const { notificationName, recipient, trigger, filters } = input;
  const { shipmentLevel, stopLevel } = recipient ?? {};
  const { shipmentStatusChange, other } = trigger ?? {};
  return {
    ...(notificationName && { notificationName }),
    ...((shipmentLevel ?? stopLevel) as RecipientFields | undefined),
    ...(shipmentStatusChange && {
      notificationTypeLabel: SHIPMENT_STATUS_CHANGE,
      notificationTypes: shipmentStatusChange,
    }),
    ...other,
    ...(filters && { filters }),
  };
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

/** Adds the members that all inputs have: the shipment, its carrier, and parameters that the schema does not define. */
function shipmentInput<Shape extends z.ZodRawShape>(
  operation: typeof trackShipment | typeof deleteException,
  settings: FieldSettings,
  members: Shape,
) {
  const { licensePlateParameter, shipmentParameters } = settings;
  return z.object({
    shipment: ShipmentIdentity,
    carrier: Carrier,
    ...members,
    additionalParameters: additionalParameters(operation.parametersIn(settings), [
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

/** The parameters of a REST call. Only moves values (see `toWrite` in field.ts). */
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
