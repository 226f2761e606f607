/**
 * Checks that reject an operation before it is executed, among them limits on its input, its REST calls and its result; documentSize.ts
 * limits its document. Results are not walked: their size is estimated from the bytes read, the response keys per row, how often a field
 * is selected, and the failures that items may have.
 */
import {
  OperationTypeNode,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { isRecord } from '../domain/json.js';
import { parseIdempotencyHeader } from '../domain/parameters.js';
import { cleanText } from '../domain/text.js';
import { InputRule } from '../errors.js';
import { GatewayError } from '../gatewayError.js';
import type { GatewayContext } from '../fields/context.js';
import { MAX_VIOLATIONS } from '../fields/bulk.js';
import type { FieldEntry, RawArguments } from '../fields/field.js';
import {
  fieldUsing,
  type FixedField,
  type RootField,
  type RootFields,
  type Variables,
} from '../fields/selections.js';
import { idempotencyKeyViolation } from '../fields/values.js';
import { MAX_UNREADABLE } from '../freight/notificationBodies.js';
import { operationSize, tooComplex, type FindFragment, type OperationSize } from './documentSize.js';

/** An operation of a validated document, with everything that is computed once for all its executions. */
export interface PreparedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  readonly rootFields: RootFields;
  /** The root fields, if variables change only their arguments. */
  readonly fixedFields: readonly FixedField[] | undefined;
  readonly size: OperationSize;
  readonly findFragment: FindFragment;
}

/** A request of an operation. Variables include their defaults. */
export class OperationRequest {
  private knownFields: readonly RootField[] | undefined;

  constructor(
    readonly operation: PreparedOperation,
    readonly variables: Variables,
    readonly context: GatewayContext,
  ) {}

  /** The root fields; computed lazily because most requests need none. */
  get fields(): readonly RootField[] {
    return (this.knownFields ??= this.operation.rootFields(this.variables));
  }
}

/**
 * Creates a function that adds the default values of variables that a request does not define. The result inherits nothing: a
 * variable called `toString` that is not sent is missing.
 */
export function createVariableDefaults({
  variableDefinitions = [],
}: OperationDefinitionNode): (variables: Variables | undefined) => Variables {
  const defaults = Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
  return (variables) => ({ __proto__: null, ...defaults, ...variables });
}

/**
 * Checks an operation once, when it is cached. Returns the check that each of its requests needs, or undefined if no request can be
 * rejected.
 */
export type OperationCheck = (operation: PreparedOperation) => RequestCheck | undefined;

/** Returns the reason to reject a request, if any, before it is executed. */
export type RequestCheck = (request: OperationRequest) => GatewayError | undefined;

export function firstRejection(checks: readonly RequestCheck[], request: OperationRequest) {
  for (const check of checks) {
    const rejection = check(request);
    if (rejection) return rejection;
  }
  return undefined;
}

/** Rejects an operation type that the schema does not define; graphql-js would report it as an error of the schema. */
export const rejectUnknownOperationType: OperationCheck = ({ definition, schema }) => {
  if (schema.getRootType(definition.operation)) return undefined;
  const message = `The schema defines no ${definition.operation}s`;
  return () => new GatewayError('operationUnresolved', { message });
};

/**
 * Rejects an operation with a condition (`@skip`, `@include`) that is null. graphql-js would find it only while executing,
 * after the fields above it. The null can come from a variable with a default value (GraphQL specification, section 5.8.5).
 */
export const rejectNullConditions: OperationCheck = ({ size: { conditionVariables } }) => {
  if (conditionVariables.size === 0) return undefined;
  return ({ variables, fields }) => {
    const name = [...conditionVariables].find((variable) => variables[variable] === null);
    if (name === undefined) return undefined;
    const field = fieldUsing(name, fields);
    const violation = { rule: InputRule.Required, message: 'expected a boolean for a condition, got null' };
    return new GatewayError('inputInvalid', { violations: [{ path: [`$${name}`], field, ...violation }] });
  };
};

export interface RestCallLimitOptions {
  maxRestCalls: number;
  /** Maximum root fields of a mutation: each is a write, and they run one after the other. */
  maxMutationFields: number;
  /** The limit on reads, if they have a separate one (subgraph.ts). @default they count as REST calls */
  maxEntities?: number | undefined;
}

/** Rejects an operation that would make too many REST calls, before it makes any. A single field makes many only for a list. */
export function limitRestCalls({
  maxRestCalls,
  maxMutationFields,
  maxEntities,
}: RestCallLimitOptions): OperationCheck {
  const check: RequestCheck = ({ operation, fields }) => {
    if (operation.definition.operation === OperationTypeNode.MUTATION && fields.length > maxMutationFields)
      return tooComplex(`Expected at most ${maxMutationFields} mutation fields, got ${fields.length}`);
    const guids = new Set<unknown>(); // equal ones are read once
    let restCalls = 0;
    for (const { entry, args } of fields) {
      if (!entry) continue;
      for (const guid of entry.reads(args)) guids.add(typeof guid === 'string' ? cleanText(guid) : guid);
      restCalls += entry.restCalls(args);
    }
    if (maxEntities === undefined) restCalls += guids.size;
    return restCalls > maxRestCalls
      ? tooComplex(`Expected at most ${maxRestCalls} REST calls, got ${restCalls}`)
      : undefined;
  };
  return ({ fixedFields }) =>
    fixedFields?.length === 1 && !fixedFields[0]?.entry?.failsByElement ? undefined : check;
}

/**
 * Rejects a mutation whose header `Idempotency-Key` is not a key, or could be the key of several fields or items: it replaces the argument
 * `idempotencyKey` of the only mutation field. The header is ignored if every field and every item has a key, and on queries: a browser
 * may add one to every POST.
 */
export const checkIdempotencyHeader: OperationCheck = ({ definition }) =>
  definition.operation === OperationTypeNode.MUTATION ? checkKeyOfMutation : undefined;

const checkKeyOfMutation: RequestCheck = (request) => {
  const { idempotencyHeader } = request.context;
  if (idempotencyHeader === undefined) return undefined;
  const writes = request.fields.filter(({ entry }) => entry);
  const write = writes.find(({ args }) => !hasOwnKeys(args));
  if (write === undefined) return undefined;
  if (writes.length > 1)
    return new GatewayError('inputInvalid', {
      message: `Expected the header Idempotency-Key with one mutation field, got ${writes.length} fields: set the argument idempotencyKey of each instead`,
    });
  if (write.entry?.items)
    return new GatewayError('inputInvalid', {
      message: `Expected no header Idempotency-Key with a mutation field that has the argument items, got one with ${write.nodes[0].name.value}: set idempotencyKey of each item instead`,
    });
  const violation = idempotencyKeyViolation(parseIdempotencyHeader(idempotencyHeader), idempotencyHeader);
  if (violation === undefined) return undefined;
  const error = { path: ['idempotencyKey'], field: write.key, ...violation };
  return new GatewayError('inputInvalid', { violations: [error] });
};

/** Whether a field, or each of its items, has a key. A single item is coerced to a list (GraphQL specification, section 3.11). */
function hasOwnKeys(args: RawArguments): boolean {
  const writes = 'items' in args ? [args['items']].flat() : [args];
  return writes.every((each) => isRecord(each) && each['idempotencyKey'] != null);
}

/** Maximum list elements and additional parameters: parsing 10,000 phone numbers took 136 ms of CPU. */
const MAX_ELEMENTS = 1000;

/** List elements and additional parameters that each item of a bulk field may add to that limit, itself included. */
const MAX_ELEMENTS_PER_ITEM = 10;

/** Minimum bytes that a list element or a member takes in a request. */
const MIN_BYTES = 2;

/** Maximum members of objects per element, unknown ones included: they cost less, being only copied, printed and serialized. */
const MAX_MEMBERS_PER_ELEMENT = 10;

/** List elements that a router may send per entity that it may read: those beyond `maxEntities` fail one by one. */
const MAX_ELEMENTS_PER_ENTITY = 10;

/** Deeper JSON is rejected by the rules for values, which do not look further either. */
const MAX_LEVELS = 101;

export interface InputLimitOptions {
  /** @see RestCallLimitOptions */
  maxEntities?: number | undefined;
  /** Maximum items of the bulk fields of an operation, together. */
  maxBulkItems: number;
}

/**
 * Rejects an operation with too much input before it is coerced. The input of all root fields counts, a variable as often
 * as they use it, because each use is parsed; variables that only skipped fields use count once, because they are coerced.
 * With `maxEntities`, the fields of a query that read entities have a separate limit; bulk fields have one that depends on their items.
 */
export function limitInput({ maxEntities = 0, maxBulkItems }: InputLimitOptions): OperationCheck {
  const maxEntityElements = Math.max(MAX_ELEMENTS, MAX_ELEMENTS_PER_ENTITY * maxEntities);
  return (operation) => {
    const isQuery = operation.definition.operation === OperationTypeNode.QUERY;
    const hasItems = mayHaveItems(operation);
    const { variableUses, literals } = operation.size;
    const uses = Math.max(1, variableUses); // variables are coerced, used or not
    return (request) => {
      const maxInput = literals + uses * (request.context.client.memory.requestBytes / MIN_BYTES);
      if (!hasItems && maxInput <= MAX_ELEMENTS) return undefined; // nearly always
      const { fields, variables } = request;
      const items = countItems(fields);
      if (items > maxBulkItems) return tooComplex(`Expected at most ${maxBulkItems} items, got ${items}`);
      const maxElements = isQuery ? maxEntityElements : MAX_ELEMENTS + MAX_ELEMENTS_PER_ITEM * items;
      const rejected = rejectInput([variables], maxElements) ?? rejectInput(argsOf(fields), maxElements);
      if (rejected || maxElements === MAX_ELEMENTS) return rejected;
      const others = fields.filter(({ entry }) => !entry?.failsByElement);
      return rejectInput(argsOf(others), MAX_ELEMENTS);
    };
  };
}

/** Whether an operation may have bulk fields; true if that depends on variables. */
export function mayHaveItems({ fixedFields }: PreparedOperation): boolean {
  return fixedFields?.some(({ entry }) => entry?.items) ?? true;
}

/** The items of all bulk fields. */
function countItems(fields: readonly RootField[]): number {
  return fields.reduce((sum, { entry, args }) => sum + (entry?.items?.(args) ?? 0), 0);
}

function argsOf(fields: readonly RootField[]): RawArguments[] {
  return fields.map(({ args }) => args);
}

/** Rejects values with too many elements or members. Stops counting when there are. */
function rejectInput(values: readonly unknown[], maxElements: number): GatewayError | undefined {
  const maxMembers = maxElements * MAX_MEMBERS_PER_ELEMENT;
  let elements = 0;
  let members = 0;
  const isTooMuch = () => elements > maxElements || members > maxMembers;
  const count = (value: unknown, levels: number): void => {
    if (typeof value !== 'object' || value === null || levels === 0 || isTooMuch()) return;
    if (Array.isArray(value)) {
      elements += value.length;
      if (!isTooMuch()) for (const element of value) count(element, levels - 1);
      return;
    }
    for (const name in value) {
      members += 1;
      if (isTooMuch()) return;
      const member = (value as Record<string, unknown>)[name];
      if (name === 'additionalParameters' && isRecord(member)) elements += Object.keys(member).length;
      count(member, levels - 1);
    }
  };
  for (const value of values) count(value, MAX_LEVELS);
  if (elements > maxElements)
    return tooComplex(`Expected at most ${maxElements} list elements and additional parameters, got more`);
  return members > maxMembers
    ? tooComplex(`Expected at most ${maxMembers} members of input objects, got more`)
    : undefined;
}

/** The sizes of nodes of cached documents, each measured once. */
const sizes = new WeakMap<FieldNode | OperationDefinitionNode, OperationSize>();

export function sizeOf(node: FieldNode | OperationDefinitionNode, findFragment: FindFragment): OperationSize {
  const known = sizes.get(node);
  if (known) return known;
  const size = operationSize(node, findFragment);
  sizes.set(node, size);
  return size;
}

export interface ResultLimitOptions {
  /** Maximum size of a result in bytes of JSON text. */
  maxResultBytes: number;
}

/**
 * Rejects an operation whose result would be too large whatever the service responds: response keys, and the input that the payload of a
 * mutation repeats.
 */
export function limitFixedSize({ maxResultBytes }: ResultLimitOptions): OperationCheck {
  return ({ definition, size: { keyBytes, repetitions } }) => {
    const isMutation = definition.operation === OperationTypeNode.MUTATION;
    if (!isMutation && keyBytes <= maxResultBytes) return undefined;
    return ({ context }) => {
      const inputBytes = isMutation ? context.client.memory.requestBytes * repetitions : 0;
      return keyBytes + inputBytes > maxResultBytes
        ? tooComplex(`Expected a result of at most ${maxResultBytes} bytes, got more: select fewer fields`)
        : undefined;
    };
  };
}

/**
 * Maximum values in the results of all items of an operation, sent or not, and maximum bytes of these results without content from the
 * service: as many cost about as much CPU as parsing and sending 500 items (Node.js 26).
 */
const MAX_ITEM_VALUES = 50_000;
const MAX_ITEM_BYTES = 4_194_304;

/** A GraphQL error costs as much CPU as this many values. */
const VALUES_PER_ERROR = 15;
/** Bytes of a value in the failure of an item, on average. */
const BYTES_PER_ERROR_VALUE = 64;
/** Failures that one item may have. All items of a list together have no more violations than MAX_VIOLATIONS. */
const MAX_FAILURES_PER_ITEM = 100;

/** Rejects an operation whose items could have results that are too large: items × selected fields × failures. */
export const limitItemResults: OperationCheck = (operation) =>
  mayHaveItems(operation) ? checkItemResults : undefined;

const checkItemResults: RequestCheck = ({ operation, fields, context }) => {
  let values = 0;
  let bytes = 0;
  for (const { nodes, entry, args } of fields) {
    const items = entry?.items?.(args);
    if (!items) continue;
    const failures = items + Math.min(items * MAX_FAILURES_PER_ITEM, MAX_VIOLATIONS);
    for (const node of nodes) {
      const size = sizeOf(node, operation.findFragment);
      const { resultFields, keyBytes, errorFields, errorKeyBytes, results, repetitions } = size;
      const errors = errorFields === 0 ? results * VALUES_PER_ERROR : 0;
      values += items * (resultFields - errorFields + errors) + failures * errorFields;
      bytes += items * (keyBytes - errorKeyBytes);
      bytes += failures * (errorKeyBytes + errorFields * BYTES_PER_ERROR_VALUE);
      bytes += context.client.memory.requestBytes * repetitions;
    }
  }
  if (values <= MAX_ITEM_VALUES && bytes <= MAX_ITEM_BYTES) return undefined;
  return tooComplex(
    values > MAX_ITEM_VALUES
      ? `Expected results of at most ${MAX_ITEM_VALUES} values, got up to ${values}: select fewer fields`
      : `Expected results of at most ${MAX_ITEM_BYTES} bytes, got up to ${bytes}: select fewer fields`,
  );
};

/** Bytes of a row in a response of the service, and the part of them that is member names, which response keys replace in the result. */
const ROW_BYTES = 400;
const ROW_NAME_BYTES = 200;

/**
 * Makes every root field bound the size of its result before execution builds it. A field whose result may be too large fails alone; the
 * large result of a read waits for the turn of its request. Bulk fields are exempt: limitItemResults limits them.
 */
export function limitResults(schema: GraphQLSchema, options: ResultLimitOptions): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { items } = field.extensions['entry'] as FieldEntry;
      if (field.resolve && !items) field.resolve = limited(field.resolve, options);
    }
  }
}

type Resolver = GraphQLFieldResolver<unknown, GatewayContext>;

function limited(resolve: Resolver, options: ResultLimitOptions): Resolver {
  return (source, args, context, info) => {
    const value = resolve(source, args, context, info);
    const admit = (settled: unknown) => {
      const turn = boundSize(settled, context, info, options);
      return turn ? turn.then(() => settled) : settled;
    };
    return value instanceof Promise ? value.then(admit) : admit(value);
  };
}

/**
 * The bound is the size of all responses, and of the request that a write repeats, times the selections of the most frequent field, plus
 * the response keys of each row. Returns the turn to wait for, if any: the result of a write never waits.
 */
function boundSize(
  value: unknown,
  context: GatewayContext,
  { operation, fragments }: GraphQLResolveInfo,
  { maxResultBytes }: ResultLimitOptions,
): Promise<void> | undefined {
  const { memory } = context.client;
  const { repetitions, keyBytes } = sizeOf(operation, (name) => fragments[name]);
  const isWrite = operation.operation === OperationTypeNode.MUTATION;
  const repeated = memory.bytes + (isWrite ? memory.requestBytes : 0);
  const occurrences = Array.isArray(value) ? maxOccurrences(value) : 1;
  const rows = 1 + memory.bytes / ROW_BYTES;
  const bytes = repeated * repetitions * occurrences + Math.max(0, keyBytes - ROW_NAME_BYTES) * rows;
  const unreadableBytes = isWrite ? 0 : keyBytes * MAX_UNREADABLE; // the result of a write has no such list
  if (bytes + unreadableBytes > maxResultBytes)
    throw new GatewayError('resultTooLarge', {
      message: `Expected a result of at most ${maxResultBytes} bytes, got more: select fewer fields`,
    });
  return isWrite ? undefined : memory.hold(bytes);
}

/** How often a list has the element that it has most often: an identifier may be asked for several times. */
function maxOccurrences(list: readonly unknown[]): number {
  const counts = new Map<unknown, number>();
  for (const each of list) if (each !== null) counts.set(each, (counts.get(each) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}
