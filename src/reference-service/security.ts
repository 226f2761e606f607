import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from './httpError.js';

/** Handlers keyed by the contract's security schemes. Any token is accepted. */
export const securityHandlers = {
  bearerToken: (request: FastifyRequest, reply: FastifyReply): void => {
    if (/^Bearer +\S+$/i.test(request.headers.authorization ?? '')) return;
    // A 401 response must name the expected scheme (RFC 9110 §11.6.1).
    void reply.header('www-authenticate', 'Bearer');
    throw new HttpError(401, [{ message: 'A bearer token is required.' }]);
  },
};
