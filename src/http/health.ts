/** What an orchestrator asks: whether the process lives, and whether it should be sent requests. */
import type { FastifyInstance } from 'fastify';

export function addHealth(server: FastifyInstance, isReady: () => boolean): void {
  server.get('/livez', () => ({ status: 'ok' }));
  server.get('/readyz', (_request, reply) => {
    if (isReady()) return { status: 'ok' };
    return reply.code(503).send({ status: 'draining' });
  });
}
