import { describe, expect, test } from 'vitest';
import { LIST } from '../support/graphql/documents.js';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { startTestService } from '../support/service/testService.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { licensePlateCalls } from '../support/graphql/shipmentOperations.js';
import { useStarted } from '../support/tools/useStarted.js';

describe.each([
  ['is forwarded', {}, TOKEN],
  ['is forwarded', { FORWARD_TOKEN_TO_SHIPMENT_SERVICE: 'true' }, TOKEN],
  ['is withheld', { FORWARD_TOKEN_TO_SHIPMENT_SERVICE: 'false' }, null],
])('With one service for everything, the token %s given %j', (_policy, env, sentToken) => {
  const gateway = useGateway({ env });

  test.each(licensePlateCalls)('for $name', async (call) => {
    gateway.injectFaults(call.success);
    expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
    const calls = gateway.takeCalls();
    expect(summariesOf(calls)).toEqual([
      restCall(call.method, call.path, { body: call.parameters, token: sentToken }),
    ]);
    expect(JSON.stringify(calls).includes(TOKEN)).toBe(sentToken !== null);
  });

  test('and is forwarded with notification calls', async () => {
    await gateway.data(LIST);
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', '/v1/customnotifications')]);
  });
});

describe.each([
  ['is withheld', {}, null],
  ['is withheld', { FORWARD_TOKEN_TO_SHIPMENT_SERVICE: 'false' }, null],
  ['is forwarded', { FORWARD_TOKEN_TO_SHIPMENT_SERVICE: 'true' }, TOKEN],
])('With a shipment service on another origin, the token %s given %j', (_policy, env, sentToken) => {
  const shipmentService = useStarted(startTestService);
  const gateway = useGateway(() => ({ env: { SHIPMENT_SERVICE_URL: shipmentService.url, ...env } }));

  test.each(licensePlateCalls)('for $name', async (call) => {
    shipmentService.injectFaults(call.success);
    expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
    const calls = shipmentService.takeCalls();
    expect(summariesOf(calls)).toEqual([
      restCall(call.method, call.path, { body: call.parameters, token: sentToken }),
    ]);
    expect(JSON.stringify(calls).includes(TOKEN)).toBe(sentToken !== null);
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('and a 401 is UNAUTHENTICATED only if it was forwarded', async () => {
    const [call] = licensePlateCalls;
    if (call === undefined) throw new Error('Expected a call');
    shipmentService.injectFaults({ status: 401 });
    const { errors = [] } = await gateway.execute(call.document, { variables: { input: call.input } });
    expect(errors.map(({ message, extensions }) => [extensions['code'], message])).toEqual([
      sentToken === null
        ? ['SERVICE_REJECTED', 'The service rejected the request']
        : ['UNAUTHENTICATED', 'The service requires a valid bearer token'],
    ]);
    shipmentService.takeCalls();
  });

  test('and is forwarded with notification calls, which go to SERVICE_URL', async () => {
    await gateway.data(LIST);
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', '/v1/customnotifications')]);
    expect(shipmentService.takeCalls()).toEqual([]);
  });
});
