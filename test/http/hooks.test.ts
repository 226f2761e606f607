/** What holds for requests on whatever address, and for bugs in hooks. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { expect, test, vi } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';

/** A hook with a bug, for requests that ask for it. */
vi.mock('../../src/http/browserPolicy.js', async (load) => ({
  ...(await load<object>()),
  applyCors(server: FastifyInstance) {
    for (const name of ['onRequest', 'preHandler'] as const)
      server.addHook(
        name as 'onRequest',
        (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
          if (request.headers['x-bug'] === name) throw new TypeError(`A bug in ${name}`);
          done();
        },
      );
  },
}));

const gateway = useGateway({ env: { HOST: 'localhost' } });

test('HOST=localhost is one address, or each of its addresses responds', async () => {
  const { port } = new URL(gateway.url);
  const statuses = await Promise.all(
    ['127.0.0.1', '[::1]'].map((host) =>
      fetch(`http://${host}:${port}/livez`).then(
        ({ status }) => status,
        () => 'refused',
      ),
    ),
  );
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 'refused')).toEqual([]);
});

test.each(['onRequest', 'preHandler'])(
  'an exception in a hook, %s, is logged and reported to the client as any other bug',
  async (name) => {
    gateway.logLines.length = 0;
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-bug': name, 'x-request-id': `bug-${name}` },
      body: '{"query":"{ __typename }"}',
    });
    const requestId = `bug-${name}`;
    expect([response.status, response.headers.get('x-request-id')]).toEqual([500, requestId]);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR', requestId } }],
    });
    expect(gateway.logLines.filter(({ msg }) => msg === 'Unexpected error')).toMatchObject([
      { msg: 'Unexpected error', requestId, err: { message: `A bug in ${name}` } },
    ]);
  },
);
