import { createServer, type RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startMockService, type Habits } from '../../src/mock/mockService.js';
import { shipmentPaths } from '../../src/freight/operations.js';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { serve } from '../support/http/serve.js';
import { startFaultProxy } from '../support/service/faultProxy.js';
import { forTest } from '../support/tools/useStarted.js';
import { ofShipmentPaths, probe, PROBE_TOKEN } from './support/runProbe.js';

const startMock = (habits: Habits) => forTest(startMockService({ habits }));

/** Gives the URL, and `METHOD path` of each request that has arrived. */
async function startService(listener: RequestListener): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const { url, stop } = await serve(
    createServer((request, response) => {
      requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
      listener(request, response);
    }),
  );
  onTestFinished(stop);
  return { url, requests };
}

const json = { 'content-type': 'application/json' };
const emptyList = JSON.stringify({ data: [], messages: [], totalPossibleCount: 0 });
const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);
const list = respondWith(200, json, emptyList);
const page = respondWith(200, { 'content-type': 'text/html' }, '<!doctype html><title>Sign in</title>');

/** Responds by the path, and with 404 to any other. */
const route =
  (routes: Record<string, RequestListener>): RequestListener =>
  (request, response) =>
    (routes[request.url ?? ''] ?? respondWith(404))(request, response);

const LIST = '/v1/customnotifications';
test('sends nothing but GETs, and says what it saw', async () => {
  const service = await startMock({});
  const { code, findings, settings } = await probe({ SERVICE_URL: service.url });
  expect({ code, settings }).toEqual({ code: 0, settings: {} });
  expect(findings).toEqual({
    NOTIFICATIONS_PATH: 'proven: 200',
    STOP_LEVEL_RECIPIENT_TYPE: 'proven: read as stopLevel, stoplevel, StopLevel',
    notificationRecipientType: 'noted: is unknown: clients get `OtherRecipient` (1 of 36 notifications)',
    notificationTypes: 'noted: has some without a `ShipmentStatus` (2 of 36 notifications)',
    NOTIFICATION_PATH: 'proven: 200',
    'missing notification': expect.stringMatching(
      /^proven: 404 "There is no .*": clients read null, and a deletion whose response is lost can be confirmed$/,
    ) as string,
    ...ofShipmentPaths(() => expect.stringMatching(/^open: GET: 404 ".*", which settles nothing$/) as string),
  });
  expect(new Set(service.calls.map(({ method }) => method))).toEqual(new Set(['GET']));
});

test.each<{ name: string; habits: Habits; basePath?: string; settings: Record<string, string> }>([
  {
    name: 'another spelling of stop level',
    habits: { stopLevel: 'stoplevel' },
    settings: { STOP_LEVEL_RECIPIENT_TYPE: 'stoplevel' },
  },
  { name: '404 without a body', habits: { hasEmptyNotFound: true }, settings: {} },
  { name: 'a base path', habits: { basePath: '/freight' }, basePath: '/freight', settings: {} },
])('prints the variables for a service with $name', async ({ habits, basePath = '', settings }) => {
  const service = await startMock(habits);
  const environment = { SERVICE_URL: `${service.url}${basePath}` };
  const first = await probe(environment);
  expect(first.settings).toEqual(settings);
  expect(first.code).toBe(Object.keys(settings).length > 0 ? 1 : 0);
  expect(await probe({ ...environment, ...settings })).toMatchObject({ code: 0, settings: {} });
});

test('prints a table, the lines for .env and the next step', async () => {
  const service = await startMock({ identifierInQuery: 'id' });
  const { code, stdout } = await probe({ SERVICE_URL: service.url });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^set {5}NOTIFICATION_PATH {10}at \/v1\/customnotifications\/\{notificationGuid\} 404; /m,
  );
  expect(stdout.slice(stdout.indexOf('Add to .env'))).toBe(`Add to .env, and probe again:

NOTIFICATION_PATH='/v1/customnotifications?id={notificationGuid}'

For what only writes can show, see docs/first-hour.md
`);
});

test('reaches a service behind a proxy, which alone knows its name', async () => {
  const service = await startMock({});
  const proxy = await forTest(startFaultProxy({ 'freight.invalid': '127.0.0.1' }));
  const url = `http://freight.invalid:${new URL(service.url).port}`;
  const { code, findings } = await probe({ SERVICE_URL: url, HTTP_PROXY: proxy.url });
  expect({ code, list: findings['NOTIFICATIONS_PATH'] }).toEqual({ code: 0, list: 'proven: 200' });
});

test('asks two hosts, and sends the token and the fixed parameters only where they belong', async () => {
  const [notifications, shipments] = [await startMock({}), await startMock({})];
  const { code } = await probe({
    SERVICE_URL: notifications.url,
    SHIPMENT_SERVICE_URL: shipments.url,
    SHIPMENT_PARAMETERS: JSON.stringify({ apiKey: '5ecret-parameter' }),
  });
  expect(code).toBe(0);
  expect(notifications.calls.filter(({ path }) => path.startsWith('/atlas'))).toEqual([]);
  expect(
    shipments.calls.map(({ method, path, query, headers }) => [method, path, query, headers.authorization]),
  ).toEqual([...Object.values(shipmentPaths).map((path) => ['GET', path, '', undefined])]);
});

describe('follows a redirect', () => {
  test.each([
    {
      status: 307,
      name: 'to the path with a prefix',
      path: `/api${LIST}`,
      settings: { NOTIFICATIONS_PATH: `/api${LIST}` },
    },
    {
      status: 308,
      name: 'to the path in another letter case',
      path: '/V1/CustomNotifications',
      settings: { NOTIFICATIONS_PATH: '/V1/CustomNotifications' },
    },
  ])('$status $name, and prints the path', async ({ status, path, settings }) => {
    const { url, requests } = await startService(
      route({ [LIST]: respondWith(status, { location: path }), [path]: list }),
    );
    const { code, findings, ...report } = await probe({ SERVICE_URL: url });
    expect({ code, settings: report.settings }).toEqual({ code: 1, settings });
    expect(findings['NOTIFICATIONS_PATH']).toBe(`set: ${status} to "${url}${path}", then 200`);
    expect(requests.slice(0, 2)).toEqual([`GET ${LIST}`, `GET ${path}`]);
    expect(await probe({ SERVICE_URL: url, ...settings })).toMatchObject({ code: 0, settings: {} });
  });

  test('to the path of a notification with a slash, and prints the path', async () => {
    const habits = await startMock({});
    const proxied = await (
      await fetch(`${habits.url}${LIST}`, { headers: { authorization: 'Bearer a' } })
    ).text();
    const { data } = JSON.parse(proxied) as { data: [{ notificationGuid: string }] };
    const [{ notificationGuid: guid }] = data;
    const one = respondWith(200, json, JSON.stringify({ data: [data[0]], messages: [] }));
    const { url, requests } = await startService(
      route({
        [LIST]: respondWith(200, json, proxied),
        [`${LIST}/${guid}`]: respondWith(301, { location: `${LIST}/${guid}/` }),
        [`${LIST}/${guid}/`]: one,
      }),
    );
    const settings = { NOTIFICATION_PATH: `${LIST}/{notificationGuid}/` };
    const report = await probe({ SERVICE_URL: url });
    expect(report.settings).toEqual(settings);
    expect(requests.slice(1, 3)).toEqual([`GET ${LIST}/${guid}`, `GET ${LIST}/${guid}/`]);
    expect((await probe({ SERVICE_URL: url, ...settings })).settings).toEqual({});
  });

  test('to a page, which may be a sign-in', async () => {
    const { url } = await startService(
      route({ [LIST]: respondWith(302, { location: '/sign-in?user=1' }), '/sign-in': page }),
    );
    const { code, findings, settings } = await probe({ SERVICE_URL: url });
    expect({ code, settings }).toEqual({ code: 1, settings: {} });
    expect(findings['list']).toBe(
      `failed: expected the list, got 302 to "${url}/sign-in", then 200 "text/html" The response is HTML, as of a sign-in: sign in once, with its account`,
    );
  });

  test('to another host never: it would get the token', async () => {
    const other = await startService(list);
    const { url } = await startService(respondWith(301, { location: `${other.url}${LIST}` }));
    const { code, findings } = await probe({ SERVICE_URL: url });
    expect(code).toBe(1);
    expect(findings['list']).toBe(
      `failed: expected the list, got 301 to "${other.url}${LIST}", which was not followed: no other host gets the token`,
    );
    expect(other.requests).toEqual([]);
  });

  test('in a circle no more than five times', async () => {
    const { url, requests } = await startService(respondWith(302, { location: LIST }));
    expect((await probe({ SERVICE_URL: url })).code).toBe(1);
    expect(requests.filter((request) => request === `GET ${LIST}`)).toHaveLength(6);
  });
});

describe('a service that is busy', () => {
  test('is the finding, with the time for which it asks', async () => {
    const { url } = await startService(respondWith(429, { 'retry-after': '3600' }));
    const { code, findings } = await probe({ SERVICE_URL: url });
    expect(code).toBe(1);
    expect(findings['list']).toBe('failed: expected the list, got 429 with Retry-After "3600"');
    expect(findings['TRACKING_PATH']).toBe('open: GET: 429 with Retry-After "3600", which settles nothing');
  });

  test('after the list, is not taken for one without single notifications', async () => {
    const notification = { ...sampleDefinition.request, notificationGuid: 'one', filters: [] };
    const { url } = await startService((request, response) =>
      (request.url === LIST
        ? respondWith(200, json, JSON.stringify({ data: [notification], messages: [] }))
        : respondWith(429))(request, response),
    );
    const { code, findings } = await probe({ SERVICE_URL: url });
    expect({ code, path: findings['NOTIFICATION_PATH'] }).toEqual({ code: 0, path: 'open: 429' });
  });
});

test.each([
  {
    name: 'a key in a header',
    challenge:
      'AzureApiManagementKey realm="https://freight.example.com/api",name="Ocp-Apim-Key",type="header"',
    body: '',
    saw: `failed: expected the list, got 401 "AzureApiManagementKey realm='https://freight.example.com/api',name='Ocp-Apim-Key',type='header'": the token, or a key in SERVICE_HEADERS, is missing or not valid`,
  },
  {
    name: 'Negotiate',
    challenge: 'Negotiate, NTLM',
    body: '',
    saw: 'failed: expected the list, got 401 "Negotiate, NTLM": the token, or a key in SERVICE_HEADERS, is missing or not valid',
  },
  {
    name: 'another token, and why',
    challenge:
      'Bearer realm="freight", error="invalid_token", error_description="The token expired yesterday"',
    body: '',
    saw: `failed: expected the list, got 401 "The token expired yesterday Bearer realm='freight', error='invalid_token', error_description='The token expired yesterday'": the token, or a key in SERVICE_HEADERS, is missing or not valid`,
  },
  {
    name: 'nothing that it names',
    challenge: undefined,
    body: '{"message":"The token has expired."}',
    saw: 'failed: expected the list, got 401 "The token has expired.": the token, or a key in SERVICE_HEADERS, is missing or not valid',
  },
])('says of a 401 that it asks for $name', async ({ challenge, body, saw }) => {
  const headers = { ...json, ...(challenge !== undefined && { 'www-authenticate': challenge }) };
  const { url } = await startService(respondWith(401, headers, body));
  const { code, findings } = await probe({ SERVICE_URL: url });
  expect({ code, list: findings['list'] }).toEqual({ code: 1, list: saw });
});

test('cuts the token from what a challenge says', async () => {
  const { url } = await startService(
    respondWith(401, { 'www-authenticate': `Bearer error_description="${PROBE_TOKEN} has expired"` }),
  );
  expect((await probe({ SERVICE_URL: url })).findings['list']).toContain('got 401 "[redacted]"');
});

test('without a token, takes a 401 for nothing seen', async () => {
  const { url } = await startService(respondWith(401));
  const { code, findings } = await probe({ SERVICE_URL: url }, { token: '' });
  expect({ code, list: findings['list'] }).toEqual({
    code: 0,
    list: 'open: 401: --token-file would show more',
  });
});

describe('405', () => {
  test('proves the path of a service that has no list, which no variable changes', async () => {
    const { url } = await startService(route({ [LIST]: respondWith(405, { allow: 'POST' }) }));
    const { code, findings } = await probe({ SERVICE_URL: url });
    expect(code).toBe(0);
    expect(findings).toMatchObject({
      NOTIFICATIONS_PATH: 'proven: 405',
      list: 'noted: there is none: clients cannot list notifications',
    });
  });
});

test.each([
  {
    name: 'does not permit the list',
    listener: respondWith(403),
    saw: '403: the service, or what is in front of it, does not permit the list',
  },
  {
    name: 'has no such path',
    listener: respondWith(404, json, '{"message":"no Route matched with those values"}'),
    saw: '404 "no Route matched with those values": NOTIFICATIONS_PATH, or the path of SERVICE_URL, is another one',
  },
  { name: 'responds with a page', listener: page, saw: '200 "text/html" The response is HTML' },
  { name: 'fails', listener: respondWith(500), saw: '500' },
])('fails at a service that $name', async ({ listener, saw }) => {
  const { url } = await startService(listener);
  const { code, findings } = await probe({ SERVICE_URL: url });
  expect({ code, list: findings['list'] }).toEqual({
    code: 1,
    list: `failed: expected the list, got ${saw}`,
  });
});

test('names the variable, and quotes what Node.js says, where nothing listens', async () => {
  const { url, stop } = await serve(createServer());
  await stop();
  expect((await probe({ SERVICE_URL: url })).findings['list']).toMatch(
    /^failed: expected the list, got no response, Could not connect to the service "ECONNREFUSED connect ECONNREFUSED 127\.0\.0\.1:\d+": check SERVICE_URL, /,
  );
});

test('finds a list at another path', async () => {
  const { url } = await startService(route({ '/api/customnotifications': list }));
  const { settings } = await probe({ SERVICE_URL: url });
  expect(settings).toEqual({ NOTIFICATIONS_PATH: '/api/customnotifications' });
});

test('finds shipment operations at the origin, where the others are below a path', async () => {
  const notAllowed = respondWith(405, { ...json, allow: 'POST' }, '{"detail":"Method Not Allowed"}');
  const { url } = await startService((request, response) =>
    (request.url?.startsWith('/atlas/frexapi/shipment/') ? notAllowed : route({ [`/freight${LIST}`]: list }))(
      request,
      response,
    ),
  );
  const { code, findings, settings } = await probe({ SERVICE_URL: `${url}/freight` });
  expect({ code, settings }).toEqual({ code: 1, settings: { SHIPMENT_SERVICE_URL: url } });
  const found = 'GET: 404; without the path of SERVICE_URL: 405 "Method Not Allowed"';
  expect(findings).toMatchObject({
    SHIPMENT_SERVICE_URL: `set: ${found}`,
    ...ofShipmentPaths(() => 'proven: GET: 405 "Method Not Allowed"'),
    TRACKING_PATH: `proven: ${found}`,
  });
  expect(await probe({ SERVICE_URL: `${url}/freight`, ...settings })).toMatchObject({
    code: 0,
    settings: {},
  });
});

test('does not take a service that ignores the query for one that reads the identifier from it', async () => {
  const notification = { ...sampleDefinition.request, notificationGuid: 'the-only-one', filters: [] };
  const { url } = await startService((request, response) =>
    (request.url?.startsWith(`${LIST}/`)
      ? respondWith(404)
      : respondWith(200, json, JSON.stringify({ data: [notification], messages: [] })))(request, response),
  );
  const { settings, findings } = await probe({ SERVICE_URL: url });
  expect(settings).toEqual({});
  expect(findings['NOTIFICATION_PATH']).toMatch(/^failed: expected a notification of the list, got at /);
});

describe('deviations that no variable changes', () => {
  const definition = {
    ...sampleDefinition.request,
    filters: [],
    lastUpdateUserName: 'dispatch',
    lastUpdateDate: '2024-05-01T08:30:00.1234567-06:00',
  };
  const stop = { notifyStopContactsByEmail: true, notifyStopContactsBySms: false };

  test('are no failures, and are said with what they mean for clients', async () => {
    const body = {
      data: [
        {
          ...definition,
          notificationGuid: 'a',
          lastUpdateDate: '2024-05-01T08:30:00',
          smsList: ['*** *** 0100'],
        },
        {
          ...definition,
          notificationGuid: 'b',
          lastUpdateDate: '2024-05-02T08:30:00',
          lastUpdateUserName: null,
        },
        { ...definition, ...stop, notificationGuid: 'c', notificationRecipientType: 'orderLevel' },
        {
          ...definition,
          notificationGuid: 'd',
          notificationTypes: ['ShipmentStatusLost'],
          emailList: ['d***@x.org'],
        },
        { notificationGuid: 'e' },
        {
          ...definition,
          notificationGuid: 'f',
          notificationRecipientType: 'shipmentLevel',
          emailList: undefined,
          smsList: [],
        },
      ],
      messages: [],
    };
    const { url } = await startService(
      route({
        [LIST]: respondWith(200, json, JSON.stringify(body)),
        [`${LIST}/a`]: respondWith(200, json, JSON.stringify({ data: [body.data[0]], messages: [] })),
      }),
    );
    const { code, findings } = await probe({ SERVICE_URL: url });
    expect(code).toBe(0);
    const masked =
      'has values in another format: clients read them as they are, and an update must provide its own list';
    expect(findings).toMatchObject({
      totalPossibleCount: 'noted: is missing: clients get null',
      'unreadable notifications': expect.stringMatching(
        /^noted: 1 of 6, "\/data\/4\/notificationName: .*": they are errors, and a list that has them needs the field `unreadable`$/,
      ) as string,
      lastUpdateDate: 'noted: cannot be read: clients get null and an error (2 of 6 notifications)',
      lastUpdateUserName: 'noted: is null for clients (1 of 6 notifications)',
      notificationRecipientType: 'noted: is unknown: clients get `OtherRecipient` (1 of 6 notifications)',
      notificationTypes: 'noted: has some without a `ShipmentStatus` (1 of 6 notifications)',
      smsList: `noted: ${masked} (1 of 6 notifications)`,
      emailList: `noted: is missing: clients read it as empty, and an update must provide its own (1 of 6 notifications)\nnoted: ${masked} (1 of 6 notifications)`,
    });
  });
});

describe('a service cannot pass for the probe', () => {
  const hostile = '\u001b[2J\r\nSERVICE_URL=http://evil.example\u2028\u202e\u0007"x';
  const shown = ` [2J SERVICE_URL=http://evil.example 'x`;

  test('with the message of a rejection', async () => {
    const { url } = await startService(respondWith(403, json, JSON.stringify({ message: hostile })));
    const { stdout, findings, settings } = await probe({ SERVICE_URL: url });
    expect(settings).toEqual({});
    expect(stdout).not.toMatch(/[^\n\P{C}]|[\p{Zl}\p{Zp}]/u);
    expect(stdout).not.toMatch(/^SERVICE_URL/m);
    expect(findings['list']).toMatch(/got 403 "[^"]*SERVICE_URL=http:\/\/evil\.example[^"]*"/);
  });

  test('with a challenge, a media type, a pause or the target of a redirect', async () => {
    const latin = Buffer.from(hostile.replaceAll(/[\r\n\u0007\u001b]/g, ''), 'utf8').toString('latin1');
    for (const headers of [
      { 'www-authenticate': `Key name="${latin.replace('"', '\\"')}"` },
      { 'content-type': latin },
      { 'retry-after': latin },
      { 'www-authenticate': `Bearer error_description="${latin.replace('"', '\\"')} is wrong"` },
    ]) {
      const { url } = await startService(respondWith(401, headers));
      const { stdout } = await probe({ SERVICE_URL: url });
      expect(stdout).toMatch(/"[^"]*SERVICE_URL=http:\/\/evil\.example[^"]*"/i);
      expect(stdout).not.toMatch(/[^\n\P{C}]|[\p{Zl}\p{Zp}]/u);
      expect(stdout).not.toMatch(/^SERVICE_URL/m);
    }
    const { url } = await startService(
      respondWith(302, { location: `http://x.example/${encodeURIComponent(hostile)}` }),
    );
    const { stdout } = await probe({ SERVICE_URL: url });
    expect(stdout).toContain(`302 to "http://x.example/${shown}`);
    expect(stdout).not.toMatch(/^SERVICE_URL/m);
  });
});
