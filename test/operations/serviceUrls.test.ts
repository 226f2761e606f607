import { expect, test } from 'vitest';
import { LIST, READ } from '../support/graphql/documents.js';
import { responseExample, oneNotification } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';
import { startTestService } from '../support/service/testService.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { licensePlateCalls } from '../support/graphql/shipmentOperations.js';
import { expectedNotification } from '../support/service/expectedNotification.js';
import { useStarted } from '../support/tools/useStarted.js';
const service = useStarted(() =>
  startTestService({
    toDocumentedForm: (call) => ({ ...call, path: call.path.replace(/^\/(notices|freight\/v2)\//, '/') }),
  }),
);
const gateway = useGateway(() => ({
  env: { SERVICE_URL: `${service.url}/notices`, SHIPMENT_SERVICE_URL: `${service.url}/freight/v2/` },
}));

test('prefixes the paths of notification calls with the path of SERVICE_URL', async () => {
  const { notification, envelope } = oneNotification('stopLevel');
  const guid = notification.notificationGuid;
  service.injectFaults({ body: JSON.stringify(envelope) });
  expect(await gateway.data(READ, { variables: { guid } })).toEqual({
    notification: expectedNotification(notification),
  });
  service.injectFaults({ body: JSON.stringify(responseExample('listNotifications', '200', 'none')) });
  expect(await gateway.data(LIST, { variables: { parameters: { page: 2 } } })).toEqual({
    notifications: { notifications: [], totalPossibleCount: 0, messages: [] },
  });
  expect(summariesOf(service.takeCalls())).toEqual([
    restCall('GET', `/notices/v1/customnotifications/${guid}`),
    restCall('GET', '/notices/v1/customnotifications', { query: 'page=2' }),
  ]);
});

test.each(licensePlateCalls)(
  '$name prefixes its path with that of SHIPMENT_SERVICE_URL and forwards the token to the same origin',
  async (call) => {
    service.injectFaults(call.success);
    expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
    expect(summariesOf(service.takeCalls())).toEqual([
      restCall(call.method, `/freight/v2${call.path}`, { body: call.parameters }),
    ]);
  },
);
