/** The mock keeps to the contract, which is read independently of it, and does what docs/mock-service.md says. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readNotifications } from '../../src/mock/notifications.js';
import { startMockService, type MockServiceOptions } from '../../src/mock/mockService.js';
import { requestExample } from '../support/service/examples.js';
import { responseViolations } from '../support/service/openapi.js';
import { forTest, useStarted } from '../support/tools/useStarted.js';

const lines: string[] = [];
const options: MockServiceOptions = { log: (line) => lines.push(line) };
const service = useStarted(() => startMockService(options));

const LIST = '/v1/customnotifications';
const TRACK = '/atlas/frexapi/shipment/track/';
const EXCEPTION = '/atlas/frexapi/shipment/exception';
const token = { authorization: 'Bearer any-token' };

/** Sends a request; its response must not violate the contract. */
async function send(
  method: string,
  path: string,
  { body, headers = token }: { body?: unknown; headers?: Record<string, string> } = {},
) {
  const response = await fetch(service.url + path, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const received = { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  const [pathname = ''] = path.split('?');
  expect(responseViolations({ method, path: pathname }, received)).toEqual([]);
  return received;
}

const definition = requestExample('createNotification', 'shipmentLevel');
const [seed = { notificationGuid: '' }] = readNotifications();
const seedPath = `${LIST}/${seed.notificationGuid}`;
const shipment = {
  FreightProviderReferenceNumber: 'REF-1004',
  FreightHaulerProviderXID: 'XID-2004',
  CarrierSCAC: 'EXMD',
};
const tracking = { ...shipment, DriverPhoneNumber: '+13035550110', ShipmentTrackingType: 'Mobile' };
const exceptionGuid = 'e0000000-0000-4000-8000-000000000401';
const noToken = { headers: {} };
const several = { ...token, authorization: 'Bearer demo-several' };
/** JSON.parse() makes an object of it that cannot become a text. */
const noText = { toString: null };

test.each<[what: string, status: number, ...request: Parameters<typeof send>]>([
  ['a list', 200, 'GET', LIST],
  ['a page of a list', 200, 'GET', `${LIST}?page=2&pageSize=10`],
  ['a page that is no number', 400, 'GET', `${LIST}?page=x`],
  ['a notification', 200, 'GET', seedPath.toUpperCase().replace(LIST.toUpperCase(), LIST)],
  ['an unknown notification', 404, 'GET', `${LIST}/unknown`],
  ['a creation', 200, 'POST', LIST, { body: definition }],
  ['a creation without members', 400, 'POST', LIST, { body: {} }],
  ['a creation with values of the wrong type', 400, 'POST', LIST, { body: { ...definition, smsList: 1 } }],
  ['a creation that is no JSON', 400, 'POST', LIST, { body: '{"a":' }],
  ...['{', 'null', '7', '[]', '"text"', ''].map((body): [string, number, string, string, object] => [
    `a creation of several with the body ${body || 'of no bytes'}`,
    400,
    'POST',
    LIST,
    { body, headers: several },
  ]),
  [
    'a tracking call with a reference that is no text',
    400,
    'POST',
    TRACK,
    { body: { ...tracking, FreightProviderReferenceNumber: noText } },
  ],
  ['an update', 200, 'PUT', seedPath, { body: { ...definition, notificationGuid: seed.notificationGuid } }],
  [
    'an update of another notification',
    400,
    'PUT',
    seedPath,
    { body: { ...definition, notificationGuid: 'x' } },
  ],
  [
    'an update of an unknown one',
    404,
    'PUT',
    `${LIST}/x`,
    { body: { ...definition, notificationGuid: 'x' } },
  ],
  ['a deletion of an unknown notification', 404, 'DELETE', `${LIST}/unknown`],
  ['a list without a token', 401, 'GET', LIST, noToken],
  ['a creation without a token, before validation', 401, 'POST', LIST, { ...noToken, body: {} }],
  ['a deletion without a token', 401, 'DELETE', seedPath, noToken],
  ['tracking', 200, 'POST', TRACK, { ...noToken, body: tracking }],
  ['tracking of another shipment', 404, 'POST', TRACK, { body: { ...tracking, CarrierSCAC: 'EXMA' } }],
  ['tracking with two carriers', 400, 'POST', TRACK, { body: { ...tracking, CarrierMC: '900004' } }],
  [
    'tracking as another type',
    415,
    'POST',
    TRACK,
    { body: 'a=b', headers: { 'content-type': 'text/plain' } },
  ],
  ['a deletion of an exception without a target', 400, 'DELETE', EXCEPTION, { body: shipment }],
  [
    'a deletion of another exception',
    404,
    'DELETE',
    EXCEPTION,
    { body: { ...shipment, ExceptionGuid: 'x' } },
  ],
])('%s is responded to with %i, as the contract says', async (_what, status, ...request) => {
  expect((await send(...request)).status).toBe(status);
});

const guidsIn = async (query = '') => {
  const { body } = await send('GET', `${LIST}${query}`);
  return (body as { data: { notificationGuid: string }[] }).data.map((each) => each.notificationGuid);
};

test('what is written is read until the sample data are restored', async () => {
  await fetch(`${service.url}/reset`, { method: 'POST' });
  const before = await guidsIn();
  expect([await guidsIn('?pageSize=3'), await guidsIn('?page=2')]).toEqual([
    before.slice(0, 3),
    before.slice(20),
  ]);
  const { body } = await send('POST', LIST, { body: definition });
  const [created] = (body as { data: [{ notificationGuid: string }] }).data;
  expect(created).toMatchObject({ ...definition, smsList: ['13035550100', '13035550101'], filters: [] });
  expect((await send('GET', `${LIST}/${created.notificationGuid}`)).body).toMatchObject({ data: [created] });
  expect((await send('DELETE', seedPath)).status).toBe(204);
  expect(await guidsIn()).toEqual([...before.slice(1), created.notificationGuid]);

  const remove = () => send('DELETE', EXCEPTION, { body: { ...shipment, ExceptionGuid: exceptionGuid } });
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
  expect((await fetch(`${service.url}/reset`, { method: 'POST' })).status).toBe(204);
  expect(await guidsIn()).toEqual(before);
  expect((await remove()).status).toBe(204);
});

test('counts the writes that arrive, and those that had arrived before, until it is reset', async () => {
  const count = async () => (await fetch(`${service.url}/writes`)).json();
  await fetch(`${service.url}/reset`, { method: 'POST' });
  expect(await count()).toEqual({ received: 0, repeated: 0 });
  await send('GET', LIST);
  await send('POST', LIST, { body: definition });
  await send('POST', LIST, { body: { ...definition, notificationName: 'Another' } });
  await send('POST', LIST, { body: definition });
  await send('DELETE', `${LIST}/unknown`);
  expect(await count()).toEqual({ received: 4, repeated: 1 });
  await fetch(`${service.url}/reset`, { method: 'POST' });
  expect(await count()).toEqual({ received: 0, repeated: 0 });
});

test('browsers may call it, the contract is served, and lines of the log have no token', async () => {
  const origin = 'http://localhost:5173';
  const preflight = await fetch(service.url + LIST, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization',
    },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization');
  const openapi = await fetch(`${service.url}/openapi.yaml`);
  expect(await openapi.text()).toBe(
    readFileSync(new URL('../../seeds/openapi.yaml', import.meta.url), 'utf8'),
  );
  lines.splice(0);
  await send('GET', `${LIST}?page=1`);
  expect(lines.map((line) => line.replace(/\d+ ms$/, '… ms'))).toEqual([`GET ${LIST}?page=1 200 … ms`]);
});

test('reset() restores the sample data, and forgets calls and faults', async () => {
  const started = await forTest(startMockService());
  const list = async () => (await fetch(started.url + LIST, { headers: token })).text();
  const before = await list();
  await fetch(started.url + seedPath, { method: 'DELETE', headers: token });
  started.injectFaults({ status: 503 }, { status: 503 });
  expect(started.calls.length).toBe(2);
  started.reset();
  expect(started.calls).toEqual([]);
  expect(await list()).toEqual(before);
});
