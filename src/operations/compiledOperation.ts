/** Execution by code that is made for one operation. */
import {
  BREAK,
  getVariableValues,
  type GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  visit,
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Execute } from './knownDocuments.js';
import { responseName } from './rootFields.js';

/**
 * The operation of a valid document as compiled code; undefined where that would not do exactly what `interpret` does.
 * That also executes it when variables are missing or null, as the compiler has messages of its own for them. Variables
 * are coerced by graphql-js: the compiler knows no `@oneOf` (GraphQL specification, section 3.10).
 */
export function compileOperation(
  schema: GraphQLSchema,
  text: string,
  interpret: Execute,
): Execute | undefined {
  const document = parse(text); // of its own, as the compiler leaves marks in it
  const operation = plainOperation(document);
  if (operation === undefined) return undefined;
  const compiled = compileQuery(schema, document);
  if (!isCompiledQuery(compiled)) return undefined;
  const { variableDefinitions = [] } = operation;
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  return async (contextValue, variables = {}) => {
    const { coerced } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 });
    if (coerced === undefined || names.some((name) => coerced[name] == null))
      return interpret(contextValue, variables);
    const { errors, ...result } = await compiled.query(undefined, contextValue, coerced);
    return errors ? { ...result, errors: errors.map(withExtensions) } : result;
  };
}

/**
 * The operation of a document that has nothing which the compiler is known to treat in another way: conditions, more
 * than one operation or more than one write, questions about the schema, and names that JavaScript takes for its own.
 */
function plainOperation(document: DocumentNode): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const [operation] = operations;
  if (operation === undefined || operations.length > 1) return undefined;
  const isMutation = operation.operation === OperationTypeNode.MUTATION;
  if (isMutation && operation.selectionSet.selections.length > 1) return undefined;
  const findings: ASTNode[] = [];
  const found = (node: ASTNode) => {
    findings.push(node);
    return BREAK;
  };
  visit(document, {
    [Kind.DIRECTIVE]: found,
    [Kind.FIELD]: (field) => {
      const { value: name } = field.name;
      const isAboutSchema = name.startsWith('__') && name !== '__typename';
      return isAboutSchema || responseName(field) === '__proto__' ? found(field) : undefined;
    },
  });
  return findings.length === 0 ? operation : undefined;
}

/** The compiler leaves out the extensions of an error where graphql-js has none in an empty object. */
function withExtensions(error: GraphQLError): GraphQLError {
  const { extensions = {} } = error as Partial<GraphQLError>;
  return Object.create(error, { extensions: { value: extensions } }) as GraphQLError;
}
