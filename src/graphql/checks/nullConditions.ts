import { GraphQLError, Kind, visit, type DocumentNode } from 'graphql';
import { InputRule } from '../../errors.js';
import { InvalidInputError } from '../../fields/argumentParser.js';
import type { OperationCheck } from './operationCheck.js';
import { fieldUsing } from './rootFields.js';

/**
 * Rejects an operation with a condition (`@skip`, `@include`) that is null. graphql-js would find it only while executing,
 * after the fields above it. The null can come from a variable with a default value (GraphQL specification, section 5.8.5).
 */
export const rejectNullConditions: OperationCheck = ({ conditionVariables, rootFields }, variables) => {
  const name = conditionVariables.find((variable) => variables[variable] === null);
  if (name === undefined) return undefined;
  const field = fieldUsing(name, rootFields(variables));
  const violation = { rule: InputRule.Required, message: 'expected a boolean for a condition, got null' };
  const originalError = new InvalidInputError([{ path: [`$${name}`], field, ...violation }]);
  return new GraphQLError(originalError.message, { originalError });
};

/** The variables that decide conditions of a document, in the order of their first use. */
export function conditionVariablesOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    [Kind.DIRECTIVE]({ arguments: nodes = [] }) {
      for (const { name, value } of nodes)
        if (name.value === 'if' && value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}
