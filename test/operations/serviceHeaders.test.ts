/** SERVICE_HEADERS: fixed headers of every REST call, which clients can neither see nor override. */
import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { asVariables, fieldNames, validArguments } from '../support/graphql/rootFields.js';
import { startTestService } from '../support/service/testService.js';
import { useStarted } from '../support/tools/useStarted.js';

const given = { 'X-Api-Key': "5ecret's $key`", 'Ocp-Apim-Subscription-Key': 'é5ecret', 'User-Agent': 'Acme' };
const sent = { 'x-api-key': "5ecret's $key`", 'ocp-apim-subscription-key': 'é5ecret', 'user-agent': 'Acme' };
const SERVICE_HEADERS = JSON.stringify(given);

const shipmentService = useStarted(startTestService);
const gateway = useGateway(() => ({
  env: {
    SERVICE_HEADERS,
    SHIPMENT_SERVICE_URL: shipmentService.url,
    EXPLORER: 'true',
    FORWARD_TOKEN_TO_SHIPMENT_SERVICE: 'true',
  },
  config: { service: { retries: 1 } },
}));

/** The REST calls to either base URL since the last time. */
const takeCalls = () => [...gateway.takeCalls(), ...shipmentService.takeCalls()];

describe('every REST call has the fixed headers, whatever the client sends:', () => {
  test.each(fieldNames)('that of %s', async (field) => {
    const headers = { 'x-api-key': 'mine', 'user-agent': 'mine' };
    await gateway.execute(asVariables(field, validArguments(field)), { headers });
    const calls = takeCalls();
    expect(calls.length).toBeGreaterThan(0);
    for (const { headers } of calls)
      expect(headers).toMatchObject({
        ...sent,
        accept: 'application/json',
        host: expect.any(String) as string,
      });
  });

  test('a retry, and a read after a write of unknown outcome', async () => {
    gateway.injectFaults({ status: 503 });
    await gateway.execute('{ notifications { messages } }');
    gateway.injectFaults({ status: 500 });
    await gateway.execute(asVariables('updateNotification', validArguments('updateNotification')));
    const calls = takeCalls();
    expect(calls.map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT', 'GET']);
    for (const { headers } of calls) expect(headers).toMatchObject(sent);
  });
});

test('their values are variables of the shell in curl commands and dry runs', async () => {
  const operation = asVariables('trackShipment', validArguments('trackShipment'));
  const headers = { 'x-gateway-dry-run': '1' };
  const { text, extensions } = await gateway.execute(operation, { headers });
  expect(takeCalls()).toEqual([]);
  const [call] = extensions?.['trace'] as { curl: string; request: { headers: object } }[];
  expect(call?.request.headers).toMatchObject({
    'x-api-key': '$HEADER_X_API_KEY',
    'ocp-apim-subscription-key': '$HEADER_OCP_APIM_SUBSCRIPTION_KEY',
    'user-agent': '$HEADER_USER_AGENT',
    authorization: 'Bearer $TOKEN',
  });
  expect(call?.curl).toContain(
    ` -H "x-api-key: $HEADER_X_API_KEY" -H "ocp-apim-subscription-key: $HEADER_OCP_APIM_SUBSCRIPTION_KEY" -H "user-agent: $HEADER_USER_AGENT" -H "authorization: Bearer $TOKEN" -d '`,
  );
  expect(call?.curl).not.toContain("'user-agent:");
  expect(text).not.toMatch(/5ecret|Acme/);
});

test.each([
  ['a value', "The key 5ecret's $key` has expired"],
  ['a value that is escaped', 'key=%C3%A95ecret'],
  ['what follows the first word of a value', '$KEY` is unknown'],
])('messages of the service with %s are redacted', async (_what, message) => {
  const operation = asVariables('deleteNotification', validArguments('deleteNotification'));
  gateway.injectFaults({ status: 403, body: JSON.stringify({ messages: [{ message }, 'Forbidden'] }) });
  const { errors } = await gateway.execute(operation);
  takeCalls();
  expect(errors?.[0]?.extensions['serviceMessages']).toEqual([{ message: '[redacted]' }, 'Forbidden']);
});
