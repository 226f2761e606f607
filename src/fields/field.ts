/**
 * The entry of a root field, and how it resolves the field: check the token, parse the arguments, run. The limit on the result follows
 * (graphql/checks.ts).
 */
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { FieldSettings, GatewayContext } from './context.js';
import { located } from '../freight/fieldNames.js';
import { violationOf, type writeArguments } from './values.js';
import { parseIdempotencyHeader } from '../domain/parameters.js';
import { GatewayError, type ArgumentPath, type InputError } from '../gatewayError.js';
import { checkToken } from '../freight/restCall.js';
import { sentParameters, type RestOperation, type WriteOperation } from '../freight/operations.js';
import type { Write, WritePayload, WriteRequest } from '../freight/write.js';

/** The entry of a root field, as the checks and the formatter of errors see it. */
export interface FieldEntry {
  /** The REST operation that the field calls, whose token it requires; undefined if it calls none, or if each element checks the token. */
  readonly operation: RestOperation<never, unknown> | undefined;
  /** Whether each element of the field's list fails alone: without a token, or beyond the limit on reads. */
  readonly failsByElement: boolean;
  /** The identifiers that the field reads; an operation reads each distinct one once. */
  reads(raw: RawArguments): readonly unknown[];
  /** How many other REST calls the field makes at most; calls of items do not count. */
  restCalls(raw: RawArguments): number;
  /** Counts the items of a bulk field. */
  readonly items?: (raw: RawArguments) => number;
  /** Every violation in arguments that GraphQL has coerced. */
  validate(args: object, settings: FieldSettings): InputError[];
  /** The members of a mutation's payload that follow from the arguments, valid or not. */
  subject?(args: object, settings: FieldSettings): object;
  resolve(parent: unknown, args: object, context: GatewayContext, info: GraphQLResolveInfo): unknown;
}

/** Arguments before coercion: values of any type, with any name that the document uses. */
export type RawArguments = Readonly<Record<string, unknown>>;

/** A FieldEntry with the types of its arguments and its result. */
export interface Field<Schema extends z.ZodObject, Result> extends FieldEntry {
  readonly args: (settings: FieldSettings) => Schema;
  resolve(
    parent: unknown,
    args: Immutable<z.input<Schema>>,
    context: GatewayContext,
    info: GraphQLResolveInfo,
  ): Result;
}

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

interface QueryDefinition<Schema extends z.ZodObject, Result> extends FieldDefinition<Schema> {
  read: (args: z.output<Schema>, context: GatewayContext, info: GraphQLResolveInfo) => Result;
}

export function queryField<Schema extends z.ZodObject, Result>(
  definition: QueryDefinition<Schema, Result>,
): Field<Schema, Result> {
  const { requireValid, ...entry } = createEntry(definition);
  return {
    ...entry,
    resolve: (_parent, args, context, info) => definition.read(requireValid(args, context), context, info),
  };
}

export type WriteArguments = z.ZodObject<typeof writeArguments>;

interface MutationDefinition<
  Schema extends WriteArguments,
  Parameters extends object,
  Reply,
  Result,
> extends FieldDefinition<Schema> {
  operation: WriteOperation<Parameters, Reply>;
  /** The write that the arguments ask for. Must not inspect values: freight/fieldNames.ts passes argument paths in their place. */
  toWrite: (args: z.output<Schema>) => Write<Result, Parameters, Reply>;
  subject: (args: Immutable<z.input<Schema>>, settings: FieldSettings) => Partial<Result>;
}

export interface MutationField<Schema extends WriteArguments, Result> extends Field<
  Schema,
  Promise<WritePayload<Result>>
> {
  readonly operation: WriteOperation<never, unknown>;
  subject(args: Immutable<z.input<Schema>>, settings: FieldSettings): Partial<Result>;
  parse(args: object, settings: FieldSettings): z.ZodSafeParseResult<z.output<Schema>>;
  /** Sends the write that valid arguments ask for. */
  send(
    args: z.output<Schema>,
    context: GatewayContext,
    request: Pick<WriteRequest, 'field' | 'key'> & {
      /** The arguments as the client sent them, and their path within the arguments of a bulk field. */
      given: object;
      path?: ArgumentPath;
    },
  ): Promise<WritePayload<Result>>;
}

export function mutationField<Schema extends WriteArguments, Parameters extends object, Reply, Result>(
  definition: MutationDefinition<Schema, Parameters, Reply, Result>,
): MutationField<Schema, Result> {
  const { operation, toWrite, subject } = definition;
  const { requireValid, ...entry } = createEntry(definition);
  const send: MutationField<Schema, Result>['send'] = (
    args,
    { client, service, settings },
    { field, key, given, path },
  ) => {
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
  };
  return {
    ...entry,
    operation,
    subject,
    send,
    // Compiled operations provide the same `info`.
    resolve(_parent, given, context, { fieldName: field }) {
      const args = requireValid(given, context);
      const key = args.idempotencyKey ?? keyOfHeader(context.idempotencyHeader);
      return send(args, context, { field, key, given });
    },
  };
}

export function toInputErrors(issues: readonly z.core.$ZodIssue[]): InputError[] {
  return issues.map((issue) => ({ path: issue.path, ...violationOf(issue) }));
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

    /**
     * Validates and translates arguments. Throws the problem of the client's token first, which saves parsing; a field with
     * `failsByElement` parses first, because its list is short.
     */
    requireValid: (given: object, { client, settings }: GatewayContext): z.output<Schema> => {
      if (!failsByElement) checkToken(client, token);
      const result = parse(given, settings);
      if (result.success) return result.data;
      checkToken(client, token);
      throw new GatewayError('inputInvalid', { violations: toInputErrors(result.error.issues) });
    },
  };
}

/** The key in a header that a check has accepted (checkIdempotencyHeader). */
function keyOfHeader(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = parseIdempotencyHeader(header);
  if (key === undefined) throw new Error('Expected a checked header Idempotency-Key');
  return key;
}

/** Generated types of arguments are read-only. */
export type Immutable<Value> = Value extends readonly (infer Element)[]
  ? readonly Immutable<Element>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value;
