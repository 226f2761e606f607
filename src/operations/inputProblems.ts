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
import type { InputProblem } from '../arguments/argumentReader.js';
import { MOST_PROBLEMS } from '../arguments/rules.js';
import type { OperationRequest } from './request.js';
import { plainArguments, responseName, rootFields, withDefaults } from './rootFields.js';

export interface InputProblemsOptions {
  /** Whether messages keep suggestions of the schema's names to themselves. */
  hideSuggestions: boolean;
}

/**
 * What is wrong with the input of an operation that GraphQL could not coerce. GraphQL's own problems are about
 * types; beside them stand the rules for values, which are otherwise judged when a field is resolved, so that one
 * answer names them all.
 */
export function inputProblems(request: OperationRequest, { hideSuggestions }: InputProblemsOptions) {
  const { schema, document, operation, contextValue } = request;
  if (!document || !operation) return { ofOperation: () => [], ofField: () => [] };
  const variables = withDefaults(operation, request.request.variables);
  const fields = rootFields(document, operation, variables);
  const definitions = schema.getRootType(operation.operation)?.getFields() ?? {};

  const judge = (field: FieldNode) => {
    const given = plainArguments(field, variables);
    const coerced: Record<string, unknown> = {};
    const misfits = (definitions[field.name.value]?.args ?? []).flatMap(({ name, type }) => {
      const { value, problems } = coerce(name, given[name], type, hideSuggestions);
      coerced[name] = value;
      return problems;
    });
    const broken = contextValue.arguments
      .problems(field.name.value, coerced)
      // Where there is no value, GraphQL itself has said so.
      .filter(({ path }) => valueAt(coerced, path) !== undefined);
    return { field, misfits, problems: [...misfits, ...broken] };
  };

  return {
    /** Of variables that could not be coerced, which fails the whole operation (GraphQL specification, section 6.1.2). */
    ofOperation: (): InputProblem[] => {
      const judged = fields.map(judge);
      const named = new Set(
        judged.flatMap(({ field, misfits }) =>
          misfits.length > 0 ? (field.arguments ?? []).flatMap(variablesIn) : [],
        ),
      );
      // The variables beside: the arguments that use them are fine, or there are none. The path is the variable's.
      const others = (operation.variableDefinitions ?? []).flatMap(
        ({ variable: { name }, type: typeNode }) => {
          const type = typeFromAST(schema, typeNode) as GraphQLInputType | undefined;
          if (named.has(name.value) || type === undefined) return [];
          return coerce(`$${name.value}`, variables[name.value], type, hideSuggestions).problems;
        },
      );
      return [...judged.flatMap(({ problems }) => problems), ...others];
    },

    /** Of arguments that could not be coerced, which fails their field (section 6.4.1). */
    ofField: (name: string): InputProblem[] =>
      fields.filter((field) => responseName(field) === name).flatMap((field) => judge(field).problems),
  };
}

/** Ends a coercion that goes on where GraphQL's own would stop. */
class TooManyProblems extends Error {}

/** A value as GraphQL coerces it, going on where it would stop: what does not fit is undefined. */
function coerce(name: string, given: unknown, type: GraphQLInputType, hideSuggestions: boolean) {
  const problems: InputProblem[] = [];
  const onMisfit = (path: readonly PropertyKey[], _value: unknown, { message }: GraphQLError) => {
    if (problems.length >= MOST_PROBLEMS) throw new TooManyProblems();
    problems.push({ path: [name, ...path], message });
  };
  try {
    const value: unknown = coerceInputValue(given, type, onMisfit, hideSuggestions);
    return { value, problems };
  } catch (error) {
    if (error instanceof TooManyProblems) return { value: undefined, problems };
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
