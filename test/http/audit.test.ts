import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  // Some of the audits ask for a type of the schema.
  gateway = await startGateway({ env: { NODE_ENV: 'development' } });
});
afterAll(() => gateway.stop());

/** A GET of a browser has this header only where the gateway allowed it beforehand (CORS). */
const fetchWithHeader: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('apollo-require-preflight', 'true');
  return fetch(url, { ...init, headers });
};

const audits = serverAudits({ url: () => gateway.url, fetchFn: fetchWithHeader });

test('the suite of audits is whole', () => {
  expect(audits.length).toBe(61);
});

test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
  'GraphQL over HTTP: %s %s',
  async (_id, _name, audit) => {
    expect(await audit.fn()).toMatchObject({ status: 'ok' });
  },
);
