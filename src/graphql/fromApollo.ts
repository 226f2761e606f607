/** Repairs statuses, codes and messages of Apollo Server's rejections; if an upgrade changes what this relies on, fromApollo.test.ts fails. */
import type { GraphQLRequestContext, HTTPGraphQLResponse } from '@apollo/server';
import {
  getOperationAST,
  GraphQLError,
  Kind,
  OperationTypeNode,
  type ASTNode,
  type FormattedExecutionResult,
  type OperationDefinitionNode,
} from 'graphql';
import { truncate } from '../domain/text.js';
import { maxTokensIn, readApolloMessage } from '../domain/libraryMessages.js';
import { ErrorCode } from '../errors.js';
import type { FailureName } from '../failures.js';
import type { GatewayContext } from '../fields/context.js';
import { responseName } from '../fields/selections.js';
import { shortenKey } from '../fields/writeFailures.js';
import { GatewayError } from '../gatewayError.js';
import { tooComplex } from './documentSize.js';
import type { GraphQLHttpResponse } from './handler.js';
import { extensionsOf, recordOperation } from './operation.js';
import { failureIn, formatError, type FormatErrorsOptions } from './publicErrors.js';

/** Apollo Server's context value: it executes nothing, so this only connects its plugin and the handler of one request. */
export interface ApolloContext {
  readonly context: GatewayContext;
  /** What the plugin has made for the response, if it was called. A separate object, because Apollo Server copies the context value. */
  readonly made: {
    result?: FormattedExecutionResult;
    /** Set if the document was rejected. */
    status?: number | undefined;
  };
}

/**
 * Apollo Sandbox's page has a policy for its scripts, styles and frames in a meta element. A second policy can only add
 * restrictions, so this one has only what a meta element cannot express or the page leaves out.
 */
const pageHeaders: [name: string, value: string][] = [
  [
    'content-security-policy',
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['referrer-policy', 'no-referrer'],
];

/** The response to a request for which the plugin was not called: a page. Throws the failure if Apollo Server rejects the request. */
export function fromApollo({ status = 200, headers, body }: HTTPGraphQLResponse): GraphQLHttpResponse {
  if (body.kind !== 'complete') throw new Error('Expected a complete response, got chunks'); // of incremental delivery
  if (status < 400) return { status, headers: [...headers, ...pageHeaders], body: body.string };
  // Before its plugin runs, for instance while it reads the parameters, Apollo Server finds one error.
  const { errors = [] } = JSON.parse(body.string) as FormattedExecutionResult;
  const [{ message, extensions } = { message: '' }] = errors;
  throw failureOf({ message, code: extensions?.['code'], status });
}

/** The response to a document that cannot be parsed, is invalid, or has no such operation. */
export function rejectDocument(
  request: GraphQLRequestContext<ApolloContext>,
  errors: readonly GraphQLError[],
  { reportInternalError }: FormatErrorsOptions,
): ApolloContext['made'] {
  const { source, document, operation, contextValue, response } = request;
  const { context } = contextValue;
  const named = document && getOperationAST(document, request.request.operationName);
  // Any part of a document that could not be parsed, or has no such operation, may be the intended mutation.
  const isMutation = named
    ? named.operation === OperationTypeNode.MUTATION
    : /\bmutation\b/.test(source ?? '');
  const { ids } = context.client;
  let status: number | undefined; // that of the first error
  const formatted = errors.flatMap((error) => {
    const failure = failureOfDocument(error, response.http.status);
    if (failure.failure === 'internalError') reportInternalError(error.originalError ?? error, ids);
    status ??= failure.meaning.httpStatus;
    return formatError(error, failure, { isMutation, ids }, placeOf(error, named));
  });
  recordOperation(context, operation, formatted);
  return { status, result: { errors: formatted, ...extensionsOf(context) } };
}

/** Finds the root field and argument of an error; neither in fragments, nor for a document that could not be parsed. */
function placeOf(error: GraphQLError, definition: OperationDefinitionNode | null | undefined) {
  const nodes = error.nodes ?? [];
  const holdsError = (each: ASTNode) => nodes.some((node) => contains(each, node));
  const field = definition?.selectionSet.selections.find(holdsError);
  if (field?.kind !== Kind.FIELD) return {};
  const argument = field.arguments?.find(holdsError);
  return {
    field: shortenKey(responseName(field)),
    ...(argument && { inputPath: [truncate(argument.name.value)] }),
  };
}

function contains({ loc: outer }: ASTNode, { loc: inner }: ASTNode): boolean {
  return outer !== undefined && inner !== undefined && outer.start <= inner.start && inner.end <= outer.end;
}

/** Apollo Server gives every parse and validation error its own code, limits included. */
function failureOfDocument(error: GraphQLError, status: number | undefined): GatewayError {
  const limit = failureIn(error);
  if (limit.failure !== 'internalError') return limit;
  if (isRangeError(error.originalError)) return tooComplex('Expected a less deeply nested document');
  const { message, extensions } = error;
  const maxTokens = maxTokensIn(message);
  if (maxTokens !== undefined)
    return tooComplex(`Expected a document of at most ${maxTokens} tokens, got more`);
  return failureOf({ message, code: extensions['code'], status });
}

/** Whether the parser failed with an error of the JavaScript engine; a limit on tokens that is raised very far allows it. */
function isRangeError(cause: Error | undefined): boolean {
  return cause instanceof GraphQLError ? isRangeError(cause.originalError) : cause instanceof RangeError;
}

/** Failures by the statuses of Apollo Server that are more specific than its codes, and by these codes. */
const apolloFailures: ReadonlyMap<unknown, FailureName> = new Map<number | string, FailureName>([
  [405, 'methodNotAllowed'],
  [406, 'notAcceptable'],
  [415, 'mediaTypeUnsupported'],
  [ErrorCode.BadRequest, 'parametersInvalid'],
  [ErrorCode.GraphqlParseFailed, 'syntaxInvalid'],
  [ErrorCode.GraphqlValidationFailed, 'documentInvalid'],
  [ErrorCode.OperationResolutionFailure, 'operationUnresolved'],
  [ErrorCode.PersistedQueryNotSupported, 'persistedQueryNotSupported'],
]);

function failureOf(error: { message: string; code: unknown; status: number | undefined }): GatewayError {
  const { isForged, message } = readApolloMessage(error.message);
  if (isForged) return new GatewayError('requestForged');
  const failure = apolloFailures.get(error.status) ?? apolloFailures.get(error.code);
  return failure
    ? new GatewayError(failure, { message })
    : new GatewayError('internalError', { cause: new Error(error.message) });
}
