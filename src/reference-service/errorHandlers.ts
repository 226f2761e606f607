import type { ErrorObject } from 'ajv/dist/2020.js';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Message, HttpError } from './httpError.js';
import { violations } from './validation.js';

/** Every error, wherever it comes from, is answered with its `messages`. */
export function errorHandler(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(error.statusCode ?? 500).send({ messages: messagesOf(error) });
}

export function notFoundHandler(request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(404).send({ messages: [{ message: `There is no ${request.method} ${request.url}.` }] });
}

function messagesOf(error: Error & { validation?: unknown; errors?: unknown }): Message[] {
  if (error instanceof HttpError) return error.messages;
  if (error.validation) return violations(error.validation as ErrorObject[]);
  // The error of a failed authentication holds those of each scheme that was tried.
  if (Array.isArray(error.errors)) return (error.errors as Error[]).flatMap(messagesOf);
  return [{ message: error.message }];
}
