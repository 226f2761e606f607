import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
const gateway = useGateway({ env: { NODE_ENV: 'development' } });

/** CSRF prevention accepts a GET only with a header that makes browsers send a preflight first. */
const fetchWithHeader: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('apollo-require-preflight', 'true');
  return fetch(url, { ...init, headers });
};

/**
 * The audits test an older draft of GraphQL over HTTP. These optional ones ask for a status that the release of September
 * 2026 replaced; the others pass.
 */
const supersededAudits = new Map<string, string>();
const supersede = (reason: string, ...ids: string[]) => {
  for (const id of ids) supersededAudits.set(id, reason);
};
supersede('400 for a request that is not well-formed; now 422', '423L', '3E3A');
for (const parameter of ['LKJ', '6C0', '476', '58B'])
  supersede(
    '400 for a parameter of the wrong type; now 422',
    ...[0, 1, 2, 3].map((index) => `${parameter}${index}`),
  );
supersede('200 for a document that cannot be parsed; now 400 for every client', '572B');
supersede('200 for an invalid document; now 4xx for every client', 'FDE2');
supersede('200 for variables that cannot be coerced; now 422 for every client', '7B9B');
supersede('400 for variables that cannot be coerced; now 422', '86EE');

const audits = serverAudits({ url: () => gateway.url, fetchFn: fetchWithHeader });

test('graphql-http provides 61 audits, and none of those that are superseded is a requirement', () => {
  expect(audits.length).toBe(61);
  const superseded = audits.filter(({ id }) => supersededAudits.has(id));
  expect(superseded.length).toBe(supersededAudits.size);
  expect(superseded.filter(({ name }) => name.startsWith('MUST'))).toEqual([]);
});

test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
  'passes the GraphQL over HTTP audit %s, unless it is superseded: %s',
  async (id, name, audit) => {
    const optionalFailure = name.startsWith('SHOULD') ? 'warn' : 'notice';
    expect(await audit.fn()).toMatchObject({ status: supersededAudits.has(id) ? optionalFailure : 'ok' });
  },
);
