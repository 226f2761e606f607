/** Every error in the input of an operation, not only the first that graphql-js reports. */
import { GraphQLError, Kind, typeFromAST, type FieldNode, type GraphQLInputType } from 'graphql';
import type { ArgumentParser, InputError } from '../../fields/argumentParser.js';
import type { PreparedOperation } from '../checks.js';
import { fieldUsing, rawArguments, responseName, variablesIn, type Variables } from '../rootFields.js';
import { coerce, type CoercionOptions } from './coercion.js';

/** Fields are validated one by one, as far as their errors are consumed. */
export interface InputErrors {
  /** Errors of variables that could not be coerced, which fails the operation (GraphQL specification, section 6.1.2). */
  forOperation(): Iterable<InputError>;
  /** Errors of arguments that could not be coerced, which fails the field with this response key (section 6.4.1). */
  forField(key: string): Iterable<InputError>;
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
  options: CoercionOptions,
): InputErrors {
  const fieldDefinitions = schema.getRootType(definition.operation)?.getFields() ?? {};

  const validate = (field: FieldNode) => {
    const rawValue = rawArguments(field, variables);
    const coerced: Record<string, unknown> = {};
    const coercionErrors = (fieldDefinitions[field.name.value]?.args ?? []).flatMap(({ name, type }) => {
      const { value, errors } = coerce(name, rawValue[name], type, options);
      coerced[name] = value;
      return errors;
    });
    const ruleErrors = parser
      .validate(field.name.value, coerced)
      // A missing value is already reported by graphql-js.
      .filter(({ path }) => valueAt(coerced, path) !== undefined);
    return { coercionErrors, ruleErrors };
  };

  return {
    *forOperation() {
      const reportedVariables = new Set<string>();
      for (const field of rootFields(variables)) {
        const { coercionErrors, ruleErrors } = validate(field);
        const key = responseName(field);
        for (const error of [...coercionErrors, ...ruleErrors]) yield { ...error, field: key };
        if (coercionErrors.length === 0) continue;
        for (const name of (field.arguments ?? []).flatMap(variablesIn)) reportedVariables.add(name);
      }
      // Other variables have no argument that reports them, so the path is that of the variable.
      for (const { variable, type: typeNode } of definition.variableDefinitions ?? []) {
        const { value: name } = variable.name;
        const type = typeFromAST(schema, typeNode) as GraphQLInputType | undefined;
        if (reportedVariables.has(name) || type === undefined) continue;
        const field = fieldUsing(name, rootFields(variables));
        for (const error of coerce(`$${name}`, variables[name], type, options).errors)
          yield { ...error, field };
      }
    },

    *forField(key) {
      for (const field of rootFields(variables).filter((each) => responseName(each) === key)) {
        const { coercionErrors, ruleErrors } = validate(field);
        yield* coercionErrors;
        yield* ruleErrors;
      }
    },
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

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, key) =>
      typeof part === 'object' && part !== null ? (part as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}
