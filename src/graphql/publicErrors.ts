/**
 * Failures as errors of a GraphQL response, of which there is a limit; and the failures behind errors of graphql-js, with every error in the
 * input of an operation, not only the first that it reports.
 */
import {
  coerceInputValue,
  GraphQLError,
  Kind,
  typeFromAST,
  type GraphQLFormattedError,
  type GraphQLInputType,
} from 'graphql';
import { coercionRuleOf, shortenMessage } from '../domain/libraryMessages.js';
import type { WriteOutcome } from '../errors.js';
import type { GatewayContext } from '../fields/context.js';
import { GatewayError, type InputError } from '../gatewayError.js';
import { fieldUsing, variablesIn, type RootField } from '../fields/selections.js';
import { MAX_INPUT_ERRORS } from '../fields/values.js';
import { publicFailures, shortenKey } from '../fields/writeFailures.js';
import type { RequestIds } from '../telemetry/requestSummary.js';
import type { OperationRequest } from './checks.js';

/** Maximum errors of a response, not counting errors of items and the one that reports omissions. Routers have a higher limit. */
export const MAX_ERRORS = 100;

export interface FormatErrorsOptions {
  /** Production hides the schema: messages have no "Did you mean" suggestions and, without the explorer, there is no introspection. */
  isProduction: boolean;
  /** Receives every error that is a bug in the gateway. */
  reportInternalError: (error: unknown, ids: RequestIds) => void;
  /** @default 100, for all clients except routers */
  maxErrors?: number | undefined;
}

/**
 * Formats the errors of an operation: the reason for its rejection, or the failures of its fields, in their order. Beyond the maximum, one
 * more says how many were left out. Always includes the first error of each root field, because it tells whether a mutation took
 * effect, and the first error of each failed item, once even if several aliases select the item.
 */
export function formatOperationErrors(
  errors: readonly GraphQLError[],
  request: OperationRequest,
  { reportInternalError, maxErrors = MAX_ERRORS, isProduction }: FormatErrorsOptions,
): GraphQLFormattedError[] {
  const { operation, context } = request;
  const { ids } = context.client;
  const format = (failure: GatewayError, at?: GraphQLError) =>
    formatError(at, failure, { isMutation: operation.isMutation, ids });
  const failureOf = createFailureFinder(request, isProduction);
  /** Whether an item failed: its elements are null. */
  const isItemFailure = (error: GraphQLError) =>
    isOfItem(error, context.lists) && failureIn(error).outcome !== 'APPLIED';
  const invalidVariable = errors.find(isVariableCoercionError);
  const all = invalidVariable ? [invalidVariable] : errors;

  const listed: GraphQLFormattedError[] = [];
  const failedItems = new Set<string>();
  const firsts = new Set(all.filter((error) => !isItemFailure(error)).map(({ path }) => path?.[0]));
  let room = maxErrors;
  let omitted = 0;
  const omittedOutcomes = new Set<WriteOutcome>();
  for (const error of all) {
    const { path: [rootKey, , index] = [] } = error;
    const isOfFailedItem = isItemFailure(error);
    if (isOfFailedItem && failedItems.has(`${index} ${rootKey}`)) continue;
    const failure = failureOf(error);
    if (failure.failure === 'internalError') reportInternalError(error.originalError ?? error, ids);
    if (isOfFailedItem) {
      failedItems.add(`${index} ${rootKey}`);
      listed.push(...format(failure, error).slice(0, 1));
      continue;
    }
    const isFirst = firsts.delete(rootKey);
    const places = Math.max(Number(isFirst), room - firsts.size);
    const formatted = places > 0 ? format(failure, invalidVariable ? undefined : error) : [];
    const fitting = formatted.slice(0, places);
    room -= fitting.length;
    listed.push(...fitting);
    const left = Math.max(1, formatted.length, failure.violations.length) - fitting.length;
    if (left > 0) omittedOutcomes.add(failure.outcome);
    omitted += left;
  }
  if (omitted === 0) return listed;
  const [outcome, ...differing] = omittedOutcomes;
  const omission = new GatewayError('errorsOmitted', {
    message: `Expected at most ${maxErrors} errors, got ${omitted} more`,
    outcome: differing.length > 0 ? 'UNKNOWN' : outcome,
  });
  return [...listed, ...format(omission)];
}

/** Whether an error is the failure of an item of a bulk field, or stands within the item's payload. */
export function isOfItem(
  { path: [rootKey, , index] = [] }: { path?: GraphQLFormattedError['path'] | undefined },
  lists: GatewayContext['lists'],
): boolean {
  return rootKey !== undefined && index !== undefined && (lists?.has(rootKey) ?? false);
}

/** A field can be selected, and a name repeated, in as many places as a document has room for. */
const MAX_LOCATIONS = 10;

/**
 * The errors of a GraphQL response for one failure: one for each violation, or for each argument that the service objects to. `place` has the
 * root field and the argument in which validation rejects a document. Forms send variables: only these have paths.
 */
export function formatError(
  at: Pick<GraphQLError, 'locations' | 'path'> | undefined,
  failure: GatewayError,
  { ids: { requestId }, isMutation }: { ids: RequestIds; isMutation: boolean },
  place?: { field?: string | number; inputPath?: string[] },
): GraphQLFormattedError[] {
  const { locations, path } = at ?? {};
  return publicFailures(failure, isMutation).map(({ message, ...extensions }) => ({
    message,
    ...(locations && { locations: locations.slice(0, MAX_LOCATIONS) }),
    ...(path && { path: path.map(shortenKey) }),
    extensions: { ...extensions, ...place, requestId },
  }));
}

/**
 * Finds the failure behind an error, with everything that is wrong with input that graphql-js could not coerce: its type errors, and violations
 * of the rules for values, which otherwise run when a field is resolved. So one response lists all errors.
 */
function createFailureFinder(
  { operation, variables, fields, context: { settings } }: OperationRequest,
  hideSuggestions: boolean,
): (error: GraphQLError) => GatewayError {
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
  /** Errors of variables that could not be coerced, which fails the operation (GraphQL specification, section 6.1.2). */
  const validateOperation = (): InputError[] => {
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
  };

  return (error) => {
    if (isVariableCoercionError(error))
      return new GatewayError('inputInvalid', { violations: validateOperation() });
    if (!isArgumentCoercionError(error)) return failureIn(error);
    const failed = fields.filter(({ key }) => key === error.path?.[0]);
    const violations = failed.flatMap((field) => validate(field).errors);
    return violations.length > 0 ? new GatewayError('inputInvalid', { violations }) : failureIn(error);
  };
}

/** The failure behind an error of a result; whatever else was thrown is a bug. */
export function failureIn({ originalError: cause }: GraphQLError): GatewayError {
  if (cause instanceof GraphQLError) return failureIn(cause);
  return cause instanceof GatewayError ? cause : new GatewayError('internalError');
}

/** Maximum root fields whose arguments are coerced again: graphql-js prints an invalid value in full each time. */
const MAX_FIELDS = 10;

/** graphql-js could not coerce a variable, which fails the whole operation (GraphQL specification, section 6.1.2). */
function isVariableCoercionError({ nodes }: GraphQLError): boolean {
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
const limitReached = new Error('Expected fewer errors');

/** Coerces like graphql-js, but continues after an error: up to one more than a response lists. Invalid parts become undefined. */
function coerce(name: string, rawValue: unknown, type: GraphQLInputType, hideSuggestions: boolean) {
  const errors: InputError[] = [];
  const onCoercionError = (path: readonly PropertyKey[], _value: unknown, { message }: GraphQLError) => {
    const { rule, member } = coercionRuleOf(message);
    const parts = member === undefined ? path : [...path, member];
    errors.push({ path: [name, ...parts], rule, message: shortenMessage(message) });
    if (errors.length > MAX_INPUT_ERRORS) throw limitReached;
  };
  try {
    const value: unknown = coerceInputValue(rawValue, type, onCoercionError, hideSuggestions);
    return { value, errors };
  } catch (error) {
    if (error !== limitReached) throw error;
    return { value: undefined, errors };
  }
}
