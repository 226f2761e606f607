/** An arbitrary notification, complete so that an update needs no read, as GraphQL input and as REST request. */
const contactFlags = { notifyStopContactsByEmail: true, notifyStopContactsBySms: false };

export const sampleDefinition = {
  /** As clients send it. */
  input: {
    notificationName: 'Any',
    recipient: { stopLevel: contactFlags },
    trigger: { shipmentStatusChange: ['DELIVERED'] },
    filters: [],
  },
  /** As the service receives it. */
  request: {
    notificationName: 'Any',
    notificationRecipientType: 'stopLevel',
    ...contactFlags,
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: ['ShipmentStatusDelivered'],
    filters: [],
  },
} as const;
