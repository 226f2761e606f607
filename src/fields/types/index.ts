import type { Resolvers } from '../../generated/resolvers.js';
import { DeleteExceptionPayload } from './DeleteExceptionPayload.js';
import { Mutation } from './Mutation.js';
import { Notification } from './Notification.js';
import { NotificationList } from './NotificationList.js';
import { NotificationRecipient } from './NotificationRecipient.js';
import { Query } from './Query.js';
import { ShipmentIdentity } from './ShipmentIdentity.js';
import { TrackShipmentPayload } from './TrackShipmentPayload.js';

export const resolvers: Resolvers = {
  DeleteExceptionPayload,
  Mutation,
  Notification,
  NotificationList,
  NotificationRecipient,
  Query,
  ShipmentIdentity,
  TrackShipmentPayload,
};
