/**
 * Executes operations. graphql-js interprets them. Hot ones are compiled to JavaScript (graphql-jit), which halves the CPU of a long
 * list and saves some 10 µs of every other request (docs/adr/0002-compile-hot-operations.md).
 */
import { performance } from 'node:perf_hooks';
import {
  execute,
  GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
  isValueNode,
  Kind,
  OperationTypeNode,
  parse,
  typeFromAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ASTNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLInputType,
  type VariableNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GatewayContext } from '../fields/context.js';
import type { Variables } from '../fields/selections.js';
import type { PreparedOperation } from './checks.js';
import { someNode } from '../fields/selections.js';

/** Executes an operation (GraphQL specification, section 6). The result has no `data` if nothing was executed. */
export type Execute = (
  context: GatewayContext,
  variables: Variables | undefined,
) => ExecutionResult | Promise<ExecutionResult>;

/** Executions that make an operation hot; compiling pays off only for operations that repeat. */
export const JIT_THRESHOLD = 20;

/** Maximum compiled operations of one endpoint; each takes about 100 kB. */
const MAX_COMPILED_OPERATIONS = 100;

/** Executions since the operation was prepared, or since its compiled code was evicted. */
interface Usage {
  executions: number;
}

/** Creates the executors of the operations of one endpoint. `source` is the text of the operation's document. */
export function createExecutorFactory() {
  const whenIdle = createIdleQueue();
  const compiledOperations = new LRUCache<Usage, Execute>({
    max: MAX_COMPILED_OPERATIONS,
    dispose: (_execute, usage) => {
      usage.executions = 0;
    },
  });

  return (operation: PreparedOperation, source: string) => {
    const usage: Usage = { executions: 0 };
    const interpret = interpreterOf(operation);
    let isDisposed = false;
    const compile = async () => {
      const compiled = isDisposed ? undefined : await compileOperation(operation, source, interpret);
      if (compiled && !isDisposed) compiledOperations.set(usage, compiled);
    };
    return {
      execute: (context: GatewayContext, variables: Variables | undefined) => {
        usage.executions += 1;
        if (usage.executions === JIT_THRESHOLD && isEligible(operation, source)) whenIdle(compile);
        return (compiledOperations.get(usage) ?? interpret)(context, variables);
      },
      /** Drops the compiled code. */
      dispose(): void {
        isDisposed = true;
        compiledOperations.delete(usage);
      },
    };
  };
}

function interpreterOf({ schema, document, definition }: PreparedOperation): Execute {
  const operationName = definition.name?.value;
  // One coercion error suffices: the response lists all of them.
  const options = { maxCoercionErrors: 1 };
  return (contextValue, variableValues) =>
    execute({ schema, document, contextValue, variableValues, operationName, options });
}

/** How often a waiting compilation looks whether the event loop is idle, in milliseconds. */
const IDLE_CHECK_MS = 100;
/** The event loop is idle if it was busy for a smaller share of the time since the last look. */
const IDLE_UTILIZATION = 0.5;
/** A process that is never idle compiles after this many looks all the same: it needs faster code the most. */
const MAX_IDLE_CHECKS = 10;

/**
 * Runs tasks one at a time when the event loop is idle, and never at once: compiling takes up to 10 ms, which would delay the
 * response of the request that made the operation hot, and all others.
 */
function createIdleQueue(): (task: () => Promise<void>) => void {
  const tasks: (() => Promise<void>)[] = [];
  const waitForIdle = (checks = 1): void => {
    const begin = performance.eventLoopUtilization();
    setTimeout(() => {
      const { utilization } = performance.eventLoopUtilization(begin);
      if (utilization < IDLE_UTILIZATION || checks === MAX_IDLE_CHECKS) void runNext();
      else waitForIdle(checks + 1);
    }, IDLE_CHECK_MS).unref();
  };
  const runNext = async (): Promise<void> => {
    await tasks[0]?.().catch(() => undefined); // graphql-js continues to interpret the operation
    tasks.shift();
    if (tasks.length > 0) waitForIdle();
  };
  return (task) => {
    if (tasks.push(task) === 1) waitForIdle();
  };
}

/**
 * Compiles an operation; undefined unless compiled code does exactly what `interpret` does. Calls with invalid variables go to
 * `interpret` as well: the compiler words their errors differently. If the gateway itself holds a value that does not fit the
 * schema, which would be a bug, the data are the same but there may be more errors; a type resolver of an interface must not throw.
 */
export async function compileOperation(
  operation: PreparedOperation,
  source: string,
  interpret: Execute,
): Promise<Execute | undefined> {
  if (!isEligible(operation, source)) return undefined;
  const { compileQuery, isCompiledQuery } = await import('graphql-jit'); // deferred: the compiler is large
  const compiled = compileQuery(...asQuery(operation, source));
  if (!isCompiledQuery(compiled)) return undefined;
  const inputs = variablesOf(operation);
  return (context, variables = {}) => {
    const convert = (result: ExecutionResult) => {
      if (!('data' in result)) return interpret(context, variables); // the compiler rejected a variable
      return result.errors ? { ...result, errors: result.errors.map(addExtensions) } : result;
    };
    if (!inputs.every(({ name, isSafe }) => isSafe(variables[name]))) return interpret(context, variables);
    const result = compiled.query(undefined, context, variables);
    return result instanceof Promise ? result.then(convert) : convert(result);
  };
}

/**
 * The schema, and a separate document, which the compiler annotates. A mutation becomes a query on the mutation type: only the
 * order of several root fields differs (GraphQL specification, section 6.2.2), and the code needs a seventh less CPU.
 */
function asQuery({ schema, definition }: PreparedOperation, source: string): [GraphQLSchema, DocumentNode] {
  const document = parse(source);
  if (definition.operation !== OperationTypeNode.MUTATION) return [schema, document];
  const { mutation: query, ...config } = schema.toConfig();
  const definitions = document.definitions.map((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? { ...each, operation: OperationTypeNode.QUERY } : each,
  );
  return [new GraphQLSchema({ ...config, query }), { ...document, definitions }];
}

/** Longer documents are not compiled: locating each error scans the text from the start. */
const MAX_DOCUMENT_LENGTH = 5000;
/** Maximum fields, counting a fragment at each use: compiling this many takes about 10 ms. */
const MAX_FIELDS = 50;
/** Maximum characters of a name: the code repeats the names on the path to each field. */
const MAX_NAME_LENGTH = 64;

/**
 * Whether compiled code behaves exactly like graphql-js. Excluded are conditions, multiple operations or root fields, introspection
 * and federation fields, long operations, and names found on Object.prototype. Literals are excluded as well: client text must never
 * become generated code.
 */
function isEligible({ document, rootFields, size }: PreparedOperation, source: string): boolean {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return (
    operations.length === 1 &&
    source.length <= MAX_DOCUMENT_LENGTH &&
    size.fields <= MAX_FIELDS &&
    rootFields({}).length === 1 &&
    !someNode(document, isUnsupported)
  );
}

function isUnsupported(node: ASTNode): boolean {
  if (node.kind === Kind.DIRECTIVE) return true;
  if (node.kind === Kind.NAME) return node.value in {} || node.value.length > MAX_NAME_LENGTH;
  if (node.kind === Kind.FIELD) return node.name.value.startsWith('_') && node.name.value !== '__typename';
  return isValueNode(node) && node.kind !== Kind.VARIABLE;
}

function variablesOf({ schema, document, definition: { variableDefinitions = [] } }: PreparedOperation) {
  const requiredNames = new Set<string>();
  const typeInfo = new TypeInfo(schema);
  const addIfRequired = ({ name }: VariableNode) => {
    if (isNonNullType(typeInfo.getInputType())) requiredNames.add(name.value);
  };
  visit(document, visitWithTypeInfo(typeInfo, { Variable: addIfRequired }));
  return variableDefinitions.map(({ variable, type }) => {
    const { value: name } = variable.name;
    const isSafe = safetyCheckOf(typeFromAST(schema, type) as GraphQLInputType);
    // An argument with a default accepts a nullable variable but not null: the compiler words that error differently.
    const isSafeAndPresent = (value: unknown) => value !== null && isSafe(value);
    return { name, isSafe: requiredNames.has(name) ? isSafeAndPresent : isSafe };
  });
}

/**
 * Makes the check whether compiled code coerces a JSON value like graphql-js, or rejects it. It would accept a list in place of an input
 * object, and a number for an ID that JSON has rounded (schema.ts), and it ignores `@oneOf`.
 */
function safetyCheckOf(type: GraphQLInputType): (value: unknown) => boolean {
  if (isNonNullType(type)) return safetyCheckOf(type.ofType);
  if (isListType(type)) {
    const isSafe = safetyCheckOf(type.ofType);
    return (value) => (Array.isArray(value) ? value.every(isSafe) : isSafe(value));
  }
  if (type.name === 'ID') return (value) => typeof value !== 'number';
  if (!isInputObjectType(type)) return () => true;
  const fields = Object.values(type.getFields()).map(({ name, type: fieldType }) => ({
    name,
    isSafe: safetyCheckOf(fieldType),
  }));
  return (value) => {
    if (typeof value !== 'object' || value === null) return true;
    const [first, ...others] = Object.values(value) as unknown[];
    if (Array.isArray(value) || (type.isOneOf && (first == null || others.length > 0))) return false;
    return fields.every(({ name, isSafe }) => isSafe((value as Readonly<Record<string, unknown>>)[name]));
  };
}

/** The compiler omits `extensions` where graphql-js has an empty object. */
function addExtensions(error: GraphQLError): GraphQLError {
  const { extensions = {} } = error as Partial<GraphQLError>;
  return Object.create(error, { extensions: { value: extensions } }) as GraphQLError;
}
