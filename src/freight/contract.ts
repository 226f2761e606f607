/**
 * Request and response bodies of the service. Each names the section of the interface document (seeds/interface.md) that it is
 * derived from; seeds/openapi.yaml restates them. Responses are parsed with the schemas; requests have the shape of the types.
 */
import { z } from 'zod';
import { isJsonValue, jsonViolation, type RawJson } from '../domain/json.js';
import { MAX_IDENTIFIER_LENGTH } from '../domain/parameters.js';
import type { ServiceError } from '../transport/serviceError.js';
import { Timestamp, toDocumented } from './deviations.js';
import { knownRecipientType, recipientFields } from './vocabulary.js';

const isJsonOrMissing = (value: unknown) => isJsonValue(value ?? null);

/** A value of undocumented shape, passed through unchanged. */
const OpaqueJson = z
  .unknown()
  .refine(isJsonOrMissing, { error: ({ input }) => jsonViolation(input).message });

const StringArray = failFastArray(z.string(), (value) => typeof value === 'string');

/** Elements of undocumented shape. Nulls carry no information and are dropped. */
const OpaqueJsonArray = failFastArray(OpaqueJson, isJsonOrMissing)
  .nullish()
  .transform((elements) => (elements ?? []).filter((element) => element !== null));

/** Longer identifiers could not be read, nor kept with a key. */
export const NotificationGuid = z.string().min(1).max(MAX_IDENTIFIER_LENGTH);

function notificationSchema<UpdateDate>({
  strings,
  opaqueValues,
  date,
}: {
  strings: z.ZodType<string[]>;
  opaqueValues: z.ZodType<unknown[]>;
  date: z.ZodType<UpdateDate>;
}) {
  return z
    .object({
      notificationGuid: NotificationGuid,
      notificationName: z.string(),
      notificationRecipientType: z.string(),
      notificationTypeLabel: z.string(),
      notificationTypes: strings,
      notifyStopContactsByEmail: z.boolean().nullish(),
      notifyStopContactsBySms: z.boolean().nullish(),
      emailList: strings.nullish(),
      smsList: strings.nullish(),
      filters: opaqueValues,
      notificationMetaData: OpaqueJson.optional(),
      lastUpdateUserName: z.string().nullish(),
      lastUpdateDate: date,
    })
    .superRefine((record, context) => {
      const type = knownRecipientType(record.notificationRecipientType);
      if (type === undefined) return;
      for (const field of recipientFields[type]) {
        if (record[field] == null) {
          context.addIssue({
            code: 'custom',
            path: [field],
            message: `expected a value because the recipient type is ${type}`,
          });
        }
      }
    });
}

/** What `toDocumented` makes of the date of the last update: an Error if it cannot be read. */
const UpdateDate = z.custom<ServiceError | string>().nullish();

/** A notification as the service returns it. (Notification, as returned.) */
export const NotificationRecord = z.preprocess(
  toDocumented,
  notificationSchema({ strings: StringArray, opaqueValues: OpaqueJsonArray, date: UpdateDate }),
);

/**
 * Fast path: the same fields, limited to values that `NotificationRecord` leaves unchanged, so that zod's generated
 * validator suffices and nothing is copied. It takes 9 % of handling a list of 1,000 notifications (JSON.parse,
 * validation, JSON.stringify); parsing them with `NotificationRecord` takes 15 %.
 */
const UnchangedNotification = z.compile(
  notificationSchema({
    strings: z.array(z.string()),
    opaqueValues: z.array(OpaqueJson.refine((value) => value !== null)),
    date: Timestamp.nullish(),
  }),
);

/** Whether `NotificationRecord` accepts a value and would change nothing, apart from stripping undocumented fields. */
export const isUnchangedNotification = (value: unknown) => UnchangedNotification.validate(value);

export type NotificationRecord = z.output<typeof NotificationRecord>;
export type ShipmentLevelNotification = NotificationRecord & { emailList: string[]; smsList: string[] };
export type StopLevelNotification = NotificationRecord & {
  notifyStopContactsByEmail: boolean;
  notifyStopContactsBySms: boolean;
};

/** Response with one notification. (Create notification: Response; reads and updates are assumed to return the same.) */
export const NotificationResponse = z.compile(
  z.object({ data: failFastArray(NotificationRecord, isUnchangedNotification), messages: OpaqueJsonArray }),
);

const AnyArray = z
  .array(z.unknown())
  .nullish()
  .transform((elements) => elements ?? []);

/** As NotificationResponse, with filters of any value: those that an update keeps are sent back as text. */
export const CurrentNotificationResponse = z.object({
  data: boundedArray(
    z.preprocess(
      toDocumented,
      notificationSchema({ strings: StringArray, opaqueValues: AnyArray, date: UpdateDate }),
    ),
    { maxIssues: 1 },
  ),
  messages: OpaqueJsonArray,
});

/** Response with a list of notifications. (Create notification: Response; that the service lists notifications is assumed.) */
export const NotificationEnvelope = z.compile(
  NotificationResponse.extend({ totalPossibleCount: z.int32().nullish() }),
);
export type NotificationEnvelope = z.output<typeof NotificationEnvelope>;

/** The boolean value, or its text, as services write that do not send JSON: .NET writes `True`. */
const isTrue = (value: unknown) =>
  value === true || (typeof value === 'string' && value.trim().toLowerCase() === 'true');

/** JSON.parse, for a body that may be the text of the boolean value. */
export function parseConfirmation(text: string): unknown {
  return isTrue(text) || JSON.parse(text);
}

/** Response to a successful tracking call. (Track a shipment: Response on success.) */
export const TrackingConfirmation = z
  .unknown()
  .refine(isTrue, { error: 'expected true' })
  .transform(() => true as const);

/**
 * Response to a successful deletion, whose body is not documented: none, true, or any object or array. False and other texts are no
 * confirmation.
 */
export const DeletionConfirmation = z
  .unknown()
  .refine((body) => body === undefined || isTrue(body) || (typeof body === 'object' && body !== null), {
    error: 'expected no body, true, an object or an array',
  });

/** Bodies of undocumented shape may still contain the service's messages. (Errors.) */
export const MessagesEnvelope = z.object({ messages: OpaqueJsonArray });

/** The notification that was created or updated. It is null if it could not be read afterwards. */
export interface WrittenNotification {
  notificationGuid: string;
  notification: NotificationRecord | null;
  messages: unknown[];
}

export interface DeletedNotification {
  notificationGuid: string;
  messages: unknown[];
}

/** As sent; some may be missing if a call failed because they are invalid. */
export type SentParameters<Parameters> = { [Name in keyof Parameters]?: Parameters[Name] | undefined };

/**
 * Who is notified, in a request. (Notification, request for creation; Create notification: rules 1 and 2.) Null, numbers and texts
 * stand where the service wrote them: an update sends back what it keeps.
 */
export interface RecipientFields {
  notificationRecipientType: string;
  notifyStopContactsByEmail?: ReceivedFlag | undefined;
  notifyStopContactsBySms?: ReceivedFlag | undefined;
  emailList?: readonly string[] | null | undefined;
  smsList?: readonly (number | string)[] | null | undefined;
}

type ReceivedFlag = boolean | number | string | null;

/** The changes that trigger a notification, in a request. (Notification, request for creation.) */
export interface TriggerFields {
  notificationTypeLabel: string;
  notificationTypes: readonly string[];
}

/** Body of POST. (Notification, request for creation; the payload of a PUT is not shown, and assumed to add the identifier.) */
export interface NotificationRequest extends RecipientFields, TriggerFields {
  notificationName: string;
  filters?: RawJson | readonly unknown[];
}

/** The parameters that identify a shipment and its carrier; the service has others, unnamed. (Shipment tracking assignment.) */
export interface ShipmentParameters {
  FreightProviderReferenceNumber: string;
  FreightHaulerProviderXID?: string;
  PortalLicensePlate?: string;
  CarrierMC?: string;
  CarrierDOT?: string;
  CarrierSCAC?: string;
}

/** Parameters for tracking a shipment. (Shipment tracking assignment.) */
export interface TrackingParameters extends ShipmentParameters {
  DriverPhoneNumber: string;
  ShipmentTrackingType: string;
}

/** Parameters for deleting an exception or an exception file. (Exception and exception file.) */
export interface ExceptionParameters extends ShipmentParameters {
  ExceptionGuid?: string;
  ExceptionFileGuid?: string;
}

/** All documented parameters of the tracking and exception calls. */
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

/** One invalid element is enough to reject a response. */
function failFastArray<Element>(element: z.ZodType<Element>, isUnchanged: (value: unknown) => boolean) {
  return boundedArray(element, { maxIssues: 1, isUnchanged });
}

export interface BoundedArrayOptions {
  /** Validation stops after the element that reaches this number of issues. */
  maxIssues: number;
  /**
   * Fast check, true only if `element` accepts a value and changes nothing. If it holds for all elements, they are
   * returned as they are, including fields that an object schema would strip. @default none
   */
  isUnchanged?: (value: unknown) => boolean;
}

/** Like z.array, but stops after `maxIssues`, so that a long invalid array stays cheap. */
export function boundedArray<Element>(
  element: z.ZodType<Element>,
  { maxIssues, isUnchanged }: BoundedArrayOptions,
) {
  const compiled = z.compile(element);
  return z.array(z.unknown()).transform((values, context): Element[] => {
    if (isUnchanged && values.every(isUnchanged)) return values as Element[];
    const elements: Element[] = [];
    let issues = 0;
    for (const [index, value] of values.entries()) {
      const result = compiled.safeParse(value);
      if (result.success) {
        elements.push(result.data);
        continue;
      }
      for (const { path, message, ...issue } of result.error.issues) {
        const params = issue.code === 'custom' ? issue.params : undefined;
        context.addIssue({ code: 'custom', path: [index, ...path], message, params });
        issues += 1;
      }
      if (issues >= maxIssues) return z.NEVER;
    }
    return elements;
  });
}
