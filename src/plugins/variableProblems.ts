import type { GraphQLRequestContextWillSendResponse } from '@apollo/server';
import {
  coerceInputValue,
  Kind,
  visit,
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLError,
} from 'graphql';
import type { InputProblem } from '../arguments/argumentReader.js';
import type { GatewayContext } from '../context.js';
import { plainArguments, rootFields, withDefaults } from './rootFields.js';

export interface VariableProblemsOptions {
  /** Whether messages keep suggestions of the schema's names to themselves. */
  hideSuggestions: boolean;
}

/**
 * Every problem of the arguments of an operation whose variables could not be coerced: GraphQL's own, which are
 * about types, and beside them the rules for values, which are otherwise judged when a field is resolved. So one
 * answer names them all. `covered` are the variables that the arguments use.
 */
export function variableProblems(
  request: GraphQLRequestContextWillSendResponse<GatewayContext>,
  { hideSuggestions }: VariableProblemsOptions,
): { problems: InputProblem[]; covered: Set<string> } {
  const { schema, document, operation, contextValue } = request;
  if (!document || !operation) return { problems: [], covered: new Set() };
  const variables = withDefaults(operation, request.request.variables);
  const fields = rootFields(document, operation, variables);
  const definitions = schema.getRootType(operation.operation)?.getFields() ?? {};

  const problems = fields.flatMap((field) => {
    const name = field.name.value;
    const given = plainArguments(field, variables);
    const { misfits, coerced } = coerceArguments(given, definitions[name]?.args ?? [], hideSuggestions);
    const broken = contextValue.arguments.problems(name, coerced);
    return [
      ...misfits,
      ...broken.filter((problem) => !misfits.some((misfit) => areOfOneValue(problem, misfit))),
    ];
  });
  const covered = new Set(fields.flatMap((field) => (field.arguments ?? []).flatMap(variablesIn)));
  return { problems, covered };
}

/** The arguments as GraphQL coerces them (specification, section 6.4.1), going on where it would stop. */
function coerceArguments(
  given: Readonly<Record<string, unknown>>,
  definitions: readonly GraphQLArgument[],
  hideSuggestions: boolean,
) {
  const misfits: InputProblem[] = [];
  const coerced: Record<string, unknown> = {};
  for (const { name, type } of definitions) {
    const onMisfit = (path: readonly PropertyKey[], _value: unknown, { message }: GraphQLError) => {
      misfits.push({ path: [name, ...path], message });
    };
    coerced[name] = coerceInputValue(given[name], type, onMisfit, hideSuggestions);
  }
  return { misfits, coerced };
}

function variablesIn(argument: ArgumentNode): string[] {
  const names: string[] = [];
  visit(argument, { [Kind.VARIABLE]: ({ name }) => void names.push(name.value) });
  return names;
}

/** Whether one problem is about the value of the other, or about one around or within it. */
function areOfOneValue(one: InputProblem, other: InputProblem): boolean {
  const depth = Math.min(one.path.length, other.path.length);
  return one.path.slice(0, depth).every((part, index) => part === other.path[index]);
}
