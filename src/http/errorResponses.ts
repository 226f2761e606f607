/** Responses to requests that are rejected before there is a GraphQL operation (GraphQL over HTTP, section 6.4). */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import type { FastifyError, FastifyReply } from 'fastify';
import { ErrorCode } from '../errors.js';
import { INTERNAL_ERROR_MESSAGE } from '../graphql/publicError.js';
import {
  GRAPHQL_MEDIA_TYPE,
  HttpStatus,
  JSON_MEDIA_TYPE,
  RequestError,
  type ErrorResponse,
} from '../graphql/responses.js';
import type { RejectionReason } from '../telemetry/events.js';
import type { RequestTelemetry } from '../telemetry/requestTelemetry.js';
import { isGraphQLPath } from './request.js';

/** Sends an error, and records its code for the log. */
export function sendError(reply: FastifyReply, response: ErrorResponse): void {
  const { status, code, retryAfterSeconds } = response;
  recordErrorCode(reply.request.telemetry, code);
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  // Elsewhere it is no GraphQL response.
  const mediaType = isGraphQLPath(reply.request) ? GRAPHQL_MEDIA_TYPE : JSON_MEDIA_TYPE;
  void reply.code(status).type(mediaType).send(errorBody(response, reply.request.id));
}

function recordErrorCode(telemetry: RequestTelemetry | undefined, code: string): void {
  if (telemetry) telemetry.operation.errorCodes = [code];
}

/** The response to an error that Fastify or a plugin reports; undefined for a bug in the gateway. */
export function fromFastifyError({ statusCode = 500, message }: FastifyError): ErrorResponse | undefined {
  return statusCode < 500 ? badRequest(statusCode, message) : undefined;
}

/** Rejects a request that the gateway would accept at another time. */
export class RequestRejectedError extends RequestError {
  override readonly name = 'RequestRejectedError';

  constructor(
    readonly reason: RejectionReason,
    response: Omit<ErrorResponse, 'outcome'>,
  ) {
    super({ ...response, outcome: 'NOT_APPLIED' });
  }
}

export function overloadError(reason: RejectionReason): RequestRejectedError {
  return new RequestRejectedError(reason, {
    status: HttpStatus.ServiceUnavailable,
    code: ErrorCode.ServiceUnavailable,
    message: 'The gateway is overloaded',
    retryAfterSeconds: 1,
  });
}

export const internalError: ErrorResponse = {
  status: HttpStatus.InternalServerError,
  code: ErrorCode.InternalServerError,
  message: INTERNAL_ERROR_MESSAGE,
};

export const REQUEST_TIMEOUT_MESSAGE = 'The request did not arrive in time';

export function badRequest(status: number, message: string): ErrorResponse {
  return { status, code: ApolloServerErrorCode.BAD_REQUEST, message };
}

/** Value of the Allow header of the GraphQL endpoint. */
export const ALLOWED_METHODS = 'GET, POST';

export function methodNotAllowed(method: string): ErrorResponse {
  return badRequest(HttpStatus.MethodNotAllowed, `Expected the method GET or POST, got ${method}`);
}

export function errorBody(
  { code, message, outcome, retryAfterSeconds }: ErrorResponse,
  requestId: string,
): string {
  const retryable = retryAfterSeconds !== undefined;
  const extensions = { code, outcome, retryable, retryAfterSeconds, requestId };
  return JSON.stringify({ errors: [{ message, extensions }] });
}
