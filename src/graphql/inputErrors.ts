/** The failures behind errors of graphql-js: every error in the input of an operation, with its path, not only the first that it reports. */
import { coerceInputValue, GraphQLError, Kind, typeFromAST, type GraphQLInputType } from 'graphql';
import { coercionRuleOf, shortenMessage } from '../domain/libraryMessages.js';
import { GatewayError, type InputError } from '../gatewayError.js';
import { fieldUsing, variablesIn, type RootField } from '../fields/selections.js';
import { MAX_INPUT_ERRORS } from '../fields/values.js';
import type { OperationRequest } from './checks.js';

/** Finds the failure behind an error, with everything that is wrong with input that graphql-js could not coerce. */
export function createFailureFinder(request: OperationRequest, hideSuggestions: boolean) {
  const inputErrors = createInputErrors(request, hideSuggestions);
  return (error: GraphQLError): GatewayError => {
    if (isVariableCoercionError(error))
      return new GatewayError('inputInvalid', { violations: inputErrors.forOperation() });
    if (!isArgumentCoercionError(error)) return failureIn(error);
    const violations = inputErrors.forField(String(error.path?.[0]));
    return violations.length > 0 ? new GatewayError('inputInvalid', { violations }) : failureIn(error);
  };
}

/** The failure behind an error of a result; whatever else was thrown is a bug. */
export function failureIn({ originalError: cause }: GraphQLError): GatewayError {
  if (cause instanceof GraphQLError) return failureIn(cause);
  return cause instanceof GatewayError ? cause : new GatewayError('internalError');
}

/**
 * Finds everything wrong with input that graphql-js could not coerce. It reports the type errors of graphql-js and
 * applies the rules for values, which otherwise run when a field is resolved, so that one response lists all errors.
 */
function createInputErrors(
  { operation, variables, fields, context: { settings } }: OperationRequest,
  hideSuggestions: boolean,
) {
  const { schema, definition } = operation;
  const fieldDefinitions = schema.getRootType(definition.operation)?.getFields() ?? {};

  const validate = ({ nodes: [node], entry, args }: RootField) => {
    const coerced: Record<string, unknown> = {};
    const coercionErrors = (fieldDefinitions[node.name.value]?.args ?? []).flatMap(
      ({ name, type, defaultValue }) => {
        const raw = args[name] === undefined ? defaultValue : args[name];
        const { value, errors } = coerce(name, raw, type, hideSuggestions);
        coerced[name] = value;
        return errors;
      },
    );
    const violations = entry?.validate(coerced, settings) ?? [];
    // A missing value is already reported by graphql-js.
    const ruleErrors = violations.filter(({ path }) => valueAt(coerced, path) !== undefined);
    return { hasCoercionErrors: coercionErrors.length > 0, errors: [...coercionErrors, ...ruleErrors] };
  };

  return {
    /** Errors of variables that could not be coerced, which fails the operation (GraphQL specification, section 6.1.2). */
    forOperation(): InputError[] {
      const reportedVariables = new Set<string>();
      const ofArguments = fields.slice(0, MAX_FIELDS).flatMap((field) => {
        const { hasCoercionErrors, errors } = validate(field);
        const names = (field.nodes[0].arguments ?? []).flatMap(variablesIn);
        if (hasCoercionErrors) for (const name of names) reportedVariables.add(name);
        return errors.map((error) => ({ ...error, field: field.key }));
      });
      // Other variables have no argument that reports them, so the path starts with the variable.
      const ofVariables = (definition.variableDefinitions ?? []).flatMap(({ variable, type: typeNode }) => {
        const { value: name } = variable.name;
        const type = typeFromAST(schema, typeNode) as GraphQLInputType | undefined;
        if (reportedVariables.has(name) || type === undefined) return [];
        const { errors } = coerce(`$${name}`, variables[name], type, hideSuggestions);
        return errors.map((error) => ({ ...error, field: fieldUsing(name, fields) }));
      });
      return [...ofArguments, ...ofVariables];
    },

    /** Errors of arguments that could not be coerced, which fails the field with this response key (section 6.4.1). */
    forField: (key: string): InputError[] =>
      fields.filter((field) => field.key === key).flatMap((field) => validate(field).errors),
  };
}

/** Maximum root fields whose arguments are coerced again: graphql-js prints an invalid value in full each time. */
const MAX_FIELDS = 10;

/** graphql-js could not coerce a variable, which fails the whole operation (GraphQL specification, section 6.1.2). */
export function isVariableCoercionError({ nodes }: GraphQLError): boolean {
  return nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION;
}

/** graphql-js could not coerce an argument, which fails its field (section 6.4.1). */
function isArgumentCoercionError({ originalError }: GraphQLError): boolean {
  return originalError instanceof GraphQLError && originalError.nodes !== undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, key) =>
      typeof part === 'object' && part !== null ? (part as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

/** Stops the coercion of a value: enough errors were found. Each costs graphql-js a comparison with all names of an enum. */
class ErrorLimitReached extends Error {}

/**
 * Coerces input like graphql-js, but finds further errors after the first one: one more than a response lists at most. Invalid parts
 * of the value become undefined.
 */
function coerce(name: string, rawValue: unknown, type: GraphQLInputType, hideSuggestions: boolean) {
  const errors: InputError[] = [];
  const onCoercionError = (path: readonly PropertyKey[], _value: unknown, { message }: GraphQLError) => {
    const { rule, member } = coercionRuleOf(message);
    const parts = member === undefined ? path : [...path, member];
    errors.push({ path: [name, ...parts], rule, message: shortenMessage(message) });
    if (errors.length > MAX_INPUT_ERRORS) throw new ErrorLimitReached();
  };
  try {
    const value: unknown = coerceInputValue(rawValue, type, onCoercionError, hideSuggestions);
    return { value, errors };
  } catch (error) {
    if (error instanceof ErrorLimitReached) return { value: undefined, errors };
    throw error;
  }
}
