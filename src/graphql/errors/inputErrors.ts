import {
  coerceInputValue,
  Kind,
  typeFromAST,
  visit,
  type ArgumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLInputType,
} from 'graphql';
import type { InputError } from '../../input/argumentParser.js';
import { MAX_INPUT_ERRORS } from '../../input/valueSchemas.js';
import type { OperationRequest } from '../checks/operationCheck.js';
import { rawArguments, responseName, rootFields, withDefaults } from '../checks/rootFields.js';

export interface InputErrorsOptions {
  /** Whether messages keep suggestions of the schema's names to themselves. */
  hideSuggestions: boolean;
}

/**
 * What is wrong with the input of an operation that GraphQL could not coerce. GraphQL's own problems are about
 * types; beside them stand the rules for values, which are otherwise judged when a field is resolved, so that one
 * answer names them all.
 */
export function inputErrors(request: OperationRequest, { hideSuggestions }: InputErrorsOptions) {
  const { schema, document, operation, contextValue } = request;
  if (!document || !operation) return { forOperation: () => [], forField: () => [] };
  const variables = withDefaults(operation, request.request.variables);
  const fields = rootFields(document, operation, variables);
  const definitions = schema.getRootType(operation.operation)?.getFields() ?? {};

  const validate = (field: FieldNode) => {
    const rawValue = rawArguments(field, variables);
    const coerced: Record<string, unknown> = {};
    const coercionErrors = (definitions[field.name.value]?.args ?? []).flatMap(({ name, type }) => {
      const { value, errors } = coerce(name, rawValue[name], type, hideSuggestions);
      coerced[name] = value;
      return errors;
    });
    const ruleErrors = contextValue.input
      .validate(field.name.value, coerced)
      // Where there is no value, GraphQL itself has said so.
      .filter(({ path }) => valueAt(coerced, path) !== undefined);
    return { field, coercionErrors, errors: [...coercionErrors, ...ruleErrors] };
  };

  return {
    /** Of variables that could not be coerced, which fails the whole operation (GraphQL specification, section 6.1.2). */
    forOperation: (): InputError[] => {
      const validated = fields.map(validate);
      const reportedVariables = new Set(
        validated.flatMap(({ field, coercionErrors }) =>
          coercionErrors.length > 0 ? (field.arguments ?? []).flatMap(variablesIn) : [],
        ),
      );
      // The variables beside: the arguments that use them are fine, or there are none. The path is the variable's.
      const others = (operation.variableDefinitions ?? []).flatMap(
        ({ variable: { name }, type: typeNode }) => {
          const type = typeFromAST(schema, typeNode) as GraphQLInputType | undefined;
          if (reportedVariables.has(name.value) || type === undefined) return [];
          return coerce(`$${name.value}`, variables[name.value], type, hideSuggestions).errors;
        },
      );
      return [...validated.flatMap(({ errors }) => errors), ...others];
    },

    /** Of arguments that could not be coerced, which fails their field (section 6.4.1). */
    forField: (name: string): InputError[] =>
      fields.filter((field) => responseName(field) === name).flatMap((field) => validate(field).errors),
  };
}

/** Ends a coercion that goes on where GraphQL's own would stop. */
class ErrorLimitReached extends Error {}

/** A value as GraphQL coerces it, going on where it would stop: what does not fit is undefined. */
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
