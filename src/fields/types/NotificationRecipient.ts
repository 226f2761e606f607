import type { NotificationRecipientResolvers } from '../../generated/resolvers.js';
import { knownRecipientType, RecipientType } from '../../freight/vocabulary.js';

const typeNames = {
  [RecipientType.ShipmentLevel]: 'ShipmentLevelRecipient',
  [RecipientType.StopLevel]: 'StopLevelRecipient',
} as const;

export const NotificationRecipient: NotificationRecipientResolvers = {
  __resolveType: ({ notificationRecipientType }) => {
    const type = knownRecipientType(notificationRecipientType);
    return type === undefined ? 'OtherRecipient' : typeNames[type];
  },
};
