/** Schemas of the notification inputs; their outputs are the REST request body, and the changes to one. */
import { z } from 'zod';
import { SHIPMENT_STATUS_CHANGE, type NotificationRequest } from '../freight/contract.js';
import { InputRule } from '../errors.js';
import type { NotificationChanges } from '../freight/notificationChanges.js';
import { RecipientType, toServiceSubtype, type ShipmentStatus } from '../freight/vocabulary.js';
import {
  EmailAddress,
  JsonValue,
  inputList,
  oneOf,
  PhoneNumber,
  NonEmptyString,
  rule,
} from './valueSchemas.js';

const Recipient = oneOf({
  shipmentLevel: z
    .object({ emailList: inputList(EmailAddress), smsList: inputList(PhoneNumber) })
    .refine(
      ({ emailList, smsList }) => emailList.length + smsList.length > 0,
      rule(InputRule.MinItems, 'at least one email address or phone number', 1),
    )
    .transform((lists) => ({ notificationRecipientType: RecipientType.ShipmentLevel, ...lists })),
  stopLevel: z
    .object({ notifyStopContactsByEmail: z.boolean(), notifyStopContactsBySms: z.boolean() })
    .transform((contactFlags) => ({ notificationRecipientType: RecipientType.StopLevel, ...contactFlags })),
});

const Trigger = oneOf({
  shipmentStatusChange: z
    .array(z.custom<ShipmentStatus>())
    .refine((statuses) => statuses.length > 0, rule(InputRule.MinItems, 'at least one status', 1))
    .transform((statuses) => ({
      notificationTypeLabel: SHIPMENT_STATUS_CHANGE,
      notificationTypes: statuses.map(toServiceSubtype),
    })),
  other: z.object({
    notificationTypeLabel: NonEmptyString,
    notificationTypes: inputList(NonEmptyString).refine(
      (types) => types.length > 0,
      rule(InputRule.MinItems, 'at least one subtype', 1),
    ),
  }),
});

const Definition = z.object({
  notificationName: NonEmptyString,
  recipient: Recipient,
  trigger: Trigger,
  filters: inputList(JsonValue).nullish(),
});

export const NotificationInput = Definition.transform(
  ({ notificationName, recipient, trigger, filters }): NotificationRequest => ({
    notificationName,
    ...recipient,
    ...trigger,
    ...(filters && { filters }),
  }),
);

export const UpdateNotificationInput = z
  .object({
    notificationName: Definition.shape.notificationName.nullish(),
    recipient: Definition.shape.recipient.nullish(),
    trigger: Definition.shape.trigger.nullish(),
    filters: Definition.shape.filters,
  })
  .refine(
    (input) => Object.values(input).some((value) => value != null),
    rule(InputRule.Required, 'at least one field'),
  )
  .transform((changes): NotificationChanges => changes);
