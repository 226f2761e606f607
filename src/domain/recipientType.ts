/** The recipient types of the interface document, spelled as in its rules. */
export const RecipientType = { ShipmentLevel: 'shipmentLevel', StopLevel: 'stopLevel' } as const;
export type RecipientType = (typeof RecipientType)[keyof typeof RecipientType];

const knownTypes = new Map<string, RecipientType>(
  Object.values(RecipientType).map((type) => [type.toLowerCase(), type]),
);

/** The documented recipient type for a spelling. Case-insensitive: the document's own examples differ in case. */
export function knownRecipientType(spelling: string): RecipientType | undefined {
  return knownTypes.get(spelling.toLowerCase());
}

/** The additional fields of notifications of each recipient type. */
export const recipientFields = {
  [RecipientType.ShipmentLevel]: ['emailList', 'smsList'],
  [RecipientType.StopLevel]: ['notifyStopContactsByEmail', 'notifyStopContactsBySms'],
} as const;
