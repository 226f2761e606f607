/** The arguments of every root field: their rules, and their translation into what the REST service takes. */
import { z } from 'zod';
import type { ParameterLocation } from '../service/client.js';
import { NotificationInput } from './notification.js';
import { additionalParameters, NotificationGuid } from './valueSchemas.js';
import { createDeleteExceptionInput, createTrackShipmentInput } from './shipment.js';

/** One broken rule. */
export interface InputError {
  /** Where in the field's arguments, for instance `['input', 'recipient', 'shipmentLevel', 'emailList', 0]`. */
  path: readonly PropertyKey[];
  /** What was expected, and what arrived. */
  message: string;
}

/** The arguments of a field break rules: all of those that they break. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';

  constructor(readonly errors: readonly InputError[]) {
    super('The input is invalid');
  }
}

export interface ArgumentParserOptions {
  /** Parameters that no caller may add to a tracking or exception call. */
  reservedParameters: readonly string[];
  trackingParametersIn: ParameterLocation;
  exceptionParametersIn: ParameterLocation;
}

export const MAX_GUIDS = 100;

export type ArgumentParser = ReturnType<typeof createArgumentParser>;

export function createArgumentParser({ reservedParameters, ...place }: ArgumentParserOptions) {
  const fields = {
    notification: z.object({ notificationGuid: NotificationGuid }),
    notificationsByGuid: z.object({
      notificationGuids: z.array(NotificationGuid).max(MAX_GUIDS, {
        error: ({ input }) => `expected at most ${MAX_GUIDS} identifiers, got ${lengthOf(input)}`,
      }),
    }),
    notifications: z.object({ additionalParameters: additionalParameters({ reserved: [], place: 'query' }) }),
    createNotification: z.object({ input: NotificationInput }),
    updateNotification: z.object({ notificationGuid: NotificationGuid, input: NotificationInput }),
    deleteNotification: z.object({ notificationGuid: NotificationGuid }),
    trackShipment: z.object({
      input: createTrackShipmentInput(
        additionalParameters({ reserved: reservedParameters, place: place.trackingParametersIn }),
      ),
    }),
    deleteException: z.object({
      input: createDeleteExceptionInput(
        additionalParameters({ reserved: reservedParameters, place: place.exceptionParametersIn }),
      ),
    }),
  };
  type Fields = typeof fields;
  const compiled = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, z.compile(schema)]),
  ) as Fields;

  return {
    /** What a root field's arguments mean to the service. Throws an InvalidInputError. */
    parse: <Field extends keyof Fields>(field: Field, args: object): z.output<Fields[Field]> => {
      const result = compiled[field].safeParse(args);
      if (!result.success) throw new InvalidInputError(result.error.issues);
      return result.data as z.output<Fields[Field]>;
    },

    /** Every rule that a root field's arguments break; none for a field without arguments. */
    validate: (field: string, args: object): InputError[] => {
      if (!Object.hasOwn(fields, field)) return [];
      return fields[field as keyof Fields].safeParse(args).error?.issues ?? [];
    },
  };
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
