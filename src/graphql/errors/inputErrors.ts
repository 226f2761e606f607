/** Every error in the input of an operation, not only the first that graphql-js reports. */
import {
  coerceInputValue,
  GraphQLError,
  Kind,
  typeFromAST,
  visit,
  type ArgumentNode,
  type FieldNode,
  type GraphQLInputType,
} from 'graphql';
import type { ArgumentParser, InputError } from '../../input/argumentParser.js';
import { MAX_INPUT_ERRORS } from '../../input/valueSchemas.js';
import type { PreparedOperation } from '../checks/operationCheck.js';
import { rawArguments, responseName, type Variables } from '../checks/rootFields.js';

export interface InputErrorsOptions {
  /** Whether messages omit "Did you mean" suggestions, which name parts of the schema. */
  hideSuggestions: boolean;
}

export interface InputErrors {
  /** Errors of variables that could not be coerced, which fails the operation (GraphQL specification, section 6.1.2). */
  forOperation(): InputError[];
  /** Errors of arguments that could not be coerced, which fails the field with this response key (section 6.4.1). */
  forField(key: string): InputError[];
}

/**
 * Finds everything wrong with input that graphql-js could not coerce. It reports the type errors of graphql-js and
 * applies the rules for values, which otherwise run when a field is resolved, so that one response lists all errors.
 */
export function createInputErrors(
  {
    operation: { schema, definition, rootFields },
    variables,
    parser,
  }: { operation: PreparedOperation; variables: Variables; parser: ArgumentParser },
  { hideSuggestions }: InputErrorsOptions,
): InputErrors {
  const fieldDefinitions = schema.getRootType(definition.operation)?.getFields() ?? {};

  const validate = (field: FieldNode) => {
    const rawValue = rawArguments(field, variables);
    const coerced: Record<string, unknown> = {};
    const coercionErrors = (fieldDefinitions[field.name.value]?.args ?? []).flatMap(({ name, type }) => {
      const { value, errors } = coerce(name, rawValue[name], type, hideSuggestions);
      coerced[name] = value;
      return errors;
    });
    const ruleErrors = parser
      .validate(field.name.value, coerced)
      // A missing value is already reported by graphql-js.
      .filter(({ path }) => valueAt(coerced, path) !== undefined);
    return { field, coercionErrors, errors: [...coercionErrors, ...ruleErrors] };
  };

  return {
    forOperation() {
      const validated: ReturnType<typeof validate>[] = [];
      let errorCount = 0;
      for (const field of rootFields(variables)) {
        const result = validate(field);
        validated.push(result);
        errorCount += result.errors.length;
        if (errorCount >= MAX_INPUT_ERRORS) return validated.flatMap(({ errors }) => errors); // further ones would be cut off
      }
      const reportedVariables = new Set(
        validated.flatMap(({ field, coercionErrors }) =>
          coercionErrors.length > 0 ? (field.arguments ?? []).flatMap(variablesIn) : [],
        ),
      );
      // Other variables have no argument that reports them, so the path is that of the variable.
      const others = (definition.variableDefinitions ?? []).flatMap(
        ({ variable: { name }, type: typeNode }) => {
          const type = typeFromAST(schema, typeNode) as GraphQLInputType | undefined;
          if (reportedVariables.has(name.value) || type === undefined) return [];
          return coerce(`$${name.value}`, variables[name.value], type, hideSuggestions).errors;
        },
      );
      return [...validated.flatMap(({ errors }) => errors), ...others];
    },

    forField: (key) =>
      rootFields(variables)
        .filter((field) => responseName(field) === key)
        .flatMap((field) => validate(field).errors),
  };
}

/** graphql-js could not coerce a variable, which fails the whole operation (GraphQL specification, section 6.1.2). */
export function isVariableCoercionError({ nodes, extensions }: GraphQLError): boolean {
  return extensions['code'] === undefined && nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION;
}

/** graphql-js could not coerce an argument, which fails its field (section 6.4.1). It gives these errors no code. */
export function isArgumentCoercionError({ extensions, originalError }: GraphQLError): boolean {
  return (
    extensions['code'] === undefined &&
    originalError instanceof GraphQLError &&
    originalError.nodes !== undefined
  );
}

/** Stops the coercion of a value: enough errors were found. */
class ErrorLimitReached extends Error {}

/** Coerces like graphql-js but continues after an error: a value that does not fit becomes undefined. */
function coerce(name: string, rawValue: unknown, type: GraphQLInputType, hideSuggestions: boolean) {
  const errors: InputError[] = [];
  const onCoercionError = (path: readonly PropertyKey[], _value: unknown, { message }: GraphQLError) => {
    if (errors.length >= MAX_INPUT_ERRORS) throw new ErrorLimitReached();
    errors.push({ path: [name, ...path], message });
  };
  try {
    const value: unknown = coerceInputValue(rawValue, type, onCoercionError, hideSuggestions);
    return { value, errors };
  } catch (error) {
    if (error instanceof ErrorLimitReached) return { value: undefined, errors };
    throw error;
  }
}

function variablesIn(argument: ArgumentNode): string[] {
  const names: string[] = [];
  visit(argument, { [Kind.VARIABLE]: ({ name }) => void names.push(name.value) });
  return names;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, key) =>
      typeof part === 'object' && part !== null ? (part as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}
