import { GraphQLError, Kind, visit } from 'graphql';
import { ErrorCode } from '../../errorCodes.js';
import type { OperationCheck } from './operationCheck.js';

/**
 * Rejects an operation with a condition (`@skip`, `@include`) that is null. GraphQL would detect it only during
 * execution, after the fields above it. The null can come from a variable with a default value (GraphQL specification, section
 * 5.8.5).
 */
export const rejectNullConditions: OperationCheck = ({ document }, variables) => {
  if (!Object.values(variables).includes(null)) return undefined;
  let rejection: GraphQLError | undefined;
  visit(document, {
    [Kind.DIRECTIVE]({ arguments: nodes = [] }) {
      for (const { name, value } of nodes) {
        if (name.value !== 'if' || value.kind !== Kind.VARIABLE || variables[value.name.value] !== null)
          continue;
        rejection ??= nullCondition(`$${value.name.value}`);
      }
    },
  });
  return rejection;
};

function nullCondition(inputPath: string): GraphQLError {
  return new GraphQLError(`${inputPath}: expected a boolean for a condition, got null`, {
    extensions: { code: ErrorCode.BadUserInput, inputPath },
  });
}
