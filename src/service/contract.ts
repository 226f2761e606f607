/**
 * The bodies of the REST service, as its interface document describes them and seeds/openapi.yaml restates
 * them. Answers are parsed with the schemas; requests have the shape of the types.
 */
import { z } from 'zod';
import { isJsonValue, JSON_EXPECTATION } from '../domain/jsonValue.js';
import { boundedArray } from '../domain/boundedArray.js';
import { isPlainNotification } from './plainNotification.js';
import { knownRecipientType, recipientFields } from '../domain/recipientType.js';

/** ISO 8601 with a UTC offset and fractional seconds of any length; it stays the text that it is. */
export const Timestamp = z.iso.datetime({ offset: true });

/** A value of undocumented shape, kept as it is. */
const isJsonOrMissing = (value: unknown) => isJsonValue(value ?? null);
const OpaqueJson = z.unknown().refine(isJsonOrMissing, { error: `expected ${JSON_EXPECTATION}` });

/** One problem is enough to refuse an answer. */
const failFastArray = <Element>(element: z.ZodType<Element>, isPlain?: (value: unknown) => boolean) =>
  boundedArray(element, { maxIssues: 1, ...(isPlain && { isPlain }) });

const StringArray = failFastArray(z.string(), (value) => typeof value === 'string');

/** Elements of undocumented shape; a null one says nothing and is left out. */
const OpaqueJsonArray = failFastArray(OpaqueJson, isJsonOrMissing)
  .nullish()
  .transform((elements) => (elements ?? []).filter((element) => element !== null));

/** The label of the one kind of notification that the document shows. */
export const SHIPMENT_STATUS_CHANGE = 'shipmentStatusChange';

/** A notification as the service returns it. */
export const NotificationRecord = z
  .object({
    notificationGuid: z.string().min(1),
    notificationName: z.string(),
    notificationRecipientType: z.string(),
    notificationTypeLabel: z.string(),
    notificationTypes: StringArray,
    notifyStopContactsByEmail: z.boolean().nullish(),
    notifyStopContactsBySms: z.boolean().nullish(),
    emailList: StringArray.nullish(),
    smsList: StringArray.nullish(),
    filters: OpaqueJsonArray,
    notificationMetaData: OpaqueJson.optional(),
    lastUpdateUserName: z.string().nullish(),
    lastUpdateDate: Timestamp.nullish(),
  })
  .superRefine((record, context) => {
    const type = knownRecipientType(record.notificationRecipientType);
    if (type === undefined) return;
    for (const field of recipientFields[type]) {
      if (record[field] == null) {
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `expected a value, as the recipient type is ${type}`,
        });
      }
    }
  });

export type NotificationRecord = z.output<typeof NotificationRecord>;
export type ShipmentLevelNotification = NotificationRecord & { emailList: string[]; smsList: string[] };
export type StopLevelNotification = NotificationRecord & {
  notifyStopContactsByEmail: boolean;
  notifyStopContactsBySms: boolean;
};

/**
 * What the service answers to the creation of a notification, as far as a single one is concerned; its updates and
 * reads are taken to answer the same.
 */
export const NotificationResponse = z.compile(
  z.object({ data: failFastArray(NotificationRecord, isPlainNotification), messages: OpaqueJsonArray }),
);

/** The same for a list. */
export const NotificationEnvelope = z.compile(NotificationResponse.extend({ totalPossibleCount: z.int32() }));
export type NotificationEnvelope = z.output<typeof NotificationEnvelope>;

/** The answer to a tracking call that succeeded. */
export const TrackingConfirmation = z.literal(true);

/** What an answer without a documented shape may hold besides: the service's messages. */
export const MessagesEnvelope = z.object({ messages: OpaqueJsonArray });

/** The one notification of an answer, with the messages beside it. */
export interface CreatedNotification {
  notification: NotificationRecord;
  messages: unknown[];
}

/** Body of POST; that of PUT has the notificationGuid besides. */
export interface NotificationRequest {
  notificationName: string;
  notificationRecipientType: string;
  notificationTypeLabel: string;
  notificationTypes: readonly string[];
  notifyStopContactsByEmail?: boolean;
  notifyStopContactsBySms?: boolean;
  emailList?: readonly string[];
  smsList?: readonly string[];
  filters?: readonly unknown[];
}

/** The documented parameters that identify a shipment and its carrier; further ones are allowed. */
export interface ShipmentParameters {
  FreightProviderReferenceNumber: string;
  FreightHaulerProviderXID?: string;
  PortalLicensePlate?: string;
  CarrierMC?: string;
  CarrierDOT?: string;
  CarrierSCAC?: string;
}

/** Parameters of a tracking call. */
export interface TrackingParameters extends ShipmentParameters {
  DriverPhoneNumber: string;
  ShipmentTrackingType: string;
}

/** Parameters of the deletion of an exception, or of an exception file. */
export interface ExceptionParameters extends ShipmentParameters {
  ExceptionGuid?: string;
  ExceptionFileGuid?: string;
}

/** Every documented parameter of the tracking and exception calls. */
export const shipmentParameterNames = [
  'FreightProviderReferenceNumber',
  'FreightHaulerProviderXID',
  'PortalLicensePlate',
  'CarrierMC',
  'CarrierDOT',
  'CarrierSCAC',
  'DriverPhoneNumber',
  'ShipmentTrackingType',
  'ExceptionGuid',
  'ExceptionFileGuid',
] as const satisfies readonly (keyof TrackingParameters | keyof ExceptionParameters)[];
