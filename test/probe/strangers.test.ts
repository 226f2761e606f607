/** All that the probe prints of services of other frameworks: nothing in it may be untrue. */
import { expect, onTestFinished, test } from 'vitest';
import { ofShipmentPaths, probe } from './support/runProbe.js';
import { startStranger } from './support/strangers.js';

const LIST = '/v1/customnotifications';

async function start(name: Parameters<typeof startStranger>[0]) {
  const service = await startStranger(name);
  onTestFinished(() => service.stop());
  return service;
}

test('a service in the manner of ASP.NET behind an API manager asks for its key, then shows its dates and paths', async () => {
  const { url, requests } = await start('aspNet');
  const withoutKey = await probe({ SERVICE_URL: `${url}/api` });
  expect(withoutKey).toMatchObject({ code: 1, settings: {} });
  expect(withoutKey.findings['list']).toBe(
    'failed: expected the list, got 401 "Access denied due to missing subscription key.", whose challenge asks for "AzureApiManagementKey" in the header "Ocp-Apim-Subscription-Key" (SERVICE_HEADERS)',
  );
  const { code, findings, settings } = await probe({
    SERVICE_URL: `${url}/api`,
    SERVICE_HEADERS: JSON.stringify({ 'Ocp-Apim-Subscription-Key': '5ecret-key' }),
  });
  expect({ code, settings }).toEqual({ code: 0, settings: {} });
  const notAllowed = `proven: GET: 405 "The requested resource does not support 'GET'."`;
  expect(findings).toEqual({
    NOTIFICATIONS_PATH: 'proven: 200',
    lastUpdateDate: 'noted: cannot be read: clients get null and an error (1 of 1 notifications)',
    NOTIFICATION_PATH: 'proven: 200',
    'missing notification':
      'proven: 404 "No such notification.": clients read null, and a deletion whose response is lost can be confirmed',
    ...ofShipmentPaths(() => notAllowed),
  });
  expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([]);
});

test('Fastify behind a balancer is waited for, and its redirect is followed', async () => {
  const { url } = await start('fastify');
  const { code, findings, settings, stderr } = await probe({ SERVICE_URL: url });
  expect({ code, settings, stderr }).toEqual({
    code: 1,
    settings: { NOTIFICATIONS_PATH: `${LIST}/` },
    stderr: 'Waiting 1 s, as the service asks\n',
  });
  expect(findings).toEqual({
    NOTIFICATIONS_PATH: `set: 308 to "${url}${LIST}/", then 200`,
    totalPossibleCount: 'noted: is missing: clients get null',
    smsList:
      'noted: has values in another format: clients read them as they are, and an update must provide its own list (1 of 1 notifications)',
    NOTIFICATION_PATH: 'proven: 200',
    'missing notification': expect.stringMatching(
      /^proven: 404 "Route GET:\/v1\/customnotifications\/[\da-f-]{36} not found": clients read null, and /,
    ) as string,
    ...ofShipmentPaths((path) => `open: GET: 404 "Route GET:${path} not found", which settles nothing`),
  });
});

test('FastAPI below a path has its shipment operations at the origin, and proves no deletion', async () => {
  const { url } = await start('fastApi');
  const { code, findings, settings } = await probe({ SERVICE_URL: `${url}/freight` });
  expect({ code, settings }).toEqual({ code: 1, settings: { SHIPMENT_SERVICE_URL: url } });
  const found = 'GET: 404 "Not Found"; without the path of SERVICE_URL: 405 "Method Not Allowed"';
  expect(findings).toEqual({
    NOTIFICATIONS_PATH: 'proven: 200',
    lastUpdateUserName: 'noted: is null for clients (1 of 1 notifications)',
    NOTIFICATION_PATH: 'proven: 200',
    'missing notification':
      'noted: 200: clients read null, and a deletion whose response is lost cannot be confirmed',
    SHIPMENT_SERVICE_URL: `set: ${found}`,
    ...ofShipmentPaths(() => 'proven: GET: 405 "Method Not Allowed"'),
    TRACKING_PATH: `proven: ${found}`,
  });
  expect(await probe({ SERVICE_URL: `${url}/freight`, ...(settings as object) })).toMatchObject({
    code: 0,
    settings: {},
  });
});

test('an old servlet reads the identifier from the query, and spells stop level in capitals', async () => {
  const { url } = await start('servlet');
  const { code, findings, settings } = await probe({ SERVICE_URL: url });
  const expected = {
    STOP_LEVEL_RECIPIENT_TYPE: 'STOPLEVEL',
    NOTIFICATION_PATH: `${LIST}?id={notificationGuid}`,
  };
  expect({ code, settings }).toEqual({ code: 1, settings: expected });
  expect(findings).toMatchObject({
    NOTIFICATIONS_PATH: 'proven: 200 "text/plain"',
    STOP_LEVEL_RECIPIENT_TYPE: 'set: read as STOPLEVEL',
    TRACKING_PATH: 'proven: GET: 405 "text/html"',
    EXCEPTION_PATH: 'proven: GET: 405 "text/html"',
  });
  expect(await probe({ SERVICE_URL: url, ...expected })).toMatchObject({ code: 0, settings: {} });
});
