import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  // Some audits need introspection.
  gateway = await startGateway({ env: { NODE_ENV: 'development' } });
});
afterAll(() => gateway.stop());

/** CSRF prevention accepts a GET only with a header that makes browsers send a preflight first. */
const fetchWithHeader: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('apollo-require-preflight', 'true');
  return fetch(url, { ...init, headers });
};

const audits = serverAudits({ url: () => gateway.url, fetchFn: fetchWithHeader });

test('graphql-http provides 61 audits', () => {
  expect(audits.length).toBe(61);
});

test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
  'passes the GraphQL over HTTP audit %s: %s',
  async (_id, _name, audit) => {
    expect(await audit.fn()).toMatchObject({ status: 'ok' });
  },
);
