import { GraphQLError, Kind, visit, type DirectiveNode } from 'graphql';
import { ErrorCode } from '../errors/errorTable.js';
import type { OperationCheck } from './operationCheck.js';
import { withDefaults } from './rootFields.js';

/**
 * Refuses an operation with a condition (`@skip`, `@include`) that is null, before anything is executed: GraphQL
 * would only find it on its way, after the fields above it. It can come from a variable that has a default value
 * (GraphQL specification, section 5.8.5).
 */
export const rejectNullConditions: OperationCheck = ({ document, operation, request }) => {
  if (!Object.values(request.variables ?? {}).includes(null)) return;
  const variables = withDefaults(operation, request.variables);
  visit(document, {
    [Kind.DIRECTIVE]: (directive) => {
      requireBoolean(directive, variables);
    },
  });
};

function requireBoolean(
  { arguments: nodes = [] }: DirectiveNode,
  variables: Readonly<Record<string, unknown>>,
): void {
  for (const { name, value } of nodes) {
    if (name.value !== 'if' || value.kind !== Kind.VARIABLE || variables[value.name.value] !== null) continue;
    const inputPath = `$${value.name.value}`;
    throw new GraphQLError(`${inputPath}: expected a boolean for a condition, got null`, {
      extensions: { code: ErrorCode.BadUserInput, inputPath, http: { status: 400 } },
    });
  }
}
