import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIST } from '../support/graphql/documents.js';
import { startGateway, TOKEN, type TestGateway } from '../support/gateway/gateway.js';
import { startSecondService, type SecondService } from '../support/service/secondService.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { licensePlateCalls } from '../support/graphql/shipmentOperations.js';

describe.each([
  ['stays home', {}, null],
  ['stays home', { FORWARD_TOKEN_TO_SHIPMENT_SERVICE: 'false' }, null],
  ['goes along', { FORWARD_TOKEN_TO_SHIPMENT_SERVICE: 'true' }, TOKEN],
])('Where the shipment service has an origin of its own, the token %s with %j', (_what, env, sentToken) => {
  let gateway: TestGateway;
  let shipmentService: SecondService;
  beforeAll(async () => {
    shipmentService = await startSecondService();
    gateway = await startGateway({ env: { SHIPMENT_SERVICE_URL: shipmentService.url, ...env } });
  });
  afterAll(async () => {
    await gateway.stop();
    await shipmentService.stop();
  });

  test.each(licensePlateCalls)('$name', async (call) => {
    shipmentService.injectFault(call.success);
    expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
    const calls = shipmentService.takeCalls();
    expect(summariesOf(calls)).toEqual([
      restCall(call.method, call.path, { body: call.parameters, token: sentToken }),
    ]);
    expect(JSON.stringify(calls).includes(TOKEN)).toBe(sentToken !== null);
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('Calls about notifications go to their own service, with the token', async () => {
    await gateway.data(LIST);
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', '/v1/customnotifications')]);
    expect(shipmentService.takeCalls()).toEqual([]);
  });
});
