/** Checks that reject an operation before it is executed. Others limit its result (resultLimit.ts) and its document (documentSize.ts). */
import {
  OperationTypeNode,
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
import type { RawArguments } from '../fields/field.js';
import {
  fieldUsing,
  type FixedField,
  type RootField,
  type RootFields,
  type Variables,
} from '../fields/selections.js';
import { idempotencyKeyViolation } from '../fields/values.js';
import { tooComplex, type FindFragment, type OperationSize } from './documentSize.js';

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
      message: `Expected the header Idempotency-Key with one mutation field, got ${writes.length} fields: use the argument idempotencyKey of each`,
    });
  if (write.entry?.items)
    return new GatewayError('inputInvalid', {
      message: `Expected no header Idempotency-Key with a mutation field that has the argument items, got one with ${write.nodes[0].name.value}: use idempotencyKey of each item`,
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

interface InputSize {
  elements: number;
  members: number;
}

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
      const maxInput = literals + uses * (request.context.client.reading.requestBytes / MIN_BYTES);
      if (!hasItems && maxInput <= MAX_ELEMENTS) return undefined; // nearly always
      const { fields, variables } = request;
      const items = countItems(fields);
      if (items > maxBulkItems) return tooComplex(`Expected at most ${maxBulkItems} items, got ${items}`);
      const maxElements = isQuery ? maxEntityElements : MAX_ELEMENTS + MAX_ELEMENTS_PER_ITEM * items;
      const coerced: InputSize = { elements: 0, members: 0 };
      addSize(variables, coerced, maxElements);
      if (isTooLarge(coerced, maxElements)) return tooMuchInput(coerced, maxElements);
      const rejected = rejectInputOf(fields, maxElements);
      if (rejected || maxElements === MAX_ELEMENTS) return rejected;
      const others = fields.filter(({ entry }) => !entry?.failsByElement);
      return rejectInputOf(others, MAX_ELEMENTS);
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

function rejectInputOf(fields: readonly RootField[], maxElements: number) {
  const parsed: InputSize = { elements: 0, members: 0 };
  for (const { args } of fields) addSize(args, parsed, maxElements);
  return isTooLarge(parsed, maxElements) ? tooMuchInput(parsed, maxElements) : undefined;
}

function tooMuchInput({ elements }: InputSize, maxElements: number): GatewayError {
  return tooComplex(
    elements > maxElements
      ? `Expected at most ${maxElements} list elements and additional parameters, got more`
      : `Expected at most ${maxElements * MAX_MEMBERS_PER_ELEMENT} members of input objects, got more`,
  );
}

function isTooLarge({ elements, members }: InputSize, maxElements: number): boolean {
  return elements > maxElements || members > maxElements * MAX_MEMBERS_PER_ELEMENT;
}

/** Adds the size of a value, until it is too large. */
function addSize(value: unknown, size: InputSize, maxElements: number, levels = MAX_LEVELS): void {
  if (typeof value !== 'object' || value === null || levels === 0) return;
  if (Array.isArray(value)) {
    size.elements += value.length;
    if (isTooLarge(size, maxElements)) return;
    for (const element of value) addSize(element, size, maxElements, levels - 1);
    return;
  }
  for (const name in value) {
    size.members += 1;
    if (isTooLarge(size, maxElements)) return;
    const member = (value as Record<string, unknown>)[name];
    if (name === 'additionalParameters' && isRecord(member)) size.elements += Object.keys(member).length;
    addSize(member, size, maxElements, levels - 1);
  }
}
