/** The definition of a notification: as callers give it, and as the service takes it. */
import { z } from 'zod';
import type { ShipmentStatus } from '../generated/resolvers.js';
import { SHIPMENT_STATUS_CHANGE, type NotificationRequest } from '../service/contract.js';
import { RecipientType } from '../service/recipientType.js';
import { subtypeOf } from '../shipmentStatus.js';
import { EmailAddress, expected, Json, list, oneOf, PhoneNumber, Text } from './rules.js';

const Recipient = oneOf({
  shipmentLevel: z
    .object({ emailList: list(EmailAddress), smsList: list(PhoneNumber) })
    .refine(({ emailList, smsList }) => emailList.length + smsList.length > 0, {
      error: expected('at least one e-mail address or phone number'),
    })
    .transform((lists) => ({ notificationRecipientType: RecipientType.ShipmentLevel, ...lists })),
  stopLevel: z
    .object({ notifyStopContactsByEmail: z.boolean(), notifyStopContactsBySms: z.boolean() })
    .transform((means) => ({ notificationRecipientType: RecipientType.StopLevel, ...means })),
});

const Trigger = oneOf({
  shipmentStatusChange: z
    .array(z.custom<ShipmentStatus>())
    .min(1, { error: expected('at least one status') })
    .transform((statuses) => ({
      notificationTypeLabel: SHIPMENT_STATUS_CHANGE,
      notificationTypes: statuses.map(subtypeOf),
    })),
  other: z.object({
    notificationTypeLabel: Text,
    notificationTypes: list(Text).refine((types) => types.length > 0, {
      error: expected('at least one sub-type'),
    }),
  }),
});

export const NotificationInput = z
  .object({
    notificationName: Text,
    recipient: Recipient,
    trigger: Trigger,
    filters: list(Json).nullish(),
  })
  .transform(({ notificationName, recipient, trigger, filters }): NotificationRequest => ({
    notificationName,
    ...recipient,
    ...trigger,
    ...(filters && { filters }),
  }));
