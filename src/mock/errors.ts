/** Error responses of the mock: every error has `messages`, whether a handler, the validation or the framework threw it. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An element of `messages` in an error response. */
export interface Message {
  /** JSON pointer into the request body. */
  field?: string;
  message: string;
}

/** Thrown by handlers to reject a request. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly statusCode: number,
    readonly messages: Message[],
  ) {
    super(messages.map(({ message }) => message).join(' '));
  }
}

export function errorHandler(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(error.statusCode ?? 500).send({ messages: messagesOf(error) });
}

export function notFoundHandler(request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(404).send({ messages: [{ message: `There is no ${request.method} ${request.url}.` }] });
}

function messagesOf(error: Error & { validation?: unknown }): Message[] {
  if (error instanceof HttpError) return error.messages;
  if (error.validation) return violations(error.validation as ErrorObject[]);
  return [{ message: error.message }];
}

function violations(errors: ErrorObject[]): Message[] {
  return errors.filter(isRootCause).map((error) => ({ field: fieldOf(error), message: messageOf(error) }));
}

/** Drops errors that only repeat another one: errors of single `oneOf` alternatives, and the summary of an `if`. */
function isRootCause({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'if' && !/\/oneOf\/\d/.test(schemaPath);
}

/** Reports a missing or unexpected property at its own path rather than its parent's. */
function fieldOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const property = missingProperty ?? unevaluatedProperty;
  if (property === undefined) return instancePath;
  return `${instancePath}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function messageOf({ keyword, message, schema }: ErrorObject): string {
  if (keyword !== 'oneOf') return message ?? `violates the rule ${keyword}`;
  const alternatives = (schema as { required: string[] }[]).flatMap(({ required }) => required);
  return `must have exactly one of the properties ${alternatives.join(', ')}`;
}
