/**
 * Executes operations. graphql-js interprets them. Hot ones are compiled to JavaScript (graphql-jit), which halves the CPU of a long
 * list and saves some 10 µs of every other request (docs/adr/0002-compile-hot-operations.md).
 */
import {
  execute,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isValueNode,
  Kind,
  parse,
  typeFromAST,
  visit,
  type ASTNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLInputType,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GatewayContext } from '../fields/context.js';
import type { Variables } from '../fields/selections.js';
import type { PreparedOperation } from './checks.js';

/** Executes an operation (GraphQL specification, section 6). The result has no `data` if nothing was executed. */
export type Execute = (
  context: GatewayContext,
  variables: Variables | undefined,
) => ExecutionResult | Promise<ExecutionResult>;

/** Executions that make an operation hot; compiling pays off only for operations that repeat. */
export const JIT_THRESHOLD = 20;

/** Maximum compiled operations of one endpoint; each takes about 100 kB. */
const MAX_COMPILED_OPERATIONS = 100;

const COMPILE_DELAY_MS = 100;

/** Creates the executors of the operations of one endpoint. `source` is the text of the operation's document. */
export function createExecutorFactory() {
  const compiledOperations = new LRUCache<{ executions: number }, Execute>({
    max: MAX_COMPILED_OPERATIONS,
    dispose: (_execute, usage) => {
      usage.executions = 0;
    },
  });
  let queue = Promise.resolve();
  /** Compiles one operation at a time, and none at once: it takes up to 10 ms, for which the request that made it hot need not wait. */
  const compileLater = (compile: () => Promise<void>) => {
    queue = queue
      .then(() => new Promise((resolve) => void setTimeout(resolve, COMPILE_DELAY_MS).unref()))
      .then(compile)
      .catch(() => undefined); // graphql-js continues to interpret the operation
  };

  return (operation: PreparedOperation, source: string): Execute => {
    const usage = { executions: 0 }; // since now, or since the compiled code was evicted
    const interpret = interpreterOf(operation);
    const compile = async () => {
      const compiled = await compileOperation(operation, source, interpret);
      if (compiled) compiledOperations.set(usage, compiled);
    };
    return (context, variables) => {
      usage.executions += 1;
      if (usage.executions === JIT_THRESHOLD) compileLater(compile);
      return (compiledOperations.get(usage) ?? interpret)(context, variables);
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
  const { schema, definition } = operation;
  const { compileQuery, isCompiledQuery } = await import('graphql-jit'); // deferred: the compiler is large
  const compiled = compileQuery(schema, parse(source)); // its own document, because it annotates it
  if (!isCompiledQuery(compiled)) return undefined;
  const inputs = (definition.variableDefinitions ?? []).map(({ variable, type }) => ({
    name: variable.name.value,
    isSafe: safetyCheckOf(typeFromAST(schema, type) as GraphQLInputType),
  }));
  return (context, variables = {}) => {
    // The compiler may reject a variable, which it words differently.
    const convert = (result: ExecutionResult) => ('data' in result ? result : interpret(context, variables));
    if (!inputs.every(({ name, isSafe }) => isSafe(variables[name]))) return interpret(context, variables);
    const result = compiled.query(undefined, context, variables);
    return result instanceof Promise ? result.then(convert) : convert(result);
  };
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
function isEligible({ document, fixedFields, size }: PreparedOperation, source: string): boolean {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return (
    operations.length === 1 &&
    source.length <= MAX_DOCUMENT_LENGTH &&
    size.fields <= MAX_FIELDS &&
    fixedFields?.length === 1 &&
    !hasUnsupportedNode(document)
  );
}

function hasUnsupportedNode(document: DocumentNode): boolean {
  let isFound = false;
  visit(document, { enter: (node) => void (isFound ||= isUnsupported(node)) });
  return isFound;
}

function isUnsupported(node: ASTNode): boolean {
  if (node.kind === Kind.DIRECTIVE) return true;
  if (node.kind === Kind.NAME) return node.value in {} || node.value.length > MAX_NAME_LENGTH;
  if (node.kind === Kind.FIELD) return node.name.value.startsWith('_') && node.name.value !== '__typename';
  return isValueNode(node) && node.kind !== Kind.VARIABLE;
}

/**
 * Makes the check whether compiled code coerces a JSON value like graphql-js, or rejects it. It would accept a list in place of an input
 * object, and a number for an ID that JSON has rounded (schema.ts), and it ignores `@oneOf`. It words the error differently if a variable is
 * null for an argument that has a default but accepts no null: a boolean, or an enum value.
 */
function safetyCheckOf(type: GraphQLInputType): (value: unknown) => boolean {
  if (isNonNullType(type)) return safetyCheckOf(type.ofType);
  if (isListType(type)) {
    const isSafe = safetyCheckOf(type.ofType);
    return (value) => (Array.isArray(value) ? value.every(isSafe) : isSafe(value));
  }
  if (type.name === 'ID') return (value) => typeof value !== 'number';
  if (type.name === 'Boolean' || isEnumType(type)) return (value) => value !== null;
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
