/** A mock service with random responses, which are the same for every execution. */
import { setImmediate } from 'node:timers/promises';
import { createNotificationLoader, type GatewayContext } from '../../../src/fields/context.js';
import type { NotificationRecord } from '../../../src/freight/contract.js';
import type { RequestClient } from '../../../src/freight/restCall.js';
import type { Service } from '../../../src/freight/service.js';
import { GatewayError } from '../../../src/gatewayError.js';
import { memoryOf } from '../service/responseMemory.js';
import { settings } from '../service/settings.js';
import type { SeededRandom } from '../tools/seededRandom.js';

export const GUIDS = ['g0', 'g1', 'g2', 'g3', 'g4'] as const;

const ODD_JSON = [0, -0, '', 'text', true, [], {}, [[null]], { a: { b: [1.5, null] } }] as const;

/**
 * Returns a function that creates contexts for repeated executions of an operation: in each of them the service returns the
 * same objects, fails with the same errors, and takes the same number of event-loop ticks.
 */
export function randomService(random: SeededRandom): () => GatewayContext {
  const outcome = <T>(value: T) => {
    const error = random.happens(0.25)
      ? new GatewayError('serviceFailed', { message: `failed ${random.below(100)}` })
      : undefined;
    const throwsSynchronously = random.happens(0.2);
    const ticks = random.below(3);
    return (): Promise<T> => {
      if (error && throwsSynchronously) throw error;
      return (async () => {
        for (let tick = 0; tick < ticks; tick += 1) await setImmediate();
        if (error) throw error;
        return value;
      })();
    };
  };
  const notification = (guid: string) => validNotification(random, guid);
  const messages = list(random, () => random.pick(ODD_JSON));
  const byGuid = new Map(
    GUIDS.map((guid) => [guid as string, outcome(random.happens(0.2) ? null : notification(guid))]),
  );
  const listed = outcome({
    data: list(random, () => notification(random.pick(GUIDS))),
    totalPossibleCount: random.pick([null, 7]),
    messages,
    ...(random.happens(0.3) && {
      unreadable: [{ index: 1, notificationGuid: undefined, problem: '/data/1' }],
      violation: new GatewayError('responseInvalid'),
    }),
  });
  const service = {
    readNotification: async (guid: string) => byGuid.get(guid)?.() ?? null,
    listNotifications: listed,
  } as unknown as Service;
  const client = { authorization: 'Bearer any', memory: memoryOf() } as RequestClient;
  return () =>
    ({
      client,
      service,
      settings,
      notificationLoader: createNotificationLoader(service, client),
      resultSize: { repetitions: 1, keyBytes: 0 },
      maxResultBytes: Infinity,
    }) as GatewayContext;
}

function validNotification(random: SeededRandom, notificationGuid: string): NotificationRecord {
  const text = () => random.pick(['', 'text', '3035550100', '+447911123456', 'ShipmentStatusEnRoute', '🚚']);
  return {
    notificationGuid,
    notificationName: text(),
    notificationRecipientType: random.pick(['shipmentLevel', 'STOPLEVEL', 'fleetLevel']),
    notificationTypeLabel: random.pick(['shipmentStatusChange', 'weather']),
    notificationTypes: list(random, text),
    notifyStopContactsByEmail: random.happens(0.5),
    notifyStopContactsBySms: random.happens(0.5),
    emailList: list(random, text),
    smsList: list(random, text),
    filters: list(random, () => random.pick(ODD_JSON)),
    notificationMetaData: random.pick([null, undefined, ...ODD_JSON]),
    lastUpdateUserName: random.pick([null, undefined, 'robin.planner']),
    lastUpdateDate: random.pick([null, undefined, '2021-03-04T05:06:07.1234567-05:00']),
  };
}

function list<T>(random: SeededRandom, element: () => T): T[] {
  return Array.from({ length: random.below(4) }, element);
}
