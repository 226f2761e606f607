/** No log line, at any level, contains secrets or personal data from clients or the configuration. */
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { useGateway } from '../support/gateway/gateway.js';
import { fieldNames, validArguments, asLiterals, asVariables } from '../support/graphql/rootFields.js';

type FetchOptions = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

const TOKEN = 'canary-token';
const EMAIL = 'canary.person@example.com';
const PHONE = '+13035550177';
const FIXED = 'canary-fixed';
const HEADER = 'canary-header';
const canary = /canary|3035550177|303\D*555\D*0177|e124b63a|e0000000|REF-1001|XID-2001/i;
const gateway = useGateway({
  env: {
    SERVICE_TIMEOUT_MS: '3000', // enough for a busy machine to send every call
    SHIPMENT_PARAMETERS: JSON.stringify({ apiKey: FIXED }),
    SERVICE_HEADERS: JSON.stringify({ 'x-api-key': HEADER }),
  },
  config: { service: { retries: 1, circuitOpenMs: 1 }, telemetry: { exposeCalls: true } },
});

/** Valid arguments for every field, with canaries instead of personal data. */
const operations = fieldNames.flatMap((field) => {
  const json = JSON.stringify(validArguments(field))
    .replaceAll('dock@example.com', EMAIL)
    .replaceAll('"smsList":[]', JSON.stringify({ smsList: [PHONE] }).slice(1, -1))
    .replaceAll('+13035550110', PHONE)
    .replaceAll('Dock team', 'Canary team');
  const args = JSON.parse(json) as Record<string, unknown>;
  return [asVariables(field, args), asLiterals(field, args)];
});

const echo = JSON.stringify({ messages: [TOKEN, EMAIL, PHONE, FIXED, HEADER], data: EMAIL, [PHONE]: EMAIL });
const faults: Record<string, Fault | undefined> = {
  'if every call succeeds': undefined,
  'if the service rejects the call': { status: 400, body: echo },
  'if the service fails': { status: 500, body: echo },
  'if the service violates the contract': { body: echo },
  'if the service does not send JSON': { body: `<p>${echo}`, headers: { 'content-type': `text/${FIXED}` } },
  'if the service disconnects': { disconnect: 'midBody', body: echo },
  'if the service does not respond': { neverRespond: true },
};

/** Runs the task and returns the lines it logged that contain a canary. */
async function linesWithCanary(task: () => Promise<unknown>): Promise<string[]> {
  gateway.logLines.length = 0;
  await task();
  expect(gateway.logLines.length).toBeGreaterThan(0);
  return gateway.logLines.map((line) => JSON.stringify(line)).filter((line) => canary.test(line));
}

describe('no log line contains a token, a fixed parameter, a fixed header or personal data', () => {
  test.each(Object.keys(faults))('%s', async (situation) => {
    gateway.takeCalls();
    gateway.injectFault(faults[situation]);
    const headers = { 'x-gateway-trace': '1' };
    const leaks = await linesWithCanary(() =>
      Promise.all(operations.map((operation) => gateway.execute(operation, { token: TOKEN, headers }))),
    );
    gateway.injectFault(undefined);
    expect(leaks).toEqual([]);
    expect(gateway.logLines.map(({ msg }) => msg)).toContain('REST call');
    const sent = JSON.stringify(gateway.takeCalls());
    for (const each of [TOKEN, EMAIL, PHONE, FIXED, HEADER]) expect(sent).toContain(each);
  });

  test.each([
    ['with invalid arguments', '{ notification(notificationGuid: "canary/..") { notificationGuid } }'],
    ['that fails validation', `{ canary(email: "${EMAIL}") }`],
    ['that fails to parse', `{ notification(notificationGuid: "${EMAIL}`],
    ['with invalid variables', 'query ($canary: Int!) { notifications { messages } }'],
  ])('for an operation %s', async (_what, query) => {
    const variables = { canary: EMAIL };
    expect(await linesWithCanary(() => gateway.execute(query, { variables, token: TOKEN }))).toEqual([]);
  });

  test.each<[string, string, FetchOptions]>([
    ['an unknown path', `/${EMAIL}?token=${TOKEN}`, {}],
    ['a malformed path', `/%${TOKEN}`, {}],
    ['a GET', `/graphql?query={canary}&variables={"a":"${EMAIL}"}`, { headers: { 'x-canary': PHONE } }],
    [
      'a malformed body',
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
