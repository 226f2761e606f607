import { createServer, type RequestListener } from 'node:http';
import { Ajv } from 'ajv';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/config/config.js';
import { startMockService, type Habits, type MockService } from '../../src/mock/mockService.js';
import { runProbe, type Output } from '../../src/probe/probe.js';
import { createProbeSchema, type ProbeReport } from '../../src/probe/report.js';
import { CREATE, DELETE, DELETE_EXCEPTION, LIST, READ, TRACK, UPDATE } from '../support/graphql/documents.js';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { startInProcessGateway } from '../support/gateway/inProcessGateway.js';
import { post } from '../support/http/post.js';
import { serve } from '../support/http/serve.js';
import { startFaultProxy } from '../support/service/faultProxy.js';

const TOKEN = 't0ken-of-the-probe';
const SECRET = '5ecret-parameter';
const isValid = new Ajv().compile(createProbeSchema());

interface ProbeRun {
  code: number;
  stdout: string;
  stderr: string;
}

async function run(
  environment: Record<string, string>,
  { hasWrites = false, isJson = true, isTerminal = false } = {},
): Promise<ProbeRun> {
  const texts = { stdout: '', stderr: '' };
  const outputTo = (name: keyof typeof texts): Output => ({
    isTTY: isTerminal,
    write: (text) => void (texts[name] += text),
  });
  const given = { environment: { PROBE_TOKEN: TOKEN, ...environment }, files: new Map(), problems: [] };
  const code = await runProbe({
    config: parseConfig(given.environment),
    given,
    hasWrites,
    isJson,
    stdout: outputTo('stdout'),
    stderr: outputTo('stderr'),
  });
  expect(texts.stdout + texts.stderr).not.toMatch(/t0ken|5ecret/);
  return { code, ...texts };
}

async function probe(environment: Record<string, string>, options?: { hasWrites?: boolean }) {
  const { code, stdout } = await run(environment, options);
  const report = JSON.parse(stdout) as ProbeReport;
  expect(isValid(report), JSON.stringify(isValid.errors)).toBe(true);
  expect(code).toBe(report.ok ? 0 : 1);
  return report;
}

/** The verdict of each point that is no assumption. */
function verdictsOf({ findings }: ProbeReport): Record<string, string> {
  return Object.fromEntries(
    findings.filter(({ verdict }) => verdict !== 'assumed').map(({ point, verdict }) => [point, verdict]),
  );
}

function findingOf({ findings }: ProbeReport, point: string) {
  return findings.find((finding) => finding.point === point);
}

async function startMock(habits: Habits): Promise<MockService> {
  const service = await startMockService({ habits });
  onTestFinished(() => service.stop());
  return service;
}

async function startService(listener: RequestListener): Promise<string> {
  const { url, stop } = await serve(createServer(listener));
  onTestFinished(stop);
  return url;
}

const habitsOfServices: {
  name: string;
  habits: Habits;
  basePath?: string;
  settings: Record<string, string>;
}[] = [
  { name: 'the habits of the contract', habits: {}, settings: {} },
  {
    name: 'the identifier in the query',
    habits: { identifierInQuery: 'guid' },
    settings: { NOTIFICATION_PATH: '/v1/customnotifications?guid={notificationGuid}' },
  },
  {
    name: 'parameters in the query',
    habits: { parametersInQuery: true },
    settings: { TRACKING_PARAMETERS_IN: 'query', EXCEPTION_PARAMETERS_IN: 'query' },
  },
  {
    name: 'another spelling of stop level',
    habits: { stopLevel: 'stoplevel' },
    settings: { STOP_LEVEL_RECIPIENT_TYPE: 'stoplevel' },
  },
  { name: '404 without a body', habits: { hasEmptyNotFound: true }, settings: {} },
  { name: 'a base path', habits: { basePath: '/freight' }, basePath: '/freight', settings: {} },
  {
    name: 'all other habits at once',
    habits: {
      basePath: '/freight',
      identifierInQuery: 'id',
      parametersInQuery: true,
      stopLevel: 'STOPLEVEL',
      hasEmptyNotFound: true,
    },
    basePath: '/freight',
    settings: {
      NOTIFICATION_PATH: '/v1/customnotifications?id={notificationGuid}',
      STOP_LEVEL_RECIPIENT_TYPE: 'STOPLEVEL',
      TRACKING_PARAMETERS_IN: 'query',
      EXCEPTION_PARAMETERS_IN: 'query',
    },
  },
];

describe('--probe-writes against a service with', () => {
  test.each(habitsOfServices)(
    '$name: the gateway with the printed settings makes every operation work',
    async ({ habits, basePath = '', settings }) => {
      const service = await startMock(habits);
      const before = new Set((await listOf(service)).map(({ notificationGuid }) => notificationGuid));
      const url = `${service.url}${basePath}`;
      service.calls.length = 0;
      const report = await probe({ SERVICE_URL: url }, { hasWrites: true });
      expect(report.settings).toEqual(settings);
      expect(report.findings.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
      expect(service.calls.length).toBeLessThan(40);

      // Nothing is left behind.
      expect(new Set((await listOf(service)).map(({ notificationGuid }) => notificationGuid))).toEqual(
        before,
      );
      await expectEveryOperationToWork({ SERVICE_URL: url, ...report.settings }, service);
      // With the settings, nothing is contradicted.
      expect((await probe({ SERVICE_URL: url, ...report.settings }, { hasWrites: true })).ok).toBe(true);
    },
  );

  test('two hosts: the shipment service is probed by its own URL', async () => {
    const [notifications, shipments] = [await startMock({}), await startMock({ parametersInQuery: true })];
    const environment = {
      SERVICE_URL: notifications.url,
      SHIPMENT_SERVICE_URL: shipments.url,
      SHIPMENT_PARAMETERS: JSON.stringify({ apiKey: SECRET }),
    };
    const report = await probe(environment, { hasWrites: true });
    expect(report.settings).toEqual({ TRACKING_PARAMETERS_IN: 'query', EXCEPTION_PARAMETERS_IN: 'query' });
    expect(verdictsOf(report)).toMatchObject({
      'port of SHIPMENT_SERVICE_URL': 'proven',
      TRACKING_PATH: 'proven',
    });
    expect(notifications.calls.filter(({ path }) => path.startsWith('/atlas'))).toEqual([]);
    expect(shipments.calls.map(({ path }) => path).filter((path) => !path.startsWith('/atlas'))).toEqual([]);
    // Another origin does not get the token.
    expect(shipments.calls.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });
});

test('--probe reads alone, and says what it assumes', async () => {
  const service = await startMock({});
  const report = await probe({ SERVICE_URL: service.url });
  expect(verdictsOf(report)).toEqual({
    'name of SERVICE_URL': 'proven',
    'port of SERVICE_URL': 'proven',
    token: 'proven',
    NOTIFICATIONS_PATH: 'proven',
    clock: 'proven',
    'idle connections': 'proven',
    notifications: 'proven',
    totalPossibleCount: 'proven',
    STOP_LEVEL_RECIPIENT_TYPE: 'proven',
    labels: 'proven',
    subtypes: 'proven',
    filters: 'proven',
    notificationMetaData: 'proven',
    NOTIFICATION_PATH: 'proven',
    'missing notification': 'proven',
    SERVICE_TIMEOUT_MS: 'proven',
  });
  expect(new Set(service.calls.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(findingOf(report, 'TRACKING_PARAMETERS_IN')).toEqual({
    point: 'TRACKING_PARAMETERS_IN',
    verdict: 'assumed',
    saw: 'in effect: body; --probe-writes would show it',
    variable: 'TRACKING_PARAMETERS_IN',
    value: null,
  });
});

test('prints a table, the lines for .env and the next step for people', async () => {
  const service = await startMock({ identifierInQuery: 'id' });
  const { code, stdout, stderr } = await run({ SERVICE_URL: service.url }, { isJson: false });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toContain(
    'contradicted  NOTIFICATION_PATH                  404; at /v1/customnotifications?id={notificationGuid} the notification\n',
  );
  expect(stdout.slice(stdout.indexOf('Add to .env'))).toBe(`Add to .env:

NOTIFICATION_PATH='/v1/customnotifications?id={notificationGuid}'

Next: set these variables, and probe again.
`);
});

test('shows on a terminal which point it has reached, and colors the verdicts', async () => {
  const service = await startMock({});
  const options = { isJson: false, isTerminal: true };
  const { stdout, stderr } = await run({ SERVICE_URL: service.url }, options);
  const shown = stderr.split('\r\u001b[K').slice(1);
  expect(shown.slice(0, 2)).toEqual(['name of SERVICE_URL', 'port of SERVICE_URL']);
  expect(shown.at(-1)).toBe(''); // the line is free for what follows
  const green = '\u001b[32m';
  expect(stdout.startsWith(`${green}proven`)).toBe(true);
});

test('behind a proxy, reaches that instead of the service, whose name it may not know', async () => {
  const service = await startMock({});
  const proxy = await startFaultProxy({ 'freight.invalid': '127.0.0.1' });
  onTestFinished(() => proxy.stop());
  const url = `http://freight.invalid:${new URL(service.url).port}`;
  const report = await probe({ SERVICE_URL: url, HTTP_PROXY: proxy.url });
  expect(report.ok).toBe(true);
  expect(verdictsOf(report)).toMatchObject({
    'name of HTTP_PROXY': 'proven',
    'port of HTTP_PROXY': 'proven',
    NOTIFICATIONS_PATH: 'proven',
  });
  expect(new Set(proxy.requests.map(({ target }) => target))).toEqual(new Set([new URL(url).host]));
});

const page: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
};
const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);
const json = { 'content-type': 'application/json' };
const emptyList = JSON.stringify({ data: [], messages: [], totalPossibleCount: 0 });
const failures: { name: string; listener: RequestListener; point: string; saw: RegExp }[] = [
  {
    name: 'rejects the token',
    listener: respondWith(401, json, '{"message":"The token has expired."}'),
    point: 'token',
    saw: /^expected a token that is valid, got 401 "The token has expired\."$/,
  },
  {
    name: 'does not permit the list',
    listener: respondWith(403),
    point: 'token',
    saw: /^expected a token that may list notifications, got 403$/,
  },
  {
    name: 'redirects to a sign-in',
    listener: respondWith(302, { location: 'https://login.example.com/in?user=1' }),
    point: 'token',
    saw: /^expected a list, got 302 to https:\/\/login\.example\.com\/in: sign in once/,
  },
  { name: 'responds with a page', listener: page, point: 'token', saw: /^expected a list, got a page/ },
  {
    name: 'has no such path',
    listener: respondWith(404, json, '{"message":"no Route matched with those values"}'),
    point: 'NOTIFICATIONS_PATH',
    saw: /^expected a list, got 404 "no Route matched with those values": the path, or the base path/,
  },
  {
    name: 'returns something else',
    listener: respondWith(200, json, '{"items":[]}'),
    point: 'list',
    saw: /^expected a list, got 200 The response does not match the contract: \/data/,
  },
  {
    name: 'closes the connection',
    listener: (request) => request.socket.destroy(),
    point: 'response',
    saw: /^expected a response to GET \{NOTIFICATIONS_PATH\}, got none: /,
  },
  {
    name: 'has another clock',
    listener: respondWith(200, { ...json, date: 'Tue, 05 Jan 2021 10:00:00 GMT' }, emptyList),
    point: 'clock',
    saw: /^expected at most 60 s from this machine's, got \d{8,} s$/,
  },
];

describe('--probe fails at a service that', () => {
  test.each(failures)('$name', async ({ listener, point, saw }) => {
    const report = await probe({ SERVICE_URL: await startService(listener) });
    expect(report.ok).toBe(false);
    expect(findingOf(report, point)).toMatchObject({
      verdict: 'failed',
      saw: expect.stringMatching(saw) as string,
    });
  });

  test('cannot be reached', async () => {
    const { url, stop } = await serve(createServer());
    await stop();
    const report = await probe({ SERVICE_URL: url });
    expect(findingOf(report, 'port of SERVICE_URL')).toMatchObject({
      verdict: 'failed',
      saw: expect.stringMatching(/^expected port \d+ to accept connections, got ECONNREFUSED: /) as string,
    });
    expect(
      findingOf(await probe({ SERVICE_URL: 'http://no-such-host.invalid' }), 'name of SERVICE_URL'),
    ).toMatchObject({
      verdict: 'failed',
      saw: expect.stringMatching(/^expected an address, got \w+: check the host in SERVICE_URL$/) as string,
    });
  });
});

test('finds a list at another path', async () => {
  const service = await startService((request, response) =>
    request.url === '/api/customnotifications'
      ? respondWith(200, json, emptyList)(request, response)
      : respondWith(404)(request, response),
  );
  expect((await probe({ SERVICE_URL: service })).settings).toEqual({
    NOTIFICATIONS_PATH: '/api/customnotifications',
  });
});

test('does not take a service that ignores the query for one that reads the identifier from it', async () => {
  const notification = { ...sampleDefinition.request, notificationGuid: 'the-only-one', filters: [] };
  const service = await startService((request, response) =>
    request.url?.startsWith('/v1/customnotifications/')
      ? respondWith(404)(request, response)
      : respondWith(200, json, JSON.stringify({ data: [notification], messages: [] }))(request, response),
  );
  const report = await probe({ SERVICE_URL: service });
  expect(report.settings).toEqual({});
  expect(findingOf(report, 'NOTIFICATION_PATH')).toMatchObject({ verdict: 'failed' });
});

test('claims nothing of a service that responds in the same way to every write', async () => {
  const service = await startService(respondWith(400, json, '{"message":"Bad Request"}'));
  const report = await probe({ SERVICE_URL: service }, { hasWrites: true });
  expect(report.settings).toEqual({});
  for (const variable of ['TRACKING_PARAMETERS_IN', 'LICENSE_PLATE_PARAMETER', 'DRIVER_PHONE_FORMAT'])
    expect(findingOf(report, variable)).toMatchObject({ verdict: 'assumed' });
});

test('says what may be left behind, and sends no write again that may have had an effect', async () => {
  const writes: string[] = [];
  const mock = await startMockService({
    faultFor({ method, path }) {
      if (method === 'GET') return undefined;
      writes.push(`${method} ${path.replace(/[\da-f-]{36}/, 'GUID')}`);
      return method === 'POST' && path === '/v1/customnotifications'
        ? undefined
        : { disconnect: 'beforeResponse' };
    },
  });
  onTestFinished(() => mock.stop());
  const report = await probe({ SERVICE_URL: mock.url }, { hasWrites: true });
  expect(findingOf(report, 'left behind')).toMatchObject({
    verdict: 'failed',
    saw: expect.stringMatching(
      /^the notification [\da-f-]{36}, "gateway probe [\da-f-]{36}", may be left behind/,
    ) as string,
  });
  expect(writes).toEqual([
    'POST /v1/customnotifications',
    'PUT /v1/customnotifications/GUID',
    'DELETE /v1/customnotifications/GUID',
    'POST /atlas/frexapi/shipment/track/',
    'DELETE /atlas/frexapi/shipment/exception',
  ]);
});

async function listOf(service: MockService) {
  for (const basePath of ['', '/freight']) {
    const response = await fetch(`${service.url}${basePath}/v1/customnotifications`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    if (response.ok) return ((await response.json()) as { data: { notificationGuid: string }[] }).data;
  }
  throw new Error('Expected the list');
}

/** Every operation, for a notification and a shipment that exist. */
async function expectEveryOperationToWork(env: Record<string, string>, service: MockService): Promise<void> {
  const gateway = await startInProcessGateway({ url: service.url, stop: () => Promise.resolve() }, { env });
  const data = async (query: string, variables: object = {}) => {
    const { data: result, errors } = await post(gateway.url, { query, variables });
    expect(errors).toBeUndefined();
    return result as Record<string, Record<string, unknown>>;
  };
  try {
    const stopLevel = { notifyStopContactsByEmail: false, notifyStopContactsBySms: false };
    const input = { ...sampleDefinition.input, recipient: { stopLevel } };
    const { createNotification } = await data(CREATE, { input });
    const { notificationGuid: guid } = createNotification?.['notification'] as { notificationGuid: string };
    expect(await data(READ, { guid })).toMatchObject({ notification: { notificationGuid: guid } });
    expect(await data(UPDATE, { guid, input: { notificationName: 'Another name' } })).toMatchObject({
      updateNotification: { notification: { notificationName: 'Another name' } },
    });
    await data(DELETE, { guid });
    expect(await data(READ, { guid })).toEqual({ notification: null });
    expect(await data(LIST)).toMatchObject({ notifications: { totalPossibleCount: 36 } });
    const shipment = {
      hauler: { freightProviderReferenceNumber: 'REF-1008', freightHaulerProviderXid: 'XID-2008' },
    };
    const carrier = { scac: 'EXMD' };
    const tracking = { shipment, carrier, driverPhoneNumber: '+13035550100', shipmentTrackingType: 'Mobile' };
    expect(await data(TRACK, { input: tracking })).toMatchObject({ trackShipment: { tracked: true } });
    // No such exception: the service has understood the identifiers of the shipment.
    const exception = {
      shipment,
      carrier,
      target: { exceptionGuid: '0c0ffee0-0000-4000-8000-000000000001' },
    };
    const { errors = [] } = await post(gateway.url, {
      query: DELETE_EXCEPTION,
      variables: { input: exception },
    });
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['NOT_FOUND']);
  } finally {
    await gateway.stop();
  }
}
