/** What an orchestrator asks: whether the process lives, and whether it should be sent requests. */
import type { FastifyInstance } from 'fastify';

const LIVENESS_PATH = '/livez';
const READINESS_PATH = '/readyz';

export function addHealth(server: FastifyInstance, isReady: () => boolean): void {
  server.get(LIVENESS_PATH, () => ({ status: 'ok' }));
  server.get(READINESS_PATH, (_request, reply) => {
    if (isReady()) return { status: 'ok' };
    return reply.code(503).send({ status: 'draining' });
  });
}

/** Whether a request asks after health, which happens too often to be worth a record. */
export function isHealthPath(url: string): boolean {
  const [path] = url.split('?');
  return path === LIVENESS_PATH || path === READINESS_PATH;
}
