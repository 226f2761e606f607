/**
 * What the entry of a root field is, and how the field is resolved: token, arguments, run. The limit on its result comes after that
 * (graphql/resultLimit.ts).
 */
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { FieldSettings, GatewayContext } from './context.js';
import { locating } from './places.js';
import { violationOf, type writeArguments } from './values.js';
import { parseIdempotencyHeader } from '../domain/parameters.js';
import type { Violation } from '../errors.js';
import { checkToken, type TokenPolicy } from '../freight/endpoint.js';
import { sentParameters } from '../freight/operations.js';
import type { ReadBackKind, Write, WritePayload, WriteRequest } from '../freight/write.js';
import type { Writes } from '../freight/writes.js';
import type { ArgumentPath } from '../transport/serviceError.js';

/** The entry of a root field, as the checks and the formatter of errors see it. */
export interface FieldEntry {
  /** That of its REST operation. @see TokenPolicy */
  readonly token: TokenPolicy;
  /** Whether each element of its list fails alone: without a token, or beyond the limit on reads. */
  readonly failsByElement: boolean;
  /** The identifiers that the field reads; an operation reads each distinct one once. */
  reads(raw: RawArguments): readonly unknown[];
  /** How many other REST calls the field makes at most; those of items do not count. */
  restCalls(raw: RawArguments): number;
  /** Of a bulk field: how many items it has. */
  readonly items?: (raw: RawArguments) => number;
  /** Every violation in arguments that GraphQL has coerced. */
  validate(args: object, settings: FieldSettings): InputError[];
  /** Of a mutation: the members of its payload that follow from the arguments, valid or not. */
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

interface FieldDefinition<Schema extends z.ZodObject> extends Pick<FieldEntry, 'token'> {
  /** Rules for the arguments, which turn them into parameters of REST calls. */
  args: (settings: FieldSettings) => Schema;
  /** @default false */
  failsByElement?: boolean;
  /** @default none */
  reads?: FieldEntry['reads'];
  /** @default 1, or 0 for a field that `reads` */
  restCalls?: FieldEntry['restCalls'];
}

export interface QueryDefinition<Schema extends z.ZodObject, Result> extends FieldDefinition<Schema> {
  read: (args: z.output<Schema>, context: GatewayContext, info: GraphQLResolveInfo) => Result;
}

export function queryField<Schema extends z.ZodObject, Result>(
  definition: QueryDefinition<Schema, Result>,
): Field<Schema, Result> {
  const { requireValid, ...entry } = entryOf(definition);
  return {
    ...entry,
    resolve: (_parent, args, context, info) => definition.read(requireValid(args, context), context, info),
  };
}

export type WriteArguments = z.ZodObject<typeof writeArguments>;

export interface MutationDefinition<Schema extends WriteArguments, Result> extends FieldDefinition<Schema> {
  /** It does not look at the values of the arguments (places.ts). */
  write: (args: z.output<Schema>, writes: Writes) => Write<Result>;
  subject: (args: Immutable<z.input<Schema>>, settings: FieldSettings) => Partial<Result>;
  /** What is read if the outcome of the write is unknown. @default nothing */
  readsBack?: ReadBackKind;
}

export interface MutationField<Schema extends WriteArguments, Result> extends Field<
  Schema,
  Promise<WritePayload<Result>>
> {
  readonly readsBack: ReadBackKind | undefined;
  subject(args: Immutable<z.input<Schema>>, settings: FieldSettings): Partial<Result>;
  parse(args: object, settings: FieldSettings): z.ZodSafeParseResult<z.output<Schema>>;
  /** Sends the write that valid arguments ask for. */
  send(
    args: z.output<Schema>,
    given: Readonly<Record<'dryRun', boolean>>,
    context: GatewayContext,
    request: Pick<WriteRequest, 'field'> & {
      key: string | null | undefined;
      /** Path of `given` in the arguments of a bulk field. @default that of the arguments themselves */
      path?: ArgumentPath;
    },
  ): Promise<WritePayload<Result>>;
}

export function mutationField<Schema extends WriteArguments, Result>(
  definition: MutationDefinition<Schema, Result>,
): MutationField<Schema, Result> {
  const { requireValid, ...entry } = entryOf(definition);
  const send: MutationField<Schema, Result>['send'] = async (
    args,
    given,
    { client, service, settings },
    { field, key, path },
  ) => {
    const request: WriteRequest = {
      client: given.dryRun && !client.isDryRun ? { ...client, isDryRun: true } : client,
      field,
      idempotency: key
        ? { key, args: { ...given, idempotencyKey: undefined, dryRun: undefined } }
        : undefined,
    };
    const toWrite = (each: z.output<Schema>) => definition.write(each, service.writes);
    const { result, evidence } = await service.send(toWrite(args), request).catch(
      locating(given, path, (places) => {
        const { operation, parameters } = toWrite(places as z.output<Schema>);
        return sentParameters(operation, parameters as never, settings);
      }),
    );
    return { ...result, outcome: 'APPLIED', evidence, errors: [] };
  };
  return {
    ...entry,
    readsBack: definition.readsBack,
    subject: definition.subject,
    send,
    // async: what is thrown becomes a rejection. Compiled operations provide the same `info`.
    async resolve(_parent, given, context, { fieldName: field }) {
      const args = requireValid(given, context);
      const key = args.idempotencyKey ?? keyOfHeader(context.idempotencyHeader);
      return send(args, given, context, { field, key });
    },
  };
}

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

export function toInputErrors(issues: readonly z.core.$ZodIssue[]): InputError[] {
  return issues.map((issue) => ({ path: issue.path, ...violationOf(issue) }));
}

function entryOf<Schema extends z.ZodObject>(definition: FieldDefinition<Schema>) {
  const { token, args, failsByElement = false, reads } = definition;
  const { restCalls = () => (reads === undefined ? 1 : 0) } = definition;
  const schemas = new WeakMap<FieldSettings, Schema>();
  /** A gateway has few settings, one for each of its endpoints. */
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
    token,
    failsByElement,
    reads: reads ?? (() => []),
    restCalls,
    args,
    parse,
    validate: (given: object, settings: FieldSettings) =>
      toInputErrors(parse(given, settings).error?.issues ?? []),

    /**
     * Validates and translates arguments. Throws InvalidInputError, or the problem of the client's token before it looks at the
     * arguments: parsing them would be wasted CPU time. A list whose elements fail alone is short.
     */
    requireValid: (given: object, { client, settings }: GatewayContext): z.output<Schema> => {
      if (!failsByElement) checkToken(client, token);
      const result = parse(given, settings);
      if (result.success) return result.data;
      checkToken(client, token);
      throw new InvalidInputError(toInputErrors(result.error.issues));
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
