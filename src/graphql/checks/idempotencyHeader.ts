/** The header `Idempotency-Key`, which stands for the argument `idempotencyKey` of an operation's only mutation field. */
import { GraphQLError, OperationTypeNode } from 'graphql';
import { ErrorCode } from '../../errors.js';
import { parseIdempotencyHeader } from '../../domain/parameters.js';
import { InvalidInputError } from '../../fields/argumentParser.js';
import { idempotencyKeyViolation } from '../../fields/valueSchemas.js';
import type { OperationCheck } from './operationCheck.js';
import { rawArguments, responseName } from './rootFields.js';

/**
 * Rejects a mutation whose header is not a key, or could be the key of several fields. The header is ignored if the argument is
 * set, and on queries: a browser may add one to every POST.
 */
export const checkIdempotencyHeader: OperationCheck = (
  { definition, rootFields },
  variables,
  { idempotencyHeader },
) => {
  if (idempotencyHeader === undefined || definition.operation !== OperationTypeNode.MUTATION)
    return undefined;
  const [field, ...others] = rootFields(variables).filter(({ name }) => name.value !== '__typename');
  if (others.length > 0) return forSeveralFields(others.length + 1);
  if (field === undefined || rawArguments(field, variables)['idempotencyKey'] != null) return undefined;
  if (parseIdempotencyHeader(idempotencyHeader) !== undefined) return undefined;
  const violation = idempotencyKeyViolation(idempotencyHeader);
  const error = { path: ['idempotencyKey'], field: responseName(field), ...violation };
  return new GraphQLError(violation.message, { originalError: new InvalidInputError([error]) });
};

function forSeveralFields(count: number): GraphQLError {
  return new GraphQLError(
    `Expected the header Idempotency-Key with one mutation field, got ${count} fields: use the argument idempotencyKey of each`,
    { extensions: { code: ErrorCode.BadUserInput } },
  );
}
