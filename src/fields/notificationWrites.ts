/** The fields that write notifications. Their inputs become the body of a REST request, or changes to one. */
import { z } from 'zod';
import type { FieldSettings } from './context.js';
import { mutationField } from './field.js';
import {
  DateTime,
  EmailAddress,
  inputList,
  JsonValue,
  NotificationGuid,
  oneOf,
  PhoneNumber,
  rule,
  Text,
  writeArguments,
} from './values.js';
import { cleanText } from '../domain/text.js';
import { InputRule } from '../errors.js';
import type { NotificationRequest } from '../freight/contract.js';
import type { NotificationChanges } from '../freight/notificationChanges.js';
import {
  RecipientType,
  SHIPMENT_STATUS_CHANGE,
  toServiceSubtype,
  type ShipmentStatus,
} from '../freight/vocabulary.js';
import { writes } from '../freight/writes.js';

/** The read before an update, the update, and the read after it. */
const MAX_UPDATE_CALLS = 3;

export const notificationWrites = {
  createNotification: mutationField({
    args: (settings) => z.object({ input: notificationInput(settings), ...writeArguments }),
    write: writes.createNotification,
    subject: () => ({ messages: [] }),
  }),

  updateNotification: mutationField({
    args: (settings) =>
      z.object({
        notificationGuid: NotificationGuid,
        input: updateNotificationInput(settings),
        ifLastUpdateDate: DateTime.nullish(),
        ...writeArguments,
      }),
    restCalls: () => MAX_UPDATE_CALLS,
    write: writes.updateNotification,
    subject: ({ notificationGuid }) => ({ notificationGuid: cleanText(notificationGuid), messages: [] }),
  }),

  deleteNotification: mutationField({
    args: () =>
      z.object({
        notificationGuid: NotificationGuid,
        ifLastUpdateDate: DateTime.nullish(),
        ...writeArguments,
      }),
    restCalls: ({ ifLastUpdateDate }) => (ifLastUpdateDate == null ? 1 : 2),
    write: writes.deleteNotification,
    subject: ({ notificationGuid }) => ({ notificationGuid: cleanText(notificationGuid), messages: [] }),
  }),
};

function notificationInput(settings: FieldSettings) {
  return definition(settings).transform(
    ({ notificationName, recipient, trigger, filters }): NotificationRequest => ({
      notificationName,
      ...recipient,
      ...trigger,
      ...(filters && { filters }),
    }),
  );
}

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
    )
    .transform((changes): NotificationChanges => changes);
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
    .array(z.custom<ShipmentStatus>())
    .refine((statuses) => statuses.length > 0, rule(InputRule.MinItems, 'at least one status', 1))
    .transform((statuses) => ({
      notificationTypeLabel: SHIPMENT_STATUS_CHANGE,
      notificationTypes: statuses.map(toServiceSubtype),
    })),
  other: z.object({
    notificationTypeLabel: Text,
    notificationTypes: inputList(Text).refine(
      (types) => types.length > 0,
      rule(InputRule.MinItems, 'at least one subtype', 1),
    ),
  }),
});
