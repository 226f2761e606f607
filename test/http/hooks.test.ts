/** What holds for requests on whatever address, and for bugs in hooks. */
import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';

const BUG = 'A bug in a hook';
const ORIGIN = 'https://a.example';
/** The hook for CORS has a bug, for requests from this origin. */
const throwingOrigin = Object.assign(/^/, {
  test(origin: string) {
    if (origin === ORIGIN) throw new TypeError(BUG);
    return false;
  },
});
const gateway = useGateway({
  env: { HOST: 'localhost' },
  config: { http: { corsOrigins: [throwingOrigin] } },
});

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

test('an exception in a hook is logged and reported to the client as any other bug', async () => {
  const requestId = 'bug-1';
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: ORIGIN, 'x-request-id': requestId },
    body: '{"query":"{ __typename }"}',
  });
  expect([response.status, response.headers.get('x-request-id')]).toEqual([500, requestId]);
  expect(await response.json()).toMatchObject({
    errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR', requestId } }],
  });
  expect(gateway.logLines.filter(({ msg }) => msg === 'Unexpected error')).toMatchObject([
    { msg: 'Unexpected error', requestId, err: { message: BUG } },
  ]);
});
