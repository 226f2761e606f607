/** The entry of a root field, and how it resolves the field: check the token, parse the arguments, run, and bound the result. */
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { FieldSettings, GatewayContext } from './context.js';
import { located } from '../freight/fieldNames.js';
import { violationOf, type writeArguments } from './values.js';
import { isSelected, type FieldEntry } from './selections.js';
import { createReporter } from './writeFailures.js';
import { GatewayError, type ArgumentPath, type InputError } from '../gatewayError.js';
import { MAX_UNREADABLE } from '../freight/notificationBodies.js';
import { checkToken } from '../freight/restCall.js';
import { sentParameters, type WriteOperation } from '../freight/operations.js';
import type { Subject, Write, WritePayload, WriteRequest } from '../freight/write.js';

interface FieldDefinition<Schema extends z.ZodObject> extends Pick<FieldEntry, 'operation'> {
  /** Rules for the arguments, which turn them into parameters of REST calls. */
  args: (settings: FieldSettings) => Schema;
  /** @default false */
  failsByElement?: boolean;
  /** @default none */
  reads?: FieldEntry['reads'];
  /** @default 1, or 0 for a field that `reads` */
  restCalls?: FieldEntry['restCalls'];
}

export function queryField<Schema extends z.ZodObject, Result>({
  read,
  ...definition
}: FieldDefinition<Schema> & {
  read: (
    args: z.output<Schema>,
    context: GatewayContext,
    info: GraphQLResolveInfo,
  ) => Promise<Result> | Result;
}) {
  const { requireValid, ...entry } = createEntry(definition);
  return {
    ...entry,
    resolve(_parent: unknown, given: z.input<Schema>, context: GatewayContext, info: GraphQLResolveInfo) {
      /** The large result waits for the turn of its request. */
      const admit = (result: Result) => {
        const turn = context.client.memory.hold(boundResult(result, context, false));
        return turn ? turn.then(() => result) : result;
      };
      const result = read(requireValid(given, context), context, info);
      return result instanceof Promise ? result.then(admit) : admit(result);
    },
  };
}

export type WriteArguments = z.ZodObject<typeof writeArguments>;

export type MutationField<Schema extends WriteArguments, Result> = ReturnType<
  typeof mutationField<Schema, never, unknown, Result>
>;

export function mutationField<Schema extends WriteArguments, Parameters extends object, Reply, Result>(
  definition: FieldDefinition<Schema> & {
    operation: WriteOperation<Parameters, Reply>;
    /** The write that the arguments ask for. Only moves values: to find the argument of each parameter, markers take their place. */
    toWrite: (args: z.output<Schema>) => Write<Result, Parameters, Reply>;
    /** The members of the payload that follow from the arguments as the client sent them, without those that are invalid. */
    subject: (args: z.input<Schema>, settings: FieldSettings) => Subject<Result>;
  },
) {
  const { operation, toWrite } = definition;
  const { requireValid, ...shared } = createEntry(definition);
  const entry = {
    ...shared,
    operation,
    subject(args: z.input<Schema>, settings: FieldSettings) {
      return definition.subject(args, settings);
    },
    send(
      args: z.output<Schema>,
      { client, service, settings }: GatewayContext,
      {
        field,
        key,
        given,
        path,
      }: Pick<WriteRequest, 'field' | 'key'> & { given: object; path?: ArgumentPath },
    ): Promise<WritePayload<Result>> {
      const request: WriteRequest = {
        operation,
        client: args.dryRun && !client.isDryRun ? { ...client, isDryRun: true } : client,
        field,
        key,
        args: { ...args, idempotencyKey: undefined, dryRun: undefined },
      };
      return service.send(toWrite(args), request).then(
        ({ result, evidence }) => ({ ...result, outcome: 'APPLIED', evidence, errors: [] }),
        (error: unknown) => {
          throw located(error, given, path, (places) => {
            const { parameters } = toWrite(places as z.output<Schema>);
            return sentParameters(operation, parameters as Parameters, settings);
          });
        },
      );
    },
  };
  const write = async (given: object, context: GatewayContext, field: string) => {
    const args = requireValid(given, context);
    const key = args.idempotencyKey ?? context.headerKey;
    const payload = await entry.send(args, context, { field, key, given });
    boundResult(payload, context, true);
    context.telemetry.writeEnded({ field, outcome: 'APPLIED' });
    return payload;
  };
  return {
    ...entry,
    resolve(_parent: unknown, given: z.input<Schema>, context: GatewayContext, info: GraphQLResolveInfo) {
      const { fieldName: field } = info; // compiled operations have it, too
      return write(given, context, field).catch((error: unknown) => {
        const hasErrors = isSelected(info, 'errors');
        const report = createReporter(field, definition, context, hasErrors).failed(error, given);
        if (report.value instanceof Error) throw report.value;
        context.failuresAsData.push(report);
        return report.value as WritePayload<Result>;
      });
    },
  };
}

export function toInputErrors(issues: readonly z.core.$ZodIssue[], path: ArgumentPath = []): InputError[] {
  return issues.map((issue) => ({ path: [...path, ...issue.path], ...violationOf(issue) }));
}

function createEntry<Schema extends z.ZodObject>(definition: FieldDefinition<Schema>) {
  const { operation, args, failsByElement = false, reads } = definition;
  const { restCalls = () => (reads === undefined ? 1 : 0) } = definition;
  const token = operation?.token ?? 'none';
  const schemas = new WeakMap<FieldSettings, Schema>();
  /** Compiles the schema once per settings, of which a gateway has one for each endpoint. */
  const schemaFor = (settings: FieldSettings): Schema => {
    const existing = schemas.get(settings);
    if (existing) return existing;
    const schema = z.compile(args(settings));
    schemas.set(settings, schema);
    return schema;
  };
  const parse = (given: object, settings: FieldSettings): z.ZodSafeParseResult<z.output<Schema>> =>
    schemaFor(settings).safeParse(given);
  return {
    operation,
    failsByElement,
    reads: reads ?? (() => []),
    restCalls,
    args,
    parse,
    validate: (given: object, settings: FieldSettings) =>
      toInputErrors(parse(given, settings).error?.issues ?? []),

    /** Throws the problem of the token first, which saves parsing. A field with `failsByElement` parses first, because its list is short. */
    requireValid: (given: object, { client, settings }: GatewayContext): z.output<Schema> => {
      if (!failsByElement) checkToken(client, token);
      const result = parse(given, settings);
      if (result.success) return result.data;
      checkToken(client, token);
      throw new GatewayError('inputInvalid', { violations: toInputErrors(result.error.issues) });
    },
  };
}

/** Bytes of a row in a response of the service, and the part of them that is member names, which response keys replace in the result. */
const ROW_BYTES = 400;
const ROW_NAME_BYTES = 200;

/**
 * An upper bound for the bytes of a result before execution builds it, which is not walked: the size of all responses, and of the request
 * that a write repeats, times the selections of the most frequent field, plus the response keys of each row. Throws if that is too much.
 */
function boundResult(
  result: unknown,
  { client, resultSize, maxResultBytes }: GatewayContext,
  isWrite: boolean,
) {
  const { memory } = client;
  const { repetitions, keyBytes } = resultSize;
  const repeated = memory.bytes + (isWrite ? memory.requestBytes : 0);
  const occurrences = Array.isArray(result) ? maxOccurrences(result) : 1;
  const rows = 1 + memory.bytes / ROW_BYTES;
  const bytes = repeated * repetitions * occurrences + Math.max(0, keyBytes - ROW_NAME_BYTES) * rows;
  const unreadableBytes = isWrite ? 0 : keyBytes * MAX_UNREADABLE; // the result of a write has no such list
  if (bytes + unreadableBytes <= maxResultBytes) return bytes;
  throw new GatewayError('resultTooLarge', {
    message: `Expected a result of at most ${maxResultBytes} bytes, got more: select fewer fields`,
  });
}

/** How often a list has the element that it has most often: an identifier may be asked for several times. */
function maxOccurrences(list: readonly unknown[]): number {
  const counts = new Map<unknown, number>();
  for (const each of list) if (each !== null) counts.set(each, (counts.get(each) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}
