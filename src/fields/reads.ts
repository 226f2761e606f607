/** The fields that read: notifications, and records of idempotency keys. */
import { z } from 'zod';
import type { GatewayContext } from './context.js';
import { GatewayError, type ArgumentPath } from '../gatewayError.js';
import { queryField, toInputErrors } from './field.js';
import { located, relocated } from '../freight/fieldNames.js';
import { isSelected } from './selections.js';
import {
  additionalParameters,
  fitsTarget,
  IdempotencyKey,
  inputList,
  NotificationGuid,
  rule,
} from './values.js';
import { InputRule } from '../errors.js';
import type { NotificationRecord } from '../freight/contract.js';
import { checkToken } from '../freight/restCall.js';
import { operations } from '../freight/operations.js';

const MAX_GUIDS = 100;

const { listNotifications, readNotification } = operations;

export const reads = {
  notification: queryField({
    operation: readNotification,
    args: () => z.object({ notificationGuid: NotificationGuid }),
    reads: ({ notificationGuid }) => [notificationGuid],
    read: ({ notificationGuid }, { notificationLoader }) => notificationLoader.load(notificationGuid),
  }),

  notificationsByGuid: queryField({
    operation: readNotification,
    args: ({ maxGuids = MAX_GUIDS }) =>
      z.object({
        notificationGuids: z.array(NotificationGuid).refine((guids) => guids.length <= maxGuids, {
          error: ({ input }) =>
            `expected at most ${maxGuids} identifiers, got ${Array.isArray(input) ? input.length : 0}`,
          params: { rule: InputRule.MaxItems, limit: maxGuids },
        }),
      }),
    failsByElement: true,
    reads: ({ notificationGuids }) => [notificationGuids].flat(),
    // An Error element becomes the error of its list item. One promise per element would not do: when one rejects,
    // compiled operations return a list of the wrong length.
    read: async ({ notificationGuids }, { notificationLoader }) => {
      const records = await notificationLoader.loadMany(notificationGuids);
      return records.map((record, index) =>
        relocated(record, ['notificationGuids', index]),
      ) as (NotificationRecord | null)[];
    },
  }),

  notifications: queryField({
    operation: listNotifications,
    args: (settings) =>
      z.object({
        additionalParameters: additionalParameters(listNotifications.parametersIn()).transform(
          fitsTarget(listNotifications, settings, (parameters: Record<string, unknown>) => parameters),
        ),
      }),
    // A client that does not select `unreadable` gets an error instead of a partial list, which it would take for a complete one.
    read: async ({ additionalParameters }, { service, client }, info) => {
      const list = await service.listNotifications(additionalParameters, client).catch((error: unknown) => {
        throw located(error, { additionalParameters }, [], (places) => places.additionalParameters);
      });
      if (list.violation !== undefined && !isSelected(info, 'unreadable')) throw list.violation;
      return list;
    },
  }),

  writeRecords: queryField({
    operation: undefined, // nobody can guess a key, and a record holds no content
    args: () => z.object({ idempotencyKeys: inputList(IdempotencyKey) }),
    restCalls: () => 0,
    read: async ({ idempotencyKeys }, { service, client }) => {
      const records = await service.findRecords(idempotencyKeys, client);
      return records.map((found, index) => {
        if (found === undefined) return null;
        const { record, state, leftMs } = found;
        return {
          idempotencyKey: String(idempotencyKeys[index]),
          field: record.field,
          outcome: state === 'STARTED' ? null : state,
          notificationGuid: record.resultId ?? null,
          expiresAt: new Date(Date.now() + leftMs).toISOString(),
        };
      });
    },
  }),
};

/**
 * The field by which a router reads the notifications that other subgraphs refer to (Apollo Federation). Each representation
 * succeeds or fails alone, also without a token. `typeName` is the name of the type of notifications.
 */
export function entitiesField(typeName: string) {
  const Representation = z.object({
    __typename: z.string().refine((name) => name === typeName, rule(InputRule.Enum, `"${typeName}"`)),
    notificationGuid: NotificationGuid,
  });
  const load = async (
    representation: unknown,
    argument: ArgumentPath,
    { client, notificationLoader }: GatewayContext,
  ) => {
    checkToken(client, readNotification.token);
    const { data, error } = Representation.safeParse(representation);
    if (data !== undefined) return notificationLoader.load(data.notificationGuid);
    throw new GatewayError('inputInvalid', { violations: toInputErrors(error.issues, argument) });
  };
  return queryField({
    operation: undefined, // each representation requires a token
    args: () => z.object({ representations: z.array(z.unknown()) }),
    failsByElement: true,
    reads: ({ representations }) =>
      [representations]
        .flat()
        .map((each) => (Object(each) as { notificationGuid?: unknown }).notificationGuid),
    // One promise for the list, so that the size of the result is determined once. An Error is the error of its element.
    read: ({ representations }, context) =>
      Promise.all(
        representations.map((each, index) => {
          const argument = ['representations', index];
          return load(each, argument, context).catch((error: unknown) =>
            relocated(error, [...argument, 'notificationGuid']),
          );
        }),
      ),
  });
}
