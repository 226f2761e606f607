/** Validates the arguments of every root field and translates them into REST parameters. */
import { z } from 'zod';
import { InputRule, type Violation } from '../errors.js';
import { MAX_TARGET_BYTES } from '../domain/parameters.js';
import { operations, targetBytes, type RestOperation, type ServiceSettings } from '../freight/operations.js';
import { requireToken, type RequestClient } from '../freight/endpoint.js';
import { shipmentParameterNames } from '../freight/contract.js';
import { NotificationInput, UpdateNotificationInput } from './notification.js';
import {
  additionalParameters,
  addViolation,
  NotificationGuid,
  DateTime,
  IdempotencyKey,
  violationOf,
} from './valueSchemas.js';
import { createDeleteExceptionInput, createTrackShipmentInput } from './shipment.js';

/** One validation error. */
export interface InputError extends Violation {
  /** Path within the field's arguments, for example `['input', 'recipient', 'shipmentLevel', 'emailList', 0]`. */
  path: readonly PropertyKey[];
  /** Response key of the root field, for an error that fails the operation and so has no path in the response. */
  field?: string | undefined;
}

/** Lists every validation error in the arguments of a field. */
export class InvalidInputError extends Error {
  override readonly name = 'InvalidInputError';

  constructor(readonly errors: readonly InputError[]) {
    super('The input is invalid');
  }
}

export interface ArgumentParserOptions {
  settings: ServiceSettings;
  /** Maximum identifiers of `notificationsByGuid`. @default 100 */
  maxGuids?: number;
}

const MAX_GUIDS = 100;

export type ArgumentParser = ReturnType<typeof createArgumentParser>;

export function createArgumentParser({ settings, maxGuids = MAX_GUIDS }: ArgumentParserOptions) {
  const reserved = reservedParameters(settings);
  const idempotencyKey = IdempotencyKey.nullish();
  const fields = {
    notification: z.object({ notificationGuid: NotificationGuid }),
    notificationsByGuid: z.object({
      notificationGuids: z.array(NotificationGuid).refine((guids) => guids.length <= maxGuids, {
        error: ({ input }) => `expected at most ${maxGuids} identifiers, got ${lengthOf(input)}`,
        params: { rule: InputRule.MaxItems, limit: maxGuids },
      }),
    }),
    notifications: z.object({
      additionalParameters: additionalParameters({ reserved: [], location: 'query' }).transform(
        withinTarget(operations.listNotifications, settings),
      ),
    }),
    createNotification: z.object({ input: NotificationInput, idempotencyKey }),
    updateNotification: z.object({
      notificationGuid: NotificationGuid,
      input: UpdateNotificationInput,
      ifLastUpdateDate: DateTime.nullish(),
      idempotencyKey,
    }),
    deleteNotification: z.object({
      notificationGuid: NotificationGuid,
      ifLastUpdateDate: DateTime.nullish(),
      idempotencyKey,
    }),
    trackShipment: z.object({
      input: createTrackShipmentInput(
        additionalParameters({ reserved, location: settings.trackingParametersIn }),
      ).transform(withinTarget(operations.trackShipment, settings)),
      idempotencyKey,
    }),
    deleteException: z.object({
      input: createDeleteExceptionInput(
        additionalParameters({ reserved, location: settings.exceptionParametersIn }),
      ).transform(withinTarget(operations.deleteException, settings)),
      idempotencyKey,
    }),
  };
  type Fields = typeof fields;
  const compiled = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, z.compile(schema)]),
  ) as Fields;

  return {
    /**
     * Validates and translates the arguments of a root field. Throws InvalidInputError, or a ServiceError, `tokenMissing`, before it
     * looks at the arguments if the field needs a token: without one, parsing them would be wasted CPU time.
     */
    parse: <Field extends keyof Fields>(
      field: Field,
      args: object,
      client: RequestClient,
    ): z.output<Fields[Field]> => {
      // Each element of this list fails individually, and the list is short.
      if (needsToken(field) && field !== 'notificationsByGuid') requireToken(client);
      const result = compiled[field].safeParse(args);
      if (result.success) return result.data as z.output<Fields[Field]>;
      if (needsToken(field)) requireToken(client);
      throw new InvalidInputError(toInputErrors(result.error.issues));
    },

    /** Returns every validation error in the arguments of a root field; none for fields without arguments. */
    validate: (field: string, args: object): InputError[] => {
      if (!Object.hasOwn(fields, field)) return [];
      return toInputErrors(fields[field as keyof Fields].safeParse(args).error?.issues ?? []);
    },
  };
}

/** Whether the REST call of a root field needs a bearer token; the service validates the others by their parameters. */
export function needsToken(field: string): boolean {
  return field !== 'trackShipment' && field !== 'deleteException' && !field.startsWith('_');
}

/** Rejects parameters with which the path and query of a call would be too long. */
function withinTarget<Parameters extends object>(
  operation: RestOperation<Parameters, unknown>,
  settings: ServiceSettings,
) {
  return (parameters: Parameters, context: z.RefinementCtx): Parameters => {
    const isInQuery = operation.parametersIn(settings) === 'query';
    const bytes = isInQuery ? targetBytes(operation, parameters, settings) : 0;
    if (bytes > MAX_TARGET_BYTES) {
      const limit = MAX_TARGET_BYTES;
      const message = `expected parameters for a path and query of at most ${limit} bytes, got ${bytes}`;
      addViolation(context, { rule: InputRule.MaxBytes, limit, message });
      return z.NEVER;
    }
    return parameters;
  };
}

/** Names that clients may not use for additional parameters of shipment operations. */
function reservedParameters({ licensePlateParameter, shipmentParameters }: ServiceSettings): string[] {
  return [...shipmentParameterNames, licensePlateParameter, ...Object.keys(shipmentParameters)];
}

function toInputErrors(issues: readonly z.core.$ZodIssue[]): InputError[] {
  return issues.map((issue) => ({ path: issue.path, ...violationOf(issue) }));
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
