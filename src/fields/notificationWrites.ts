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
import type { ShipmentStatus } from '../generated/enums.js';
import type { RecipientFields, TriggerFields } from '../freight/contract.js';
import { RecipientType, SHIPMENT_STATUS_CHANGE, toServiceSubtype } from '../freight/vocabulary.js';
import { operations } from '../freight/operations.js';
import { createNotification, deleteNotification, updateNotification } from '../freight/writes.js';

/** The read before an update, the update, and the read after it. */
const MAX_UPDATE_CALLS = 3;

export const notificationWrites = {
  createNotification: mutationField({
    operation: operations.createNotification,
    args: (settings) => z.object({ input: definition(settings), ...writeArguments }),
    toWrite: ({ input: { notificationName, recipient, trigger, filters } }) =>
      createNotification({
        notificationName,
        ...toRecipient(recipient),
        ...toTrigger(trigger),
        ...(filters && { filters }),
      }),
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
    restCalls: () => MAX_UPDATE_CALLS,
    toWrite: ({ input: { notificationName, recipient, trigger, filters }, ...target }) =>
      updateNotification(target, {
        ...(notificationName && { notificationName }),
        ...(recipient && toRecipient(recipient)),
        ...(trigger && toTrigger(trigger)),
        ...(filters && { filters }),
      }),
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
};

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
    .array(z.custom<ShipmentStatus>().transform(toServiceSubtype))
    .refine((statuses) => statuses.length > 0, rule(InputRule.MinItems, 'at least one status', 1)),
  other: z.object({
    notificationTypeLabel: Text,
    notificationTypes: inputList(Text).refine(
      (types) => types.length > 0,
      rule(InputRule.MinItems, 'at least one subtype', 1),
    ),
  }),
});

// These functions turn inputs into parameters of REST calls. They must not inspect values: freight/fieldNames.ts calls them with paths.

const toRecipient = (level: z.output<ReturnType<typeof recipient>>) =>
  (level.shipmentLevel ?? level.stopLevel) as RecipientFields;

const toTrigger = ({ shipmentStatusChange, other }: z.output<typeof Trigger>): TriggerFields =>
  other ?? {
    notificationTypeLabel: SHIPMENT_STATUS_CHANGE,
    notificationTypes: shipmentStatusChange ?? [],
  };
