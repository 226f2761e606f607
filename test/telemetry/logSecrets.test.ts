/** What callers and the configuration entrust to the gateway is in no line of its log, whatever the level. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Interference } from '../../src/reference-service/referenceService.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { fieldNames, validArguments, asLiterals, asVariables } from '../support/graphql/rootFields.js';

type PlainRequest = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

const TOKEN = 'canary-token';
const EMAIL = 'canary.person@example.com';
const PHONE = '+13035550177';
const FIXED = 'canary-fixed';
const canary = /canary|3035550177|303\D*555\D*0177|e124b63a|e0000000|REF-1001|XID-2001/i;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: {
      SERVICE_RETRIES: '1',
      SERVICE_TIMEOUT_MS: '500',
      SERVICE_CIRCUIT_OPEN_MS: '1',
      SHIPMENT_PARAMETERS: JSON.stringify({ apiKey: FIXED }),
      EXPOSE_REST_CALLS: 'true',
    },
  });
});
afterAll(() => gateway.stop());

/** Sound arguments of every field, with a canary for each person that they name. */
const operations = fieldNames.flatMap((field) => {
  const sound = JSON.stringify(validArguments(field))
    .replaceAll('dock@example.com', EMAIL)
    .replaceAll('"smsList":[]', JSON.stringify({ smsList: [PHONE] }).slice(1, -1))
    .replaceAll('+13035550110', PHONE)
    .replaceAll('Dock team', 'Canary team');
  const args = JSON.parse(sound) as Record<string, unknown>;
  return [asVariables(field, args), asLiterals(field, args)];
});

const echo = JSON.stringify({ messages: [TOKEN, EMAIL, PHONE, FIXED], data: EMAIL, [PHONE]: EMAIL });
const interferences: Record<string, Interference | undefined> = {
  'when all goes well': undefined,
  'when the service refuses': { status: 400, body: echo },
  'when the service fails': { status: 500, body: echo },
  'when the service breaks the contract': { body: echo },
  'when the service sends no JSON': { body: `<p>${echo}`, headers: { 'content-type': `text/${FIXED}` } },
  'when the service hangs up': { disconnect: 'midBody', body: echo },
  'when the service does not answer': { neverRespond: true },
};

/** The lines with a canary, of those that were written since. */
async function linesWithCanary(task: () => Promise<unknown>): Promise<string[]> {
  gateway.logLines.length = 0;
  await task();
  expect(gateway.logLines.length).toBeGreaterThan(0);
  return gateway.logLines.map((line) => JSON.stringify(line)).filter((line) => canary.test(line));
}

describe('no line has a token, a fixed parameter or a person', () => {
  test.each(Object.keys(interferences))('%s', async (when) => {
    gateway.takeCalls();
    gateway.injectFault(interferences[when]);
    const headers = { 'x-gateway-trace': '1' };
    const found = await linesWithCanary(() =>
      Promise.all(
        operations.map(({ query, variables = {} }) =>
          gateway.execute(query, { variables, token: TOKEN, headers }),
        ),
      ),
    );
    gateway.injectFault(undefined);
    expect(found).toEqual([]);
    expect(gateway.logLines.map(({ msg }) => msg)).toContain('REST call');
    const sent = JSON.stringify(gateway.takeCalls());
    for (const each of [TOKEN, EMAIL, PHONE, FIXED]) expect(sent).toContain(each);
  });

  test.each([
    ['that breaks rules', '{ notification(notificationGuid: "canary/..") { notificationGuid } }'],
    ['that does not fit the schema', `{ canary(email: "${EMAIL}") }`],
    ['that is no GraphQL', `{ notification(notificationGuid: "${EMAIL}`],
    ['with variables that do not fit', 'query ($canary: Int!) { notifications { messages } }'],
  ])('for an operation %s', async (_what, query) => {
    const variables = { canary: EMAIL };
    expect(await linesWithCanary(() => gateway.execute(query, { variables, token: TOKEN }))).toEqual([]);
  });

  test.each<[string, string, PlainRequest]>([
    ['a path', `/${EMAIL}?token=${TOKEN}`, {}],
    ['a bad path', `/%${TOKEN}`, {}],
    ['a GET', `/graphql?query={canary}&variables={"a":"${EMAIL}"}`, { headers: { 'x-canary': PHONE } }],
    [
      'a broken body',
      '/graphql',
      { method: 'POST', body: `{"canary":"${EMAIL}`, headers: { 'content-type': 'application/json' } },
    ],
  ])('for %s', async (_what, path, options) => {
    const headers = { ...options.headers, authorization: `Bearer ${TOKEN}` };
    expect(
      await linesWithCanary(async () => {
        await (await fetch(gateway.url.replace('/graphql', path), { ...options, headers })).text();
        await gateway.data('{ __typename }');
      }),
    ).toEqual([]);
  });
});
