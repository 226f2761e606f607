/** The statuses that the gateway gives its responses (GraphQL over HTTP, September 2026; RFC 9110 §15). */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import type { FormattedExecutionResult } from 'graphql';

/** Every response without `data` is 4xx or 5xx. */
export const HttpStatus = {
  /** `data` without `errors`; with `errors` for clients that do not name `application/graphql-response+json`. */
  Ok: 200,
  /** `data`, even null, with `errors`. */
  PartialSuccess: 294,
  /** Malformed HTTP, a body that is not JSON, or a document that cannot be parsed. */
  BadRequest: 400,
  /** Not on the safelist, or a possible cross-site request forgery. */
  Forbidden: 403,
  NotFound: 404,
  /** A mutation by GET, or another method; with Allow. */
  MethodNotAllowed: 405,
  /** The client accepts neither media type. */
  NotAcceptable: 406,
  /** The headers or the body did not arrive in time. */
  RequestTimeout: 408,
  UriTooLong: 414,
  UnsupportedMediaType: 415,
  /**
   * Not a well-formed GraphQL request, an invalid document or one over a limit, an operation that cannot be determined,
   * or variables that cannot be coerced.
   */
  UnprocessableContent: 422,
  /** With Retry-After. */
  TooManyRequests: 429,
  HeadersTooLarge: 431,
  InternalServerError: 500,
  /** With Retry-After. */
  ServiceUnavailable: 503,
} as const;

/** Node has reason phrases for all other statuses. */
export const PARTIAL_SUCCESS_REASON = 'Partial Success';

/** The status of an operation that was executed or rejected by a check; `partialSuccessStatus` depends on the client. */
export function statusOfResult(result: FormattedExecutionResult, partialSuccessStatus: number): number {
  if (!('data' in result)) return HttpStatus.UnprocessableContent;
  return result.errors ? partialSuccessStatus : HttpStatus.Ok;
}

/** Statuses of Apollo Server that are more specific than the codes of its errors. */
const specificStatuses: readonly number[] = [
  HttpStatus.MethodNotAllowed,
  HttpStatus.NotAcceptable,
  HttpStatus.UnsupportedMediaType,
];

/** The status of a request that Apollo Server rejects: it uses 400 for most errors, and 200 for unknown hashes. */
export function statusOfRejection(apolloStatus = 500, codes: readonly unknown[] = []): number {
  if (apolloStatus >= 500 || specificStatuses.includes(apolloStatus)) return apolloStatus;
  return codes.includes(ApolloServerErrorCode.GRAPHQL_PARSE_FAILED)
    ? HttpStatus.BadRequest
    : HttpStatus.UnprocessableContent;
}
