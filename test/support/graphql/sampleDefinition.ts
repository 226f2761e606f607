/** The definition of a notification at both ends of the gateway, where any will do. */
const means = { notifyStopContactsByEmail: true, notifyStopContactsBySms: false };

export const sampleDefinition = {
  /** As callers give it. */
  input: {
    notificationName: 'Any',
    recipient: { stopLevel: means },
    trigger: { shipmentStatusChange: ['DELIVERED'] },
  },
  /** As the service takes it. */
  request: {
    notificationName: 'Any',
    notificationRecipientType: 'stopLevel',
    ...means,
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: ['ShipmentStatusDelivered'],
  },
} as const;
