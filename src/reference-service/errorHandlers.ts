import type { ErrorObject } from 'ajv/dist/2020.js';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Message, HttpError } from './httpError.js';
import { violations } from './validation.js';

/** Sends every error as `messages`, whether a handler or the framework threw it. */
export function errorHandler(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(error.statusCode ?? 500).send({ messages: messagesOf(error) });
}

export function notFoundHandler(request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(404).send({ messages: [{ message: `There is no ${request.method} ${request.url}.` }] });
}

function messagesOf(error: Error & { validation?: unknown; errors?: unknown }): Message[] {
  if (error instanceof HttpError) return error.messages;
  if (error.validation) return violations(error.validation as ErrorObject[]);
  // A failed authentication carries one error per security scheme.
  if (Array.isArray(error.errors)) return (error.errors as Error[]).flatMap(messagesOf);
  return [{ message: error.message }];
}
