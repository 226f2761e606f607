/** Health checks: liveness of the process, and readiness to receive requests. */
import type { FastifyInstance } from 'fastify';
import { HttpStatus } from '../graphql/responses.js';

const LIVENESS_PATH = '/livez';
const READINESS_PATH = '/readyz';

export function addHealth(server: FastifyInstance, isReady: () => boolean): void {
  server.get(LIVENESS_PATH, () => ({ status: 'ok' }));
  server.get(READINESS_PATH, (_request, reply) => {
    if (isReady()) return { status: 'ok' };
    return reply.code(HttpStatus.ServiceUnavailable).header('retry-after', 1).send({ status: 'draining' });
  });
}

/** Whether a request is a health check: these are too frequent to be logged. */
export function isHealthPath(url: string): boolean {
  const [path] = url.split('?');
  return path === LIVENESS_PATH || path === READINESS_PATH;
}
