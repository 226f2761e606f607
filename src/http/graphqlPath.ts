import type { FastifyRequest } from 'fastify';

export const GRAPHQL_PATH = '/graphql';

/** Whether a request is for the GraphQL endpoint, whatever its method; the target may be in absolute form (RFC 9112 §3.2.2). */
export function isGraphQLPath(request: FastifyRequest): boolean {
  const { url } = request;
  // The usual target first: Fastify computes the route options on every access.
  return (
    url === GRAPHQL_PATH || request.routeOptions.url === GRAPHQL_PATH || url.split('?')[0] === GRAPHQL_PATH
  );
}
