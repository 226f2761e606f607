/** Execution by code that is made for one operation. */
import {
  GraphQLSchema,
  OperationTypeNode,
  parse,
  typeFromAST,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Execute } from './operationCache.js';
import { createCoercionCheck } from './coercionCheck.js';
import { jitEligibleOperation } from './jitEligibility.js';

/** Characters of a document at the most: the place of each error is sought from its beginning. */
const MAX_DOCUMENT_LENGTH = 5000;

/**
 * The operation of a valid document as compiled code; undefined where that would not do exactly what `interpret` does.
 * `interpret` executes it, too, when a variable is missing, null or of a value that its InputLook does not find plain: the
 * compiler has messages of its own for what does not fit, and does not know `@oneOf` (GraphQL specification, section 3.10).
 * Should it refuse a plain value, the result has no data, as nothing was executed. Where the gateway has a value that does
 * not fit the schema, which is a defect, data are the same, and errors may be more; what says the type of an interface must
 * not throw.
 */
export function compileOperation(
  schema: GraphQLSchema,
  text: string,
  interpret: Execute,
): Execute | undefined {
  if (text.length > MAX_DOCUMENT_LENGTH) return undefined;
  const document = parse(text); // of its own, as the compiler leaves marks in it
  const operation = jitEligibleOperation(document);
  if (operation === undefined) return undefined;
  const compiled =
    operation.operation === OperationTypeNode.MUTATION
      ? compileMutation(schema, document, operation)
      : compileQuery(schema, document);
  if (!isCompiledQuery(compiled)) return undefined;
  const { variableDefinitions = [] } = operation;
  const inputs = variableDefinitions.map(({ variable, type }) => ({
    name: variable.name.value,
    needsNoCoercion: createCoercionCheck(typeFromAST(schema, type) as GraphQLInputType),
  }));
  return async (contextValue, variables = {}) => {
    if (
      !inputs.every(
        ({ name, needsNoCoercion }) => variables[name] != null && needsNoCoercion(variables[name]),
      )
    )
      return interpret(contextValue, variables);
    const result = await compiled.query(undefined, contextValue, variables);
    return result.errors ? { ...result, errors: result.errors.map(addExtensions) } : result;
  };
}

/**
 * As a query whose root type is that of mutations: they differ in the order of several root fields alone (GraphQL
 * specification, section 6.2.2), and this one has one. What the compiler adds for the order takes a seventh of the
 * processor's time of the request, and has V8 keep the request until it collects its whole heap.
 */
function compileMutation(schema: GraphQLSchema, document: DocumentNode, mutation: OperationDefinitionNode) {
  const { mutation: query, ...config } = schema.toConfig();
  return compileQuery(new GraphQLSchema({ ...config, query }), {
    ...document,
    definitions: document.definitions.map((definition) =>
      definition === mutation ? { ...mutation, operation: OperationTypeNode.QUERY } : definition,
    ),
  });
}

/** The compiler leaves out the extensions of an error where graphql-js has none in an empty object. */
function addExtensions(error: GraphQLError): GraphQLError {
  const { extensions = {} } = error as Partial<GraphQLError>;
  return Object.create(error, { extensions: { value: extensions } }) as GraphQLError;
}
