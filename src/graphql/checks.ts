/**
 * Checks that reject an operation before it is executed, among them limits on its input, its REST calls and the results of items;
 * documentSize.ts limits its document, and fields/field.ts the result of a field.
 */
import {
  Kind,
  OperationTypeNode,
  valueFromASTUntyped,
  type DocumentNode,
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
import {
  createRootFields,
  fieldUsing,
  fragmentsOf,
  type RawArguments,
  type RootField,
  type Variables,
} from '../fields/selections.js';
import { idempotencyKeyViolation } from '../fields/values.js';
import { operationSize, tooComplex } from './documentSize.js';

/** An operation of a validated document, with everything that is computed once for all its executions. */
export type PreparedOperation = ReturnType<typeof prepareOperation>;

export function prepareOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
) {
  const fragments = fragmentsOf(document);
  const size = operationSize(definition, fragments);
  const hasDirectives = size.directives > 0;
  const rootFields = createRootFields(schema, definition, fragments, hasDirectives);
  return {
    schema,
    document,
    definition,
    isMutation: definition.operation === OperationTypeNode.MUTATION,
    defaults: defaultsOf(definition),
    /** Variables that may decide `@skip` and `@include`, and may be null. */
    conditionVariables: hasDirectives ? nullableBooleansOf(definition) : [],
    ...rootFields,
    /** Whether it may have bulk fields; true if that depends on variables. */
    mayHaveItems: rootFields.fixedFields?.some(({ entry }) => entry?.items) ?? true,
    size,
    fragments,
  };
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
  );
  return Object.fromEntries(defaults) as Variables;
}

function nullableBooleansOf({ variableDefinitions = [] }: OperationDefinitionNode): string[] {
  return variableDefinitions.flatMap(({ variable, type }) =>
    type.kind === Kind.NAMED_TYPE && type.name.value === 'Boolean' ? [variable.name.value] : [],
  );
}

export class OperationRequest {
  /** With the defaults of those that the request does not define. Inherits nothing: one called `toString` that is not sent is missing. */
  readonly variables: Variables;
  private knownFields: readonly RootField[] | undefined;

  constructor(
    readonly operation: PreparedOperation,
    sent: Variables | undefined,
    readonly context: GatewayContext,
  ) {
    this.variables = { __proto__: null, ...operation.defaults, ...sent };
  }

  /** The root fields; computed lazily because most requests need none. */
  get fields(): readonly RootField[] {
    return (this.knownFields ??= this.operation.rootFields(this.variables));
  }
}

export interface OperationLimits {
  maxRestCalls: number;
  /** Maximum root fields of a mutation: each is a write, and they run one after the other. */
  maxMutationFields: number;
  /** Maximum items of the bulk fields of an operation, together. */
  maxBulkItems: number;
  /** The limit on reads, if they have a separate one (schema.ts). @default they count as REST calls */
  maxEntities?: number | undefined;
}

/** Throws a GatewayError if the request must not be executed. */
export function checkRequest(request: OperationRequest, limits: OperationLimits): void {
  checkOperationType(request);
  checkConditions(request);
  checkInput(request, limits); // before the checks that walk the input
  checkItemResults(request);
  checkRestCalls(request, limits);
  checkIdempotencyHeader(request);
}

/** Rejects an operation type that the schema does not define; graphql-js would report it as an error of the schema. */
function checkOperationType({ operation: { schema, definition } }: OperationRequest) {
  if (schema.getRootType(definition.operation)) return;
  throw new GatewayError('operationUnresolved', {
    message: `The schema defines no ${definition.operation}s`,
  });
}

/**
 * Rejects an operation with a condition (`@skip`, `@include`) that is null. graphql-js would find it only while executing,
 * after the fields above it. The null can come from a variable with a default value (GraphQL specification, section 5.8.5).
 */
function checkConditions(request: OperationRequest) {
  const { operation, variables } = request;
  const name = operation.conditionVariables.find((variable) => variables[variable] === null);
  if (name === undefined) return;
  const field = fieldUsing(name, request.fields);
  const violation = { rule: InputRule.Required, message: 'expected a boolean, got null' };
  throw new GatewayError('inputInvalid', { violations: [{ path: [`$${name}`], field, ...violation }] });
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

/**
 * Rejects an operation with too much input before it is coerced. The input of all root fields counts, a variable as often
 * as they use it, because each use is parsed; variables that only skipped fields use count once, because they are coerced.
 * Fields whose elements fail one by one have a higher limit: bulk fields one that depends on their items, and reads of entities one for
 * routers.
 */
function checkInput(request: OperationRequest, { maxBulkItems, maxEntities = 0 }: OperationLimits) {
  const { operation, context } = request;
  const uses = Math.max(1, operation.size.variableUses); // variables are coerced, used or not
  const maxInput = (uses * context.client.memory.requestBytes) / MIN_BYTES;
  if (!operation.mayHaveItems && maxInput <= MAX_ELEMENTS) return; // nearly always
  const { fields, variables } = request;
  const items = fields.reduce((sum, { entry, args }) => sum + (entry?.items?.(args) ?? 0), 0);
  if (items > maxBulkItems) throw tooComplex(`Expected at most ${maxBulkItems} items, got ${items}`);
  const maxElements = operation.isMutation
    ? MAX_ELEMENTS + MAX_ELEMENTS_PER_ITEM * items
    : Math.max(MAX_ELEMENTS, MAX_ELEMENTS_PER_ENTITY * maxEntities);
  const argsOf = (some: readonly RootField[]) => some.map(({ args }) => args);
  checkValues([variables], maxElements);
  checkValues(argsOf(fields), maxElements);
  if (maxElements === MAX_ELEMENTS) return;
  checkValues(argsOf(fields.filter(({ entry }) => !entry?.failsByElement)), MAX_ELEMENTS);
}

/** Rejects values with too many elements or members. Looks no deeper when there are. */
function checkValues(values: readonly unknown[], maxElements: number): void {
  const maxMembers = maxElements * MAX_MEMBERS_PER_ELEMENT;
  let elements = 0;
  let members = 0;
  const count = (value: unknown, levels: number): void => {
    if (typeof value !== 'object' || value === null || levels === 0) return;
    if (elements > maxElements || members > maxMembers) return;
    const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (isRecord(value)) {
      members += parts.length;
      const { additionalParameters } = value;
      if (isRecord(additionalParameters)) elements += Object.keys(additionalParameters).length;
    } else elements += parts.length;
    for (const part of parts) count(part, levels - 1);
  };
  for (const value of values) count(value, MAX_LEVELS);
  if (elements > maxElements)
    throw tooComplex(`Expected at most ${maxElements} list elements and additional parameters, got more`);
  if (members > maxMembers)
    throw tooComplex(`Expected at most ${maxMembers} members of input objects, got more`);
}

/** Limits on the results of all items, sent or not; bytes without the service's content. So many cost as much CPU as sending 500 items. */
const MAX_ITEM_VALUES = 50_000;
const MAX_ITEM_BYTES = 4_194_304;

/** A GraphQL error costs as much CPU as this many values. */
const VALUES_PER_ERROR = 15;
/** Bytes of a value in the failure of an item, on average. */
const BYTES_PER_ERROR_VALUE = 64;

/** Rejects an operation whose items could have results that are too large: items × selected fields × failures. */
function checkItemResults(request: OperationRequest) {
  const { operation, context } = request;
  if (!operation.mayHaveItems) return;
  let values = 0;
  let bytes = 0;
  for (const { nodes, entry, args } of request.fields) {
    const items = entry?.items?.(args);
    if (!items) continue;
    for (const node of nodes) {
      const size = operationSize(node, operation.fragments);
      const { fields, keyBytes, errorFields, errorKeyBytes, results, repetitions } = size;
      const errors = errorFields === 0 ? results * VALUES_PER_ERROR : 0;
      values += items * (fields + errors) + MAX_VIOLATIONS * errorFields;
      bytes += items * keyBytes + MAX_VIOLATIONS * errorKeyBytes;
      bytes += (items + MAX_VIOLATIONS) * errorFields * BYTES_PER_ERROR_VALUE;
      bytes += context.client.memory.requestBytes * repetitions;
    }
  }
  const reject = (max: number, unit: string, most: number) => {
    throw tooComplex(`Expected results of at most ${max} ${unit}, got up to ${most}: select fewer fields`);
  };
  if (values > MAX_ITEM_VALUES) reject(MAX_ITEM_VALUES, 'values', values);
  if (bytes > MAX_ITEM_BYTES) reject(MAX_ITEM_BYTES, 'bytes', bytes);
}

/** Rejects an operation that would make too many REST calls, before it makes any. A single field makes many only for a list. */
function checkRestCalls(request: OperationRequest, limits: OperationLimits) {
  const { isMutation, fixedFields } = request.operation;
  if (fixedFields?.length === 1 && !fixedFields[0]?.entry?.failsByElement) return;
  const { maxRestCalls, maxMutationFields, maxEntities } = limits;
  const { fields } = request;
  if (isMutation && fields.length > maxMutationFields)
    throw tooComplex(`Expected at most ${maxMutationFields} mutation fields, got ${fields.length}`);
  const guids = new Set<unknown>(); // equal ones are read once
  let restCalls = 0;
  for (const { entry, args } of fields) {
    if (!entry) continue;
    for (const guid of entry.reads(args)) guids.add(typeof guid === 'string' ? cleanText(guid) : guid);
    restCalls += entry.restCalls(args);
  }
  if (maxEntities === undefined) restCalls += guids.size;
  if (restCalls > maxRestCalls)
    throw tooComplex(`Expected at most ${maxRestCalls} REST calls, got ${restCalls}`);
}

/**
 * Rejects a mutation whose header `Idempotency-Key` is not a key, or could be the key of several fields or items: it replaces the argument
 * `idempotencyKey` of the only mutation field. The header is ignored if every field and every item has a key, and on queries: a browser
 * may add one to every POST.
 */
function checkIdempotencyHeader(request: OperationRequest) {
  const { idempotencyHeader } = request.context;
  if (idempotencyHeader === undefined || !request.operation.isMutation) return;
  const writes = request.fields.filter(({ entry }) => entry);
  const write = writes.find(({ args }) => !hasOwnKeys(args));
  if (write === undefined) return;
  if (writes.length > 1 || write.entry?.items)
    throw new GatewayError('inputInvalid', {
      message:
        'Expected the header Idempotency-Key with one mutation, got several or a list: set idempotencyKey of each instead',
    });
  const key = parseIdempotencyHeader(idempotencyHeader);
  const violation = idempotencyKeyViolation(key, idempotencyHeader);
  if (violation !== undefined) {
    const error = { path: ['idempotencyKey'], field: write.key, ...violation };
    throw new GatewayError('inputInvalid', { violations: [error] });
  }
  request.context.headerKey = key;
}

/** Whether a field, or each of its items, has a key. A single item is coerced to a list (GraphQL specification, section 3.11). */
function hasOwnKeys(args: RawArguments): boolean {
  const writes = 'items' in args ? [args['items']].flat() : [args];
  return writes.every((each) => isRecord(each) && each['idempotencyKey'] != null);
}
