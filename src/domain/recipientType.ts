/** Who a notification goes to, as its recipient type says. */

/** The recipient types that the interface document shows, as it spells them in its rules. */
export const RecipientType = { ShipmentLevel: 'shipmentLevel', StopLevel: 'stopLevel' } as const;
export type RecipientType = (typeof RecipientType)[keyof typeof RecipientType];

const knownTypes = new Map<string, RecipientType>(
  Object.values(RecipientType).map((type) => [type.toLowerCase(), type]),
);

/** The documented recipient type that a spelling stands for; the document's own examples differ in letter case. */
export function knownRecipientType(spelling: string): RecipientType | undefined {
  return knownTypes.get(spelling.toLowerCase());
}

/** The fields that a notification of each recipient type has besides those of every notification. */
export const recipientFields = {
  [RecipientType.ShipmentLevel]: ['emailList', 'smsList'],
  [RecipientType.StopLevel]: ['notifyStopContactsByEmail', 'notifyStopContactsBySms'],
} as const;
