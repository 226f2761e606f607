import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from './httpError.js';

/** Named by the contract's security schemes. Any token will do: how they are issued is not documented. */
export const securityHandlers = {
  bearerToken: (request: FastifyRequest, reply: FastifyReply): void => {
    if (/^Bearer +\S+$/i.test(request.headers.authorization ?? '')) return;
    // RFC 9110, section 11.6.1: a 401 names the scheme that is wanted.
    void reply.header('www-authenticate', 'Bearer');
    throw new HttpError(401, [{ message: 'A bearer token is required.' }]);
  },
};
