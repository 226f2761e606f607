/** An arbitrary notification, as GraphQL input and as REST request. */
const contactFlags = { notifyStopContactsByEmail: true, notifyStopContactsBySms: false };

export const sampleDefinition = {
  /** As clients send it. */
  input: {
    notificationName: 'Any',
    recipient: { stopLevel: contactFlags },
    trigger: { shipmentStatusChange: ['DELIVERED'] },
  },
  /** As the service receives it. */
  request: {
    notificationName: 'Any',
    notificationRecipientType: 'stopLevel',
    ...contactFlags,
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: ['ShipmentStatusDelivered'],
  },
} as const;
