/** Validates the arguments of every root field and translates them into REST parameters. */
import { z } from 'zod';
import type { ParameterLocation } from '../service/client.js';
import { NotificationInput } from './notification.js';
import { additionalParameters, NotificationGuid } from './valueSchemas.js';
import { createDeleteExceptionInput, createTrackShipmentInput } from './shipment.js';

/** One validation error. */
export interface InputError {
  /** Path within the field's arguments, for example `['input', 'recipient', 'shipmentLevel', 'emailList', 0]`. */
  path: readonly PropertyKey[];
  /** States what was expected and what arrived. */
  message: string;
}

/** Lists every validation error in the arguments of a field. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';

  constructor(readonly errors: readonly InputError[]) {
    super('The input is invalid');
  }
}

export interface ArgumentParserOptions {
  /** Names that clients may not use for additional parameters of tracking and exception calls. */
  reservedParameters: readonly string[];
  trackingParametersIn: ParameterLocation;
  exceptionParametersIn: ParameterLocation;
}

export const MAX_GUIDS = 100;

export type ArgumentParser = ReturnType<typeof createArgumentParser>;

export function createArgumentParser({
  reservedParameters,
  trackingParametersIn,
  exceptionParametersIn,
}: ArgumentParserOptions) {
  const fields = {
    notification: z.object({ notificationGuid: NotificationGuid }),
    notificationsByGuid: z.object({
      notificationGuids: z.array(NotificationGuid).max(MAX_GUIDS, {
        error: ({ input }) => `expected at most ${MAX_GUIDS} identifiers, got ${lengthOf(input)}`,
      }),
    }),
    notifications: z.object({
      additionalParameters: additionalParameters({ reserved: [], location: 'query' }),
    }),
    createNotification: z.object({ input: NotificationInput }),
    updateNotification: z.object({ notificationGuid: NotificationGuid, input: NotificationInput }),
    deleteNotification: z.object({ notificationGuid: NotificationGuid }),
    trackShipment: z.object({
      input: createTrackShipmentInput(
        additionalParameters({ reserved: reservedParameters, location: trackingParametersIn }),
      ),
    }),
    deleteException: z.object({
      input: createDeleteExceptionInput(
        additionalParameters({ reserved: reservedParameters, location: exceptionParametersIn }),
      ),
    }),
  };
  type Fields = typeof fields;
  const compiled = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, z.compile(schema)]),
  ) as Fields;

  return {
    /** Validates and translates the arguments of a root field. Throws InvalidInputError. */
    parse: <Field extends keyof Fields>(field: Field, args: object): z.output<Fields[Field]> => {
      const result = compiled[field].safeParse(args);
      if (!result.success) throw new InvalidInputError(result.error.issues);
      return result.data as z.output<Fields[Field]>;
    },

    /** Returns every validation error in the arguments of a root field; none for fields without arguments. */
    validate: (field: string, args: object): InputError[] => {
      if (!Object.hasOwn(fields, field)) return [];
      return fields[field as keyof Fields].safeParse(args).error?.issues ?? [];
    },
  };
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
