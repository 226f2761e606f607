import { GraphQLError, type FieldNode } from 'graphql';
import { needsToken } from '../../fields/argumentParser.js';
import { tokenMissing } from '../../freight/endpoint.js';
import type { OperationRequest } from '../checks.js';
import { responseName } from '../rootFields.js';
import { isArgumentCoercionError, isVariableCoercionError } from './inputErrors.js';

/**
 * Replaces errors of input that graphql-js could not coerce if its field needs a token that the client did not send.
 * Resolvers check the token before the arguments, but such input never reaches them.
 */
export function reportMissingToken(
  errors: readonly GraphQLError[],
  { operation: { rootFields }, variables, context: { client } }: OperationRequest,
): readonly GraphQLError[] {
  if (client.authorization !== undefined) return errors;
  const fields = rootFields(variables).filter(({ name }) => needsToken(name.value));
  if (fields.length > 0 && errors.some(isVariableCoercionError)) return [missingTokenError()];
  const isField = (key: unknown) => fields.some((field: FieldNode) => responseName(field) === key);
  return errors.map((error) =>
    isArgumentCoercionError(error) && isField(error.path?.[0]) ? missingTokenError(error) : error,
  );
}

/** The error that a resolver of the field would have thrown. */
function missingTokenError(at?: GraphQLError): GraphQLError {
  const originalError = tokenMissing();
  return new GraphQLError(originalError.message, {
    nodes: at?.nodes ?? null,
    path: at?.path ?? null,
    originalError,
  });
}
