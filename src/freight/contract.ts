/**
 * Request and response bodies of the service. Each names the section of the interface document (seeds/interface.md) that it is
 * derived from; seeds/openapi.yaml restates them. Responses are parsed with the schemas; requests have the shape of the types.
 */
import { z } from 'zod';
import { isJsonValue, JSON_VIOLATION, type RawJson } from '../domain/json.js';
import { MAX_IDENTIFIER_LENGTH } from '../domain/parameters.js';
import { rewordTypeError } from '../domain/libraryMessages.js';
import { GatewayError } from '../gatewayError.js';
import { Timestamp, toDocumented } from './deviations.js';
import { knownRecipientType, recipientFields, RecipientType } from './vocabulary.js';

/** A value of undocumented shape, passed through unchanged. */
const OpaqueJson = z
  .unknown()
  .refine((value) => isJsonValue(value ?? null), { error: JSON_VIOLATION.message });

/** Longer identifiers could not be read, nor kept with a key. */
export const NotificationGuid = z.string().min(1).max(MAX_IDENTIFIER_LENGTH);

const strings = z.array(z.string());

const documentedFields = {
  notificationGuid: NotificationGuid,
  notificationName: z.string(),
  notificationRecipientType: z.string(),
  notificationTypeLabel: z.string(),
  notificationTypes: strings,
  notifyStopContactsByEmail: z.boolean().nullish(),
  notifyStopContactsBySms: z.boolean().nullish(),
  emailList: strings.nullish(),
  smsList: strings.nullish(),
  filters: z.array(OpaqueJson.refine((value): boolean => value !== null)),
};

function requireStopLevelFlags(
  record: z.output<z.ZodObject<typeof documentedFields>>,
  context: z.RefinementCtx,
): void {
  if (knownRecipientType(record.notificationRecipientType) !== RecipientType.StopLevel) return;
  const message = `expected a value because the recipient type is ${RecipientType.StopLevel}`;
  for (const field of recipientFields[RecipientType.StopLevel])
    if (record[field] == null) context.addIssue({ code: 'custom', path: [field], message });
}

/**
 * A notification as the service returns it. (Notification, as returned.) A list of recipients that is null has none; one that is missing
 * may have some. `toDocumented` puts an Error in place of an optional value that cannot be read.
 */
const NotificationObject = z
  .object({
    ...documentedFields,
    filters: documentedFields.filters.nullish().transform((filters) => filters ?? []),
    notificationMetaData: z.unknown().optional(),
    lastUpdateUserName: z.custom<GatewayError | string>().nullish(),
    lastUpdateDate: z.custom<GatewayError | string>().nullish(),
  })
  .superRefine(requireStopLevelFlags);
export const NotificationRecord = z.compile(z.preprocess(toDocumented, NotificationObject));

/**
 * Fast path: the same for values that `toDocumented` leaves unchanged, so that zod's generated validator suffices and nothing is copied. It
 * takes 9 % of handling a list of 1,000 notifications (JSON.parse, validation, JSON.stringify); parsing them with `NotificationRecord` takes
 * 15 %.
 */
const UnchangedNotification = z.compile(
  z
    .object({
      ...documentedFields,
      notificationMetaData: OpaqueJson.optional(),
      lastUpdateUserName: z.string().nullish(),
      lastUpdateDate: Timestamp.nullish(),
    })
    .superRefine(requireStopLevelFlags),
);

/** Whether `NotificationRecord` accepts a value and would change nothing, apart from stripping undocumented fields. */
export const isUnchangedNotification = (value: unknown) => UnchangedNotification.validate(value);

export type NotificationRecord = z.output<typeof NotificationRecord>;
export type StopLevelNotification = NotificationRecord & {
  notifyStopContactsByEmail: boolean;
  notifyStopContactsBySms: boolean;
};

/** `notification` is null if it could not be read afterwards, and an Error if what the response has of it deviates too much. */
export interface WrittenNotification {
  notificationGuid: string;
  notification: NotificationRecord | GatewayError | null;
  messages: unknown[];
}

/** The notification that was created; the identifier is null if the service has confirmed the creation without it. */
export interface CreatedNotification extends Omit<WrittenNotification, 'notificationGuid'> {
  notificationGuid: string | null;
}

/** Who is notified, in a request. (Notification, request for creation; Create notification: rules 1 and 2.) */
export interface RecipientFields {
  notificationRecipientType: string;
  notifyStopContactsByEmail?: boolean | undefined;
  notifyStopContactsBySms?: boolean | undefined;
  emailList?: readonly string[] | undefined;
  smsList?: readonly string[] | undefined;
}

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

/** The documented parameters of the tracking and exception calls. (Shipment tracking assignment; Exception and exception file.) */
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
] as const;

/** Parameters of a tracking or exception call. The service has others, unnamed. */
export type ShipmentParameters = Readonly<Partial<Record<(typeof shipmentParameterNames)[number], string>>>;

/** Like z.array, but stops after `maxIssues`, so that a long invalid array stays cheap. */
export function boundedArray<Element>(element: z.ZodType<Element>, maxIssues: number) {
  const compiled = z.compile(element);
  return z.array(z.unknown()).transform((values, context): Element[] => {
    const elements: Element[] = [];
    let issues = 0;
    for (const [index, value] of values.entries()) {
      const { success, data, error } = compiled.safeParse(value);
      if (success) elements.push(data);
      for (const { path, message, ...issue } of error?.issues ?? []) {
        const params = issue.code === 'custom' ? issue.params : undefined;
        context.addIssue({ code: 'custom', path: [index, ...path], message, params });
        issues += 1;
      }
      if (issues >= maxIssues) return z.NEVER;
    }
    return elements;
  });
}

/** The first five issues of a value at a path in a body: places and expectations, but no values of the service. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], path: readonly PropertyKey[]): string {
  const described = issues.slice(0, 5).map((issue) => {
    const place = toJsonPointer([...path, ...issue.path]) || 'the whole body';
    return `${place}: ${rewordTypeError(issue.message)}`;
  });
  return described.join('; ');
}

/** A response that does not match the contract. `problem` names places and expectations, but no values of the service. */
export function contractViolation(problem: string, status: number): GatewayError {
  return new GatewayError('responseInvalid', {
    message: `The response does not match the contract: ${problem}`,
    status,
  });
}

/** JSON Pointer (RFC 6901); empty for the whole body. */
export function toJsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
