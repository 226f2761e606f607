/** Redirects of the service: what they prove about a write, and what the log says about where they lead. */
import { beforeEach, describe, expect, test } from 'vitest';
import { shared, startInProcessGateway } from '../support/gateway/inProcessGateway.js';
import { bulkFields, bulkOperation, itemAbout, resultError } from '../support/graphql/bulkFields.js';
import {
  asVariables,
  fieldNames,
  SEED_GUID,
  validArguments,
  type FieldName,
  type Operation,
} from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';
import { notification as recordOf } from '../support/service/faultServer.js';
import { startScriptedService, type Reply } from '../support/service/scriptedService.js';
import { forTest, useStarted } from '../support/tools/useStarted.js';

const TOKEN = 'a-token/with+signs==';
const SECRET = 'secret-parameter';
const MESSAGE = 'The service responded with a redirect';

const service = useStarted(() => startScriptedService([SEED_GUID]));
const gateway = useStarted(() =>
  startInProcessGateway(service, {
    env: {
      IDEMPOTENCY_STORE: 'memory',
      SERVICE_URL: `${service.url}/api/`,
      SHIPMENT_SERVICE_URL: `${service.url}/freight`,
      SHIPMENT_PARAMETERS: JSON.stringify({ PortalKey: SECRET }),
    },
    config: { service: { retries: 0 } },
  }),
);
beforeEach(() => {
  service.calls.length = 0;
  gateway.logLines.length = 0;
});

const send = (operation: Operation, headers: Record<string, string> = {}) =>
  post(gateway.url, operation, { token: TOKEN, headers });
const redirect = (status: number, location = '/sign-in?returnUrl=%2F'): Reply => ({
  status,
  type: 'text/html',
  headers: { location },
  body: '<h1>Object moved</h1>',
});
/** Sends a write that selects its report, and returns that. */
const report = async (field: FieldName, args = validArguments(field), headers?: Record<string, string>) => {
  const selection = '{ outcome evidence errors { code message status retryable } }';
  const { data } = await send(asVariables(field, args, selection), headers);
  return (data as Record<string, unknown>)[field];
};
const problems = () =>
  gateway.logLines
    .filter(({ msg }) => msg === 'Upstream response violates the contract')
    .map(({ level, problem }) => [level, problem]);

const rejected = (status: number) => ({
  outcome: 'NOT_APPLIED',
  evidence: 'RESPONSE',
  errors: [{ code: 'SERVICE_RESPONSE_INVALID', message: MESSAGE, status, retryable: false }],
});
const unknown = (status: number) => ({ ...rejected(status), outcome: 'UNKNOWN', evidence: null });
const applied = (evidence: string) => ({ outcome: 'APPLIED', evidence, errors: [] });
const statuses = [300, 301, 302, 303, 304, 305, 307, 308, 399];
const isRejection = (status: number) => status === 307 || status === 308;

describe.each(bulkFields)('%s and %s', (many, one) => {
  test.each(statuses)('report what %i proves', async (status) => {
    service.respond = (method) => (method === 'GET' ? { status: 500 } : redirect(status));
    const expected = isRejection(status) ? rejected(status) : unknown(status);
    expect(await report(one)).toEqual(expected);
    const { data, errors } = await send(bulkOperation(many, [itemAbout(one, 'a'), itemAbout(one, 'b')]));
    const { outcome, evidence } = expected;
    const result = {
      outcome,
      evidence,
      errors: [resultError('SERVICE_RESPONSE_INVALID', MESSAGE, { status })],
    };
    expect({ data, errors }).toEqual({
      data: {
        [many]: {
          results: [result, result],
          applied: 0,
          notApplied: isRejection(status) ? 2 : 0,
          unknown: isRejection(status) ? 0 : 2,
        },
      },
      errors: undefined,
    });
    expect(service.calls.filter((call) => !call.startsWith('GET'))).toHaveLength(3);
    // After a 307 or 308 there is nothing to find out.
    if (isRejection(status)) expect(service.calls).toHaveLength(3);
  });
});

test.each([
  [301, '/freight/atlas/frexapi/shipment/track', 'NOT_APPLIED', 'the path without its slash'],
  [301, '/Freight/Atlas/frexapi/shipment/track/', 'NOT_APPLIED', 'another letter case'],
  [301, '/freight/atlas/frexapi/shipment/track/', 'UNKNOWN', 'the same path'],
  [301, '/freight/atlas/frexapi/shipment/track/7', 'UNKNOWN', 'a result'],
  [302, '/freight/atlas/frexapi/shipment/track', 'UNKNOWN', 'what may be a page'],
  [303, '/freight/atlas/frexapi/shipment/track', 'UNKNOWN', 'what may be a page'],
  [301, 'https', 'NOT_APPLIED', 'https'],
  [302, 'https', 'UNKNOWN', 'what may be the result of a write'],
  [303, 'https', 'UNKNOWN', 'what may be a page'],
])('%i to %s is %s: it leads to %s', async (status, location, outcome) => {
  const { hostname } = new URL(service.url);
  const target =
    location === 'https' ? `https://${hostname}/freight/atlas/frexapi/shipment/track/` : location;
  service.respond = () => redirect(status, target);
  expect(await report('trackShipment')).toMatchObject({ outcome });
});

test.each(['notification', 'notifications'] as const)('%s fails with every redirect', async (field) => {
  for (const status of statuses) {
    service.respond = () => redirect(status);
    expect((await send(asVariables(field, validArguments(field)))).errors).toMatchObject([
      { message: MESSAGE, extensions: { code: 'SERVICE_RESPONSE_INVALID', status, retryable: false } },
    ]);
  }
});

test('No redirect to another origin is followed, which would get the token', async () => {
  const elsewhere = await forTest(startScriptedService([SEED_GUID]));
  for (const location of [`${elsewhere.url}/elsewhere`, elsewhere.url.replace('http:', '')]) {
    service.respond = () => redirect(307, location);
    for (const field of fieldNames) await send(asVariables(field, validArguments(field)));
  }
  expect(elsewhere.calls).toEqual([]);
});

test.each([307, 308])('%i rejects a write even if its body is lost or late', async (status) => {
  for (const bodyIs of ['cut', 'late'] as const) {
    service.respond = () => ({ ...redirect(status), bodyIs });
    const own = await forTest(
      startInProcessGateway(shared(service), { env: { SERVICE_TIMEOUT_MS: '2000' } }),
    );
    const { errors } = await post(own.url, asVariables('trackShipment', validArguments('trackShipment')));
    expect(errors).toMatchObject([{ message: MESSAGE, extensions: { outcome: 'NOT_APPLIED', status } }]);
  }
});

test('An update with the response 302 is read back, and a repeat of one with 307 is sent again', async () => {
  const record = recordOf(SEED_GUID, 'robin.planner');
  const found = { body: JSON.stringify({ data: [record], messages: [] }) };
  const rename = { notificationGuid: SEED_GUID, input: { notificationName: record.notificationName } };
  const headers = { 'idempotency-key': '5f2b1c1e-8a64-4b0e-9d6c-1f3a7e2c9b48' };
  const respondToWrite = (reply: Reply) => {
    service.respond = (method) => (method === 'GET' ? found : reply);
  };
  respondToWrite(redirect(302));
  expect(await report('updateNotification', rename)).toEqual(applied('READ_BACK'));
  respondToWrite(redirect(307));
  expect(await report('updateNotification', rename, headers)).toEqual(rejected(307));
  respondToWrite(found);
  expect(await report('updateNotification', rename, headers)).toEqual(applied('RESPONSE'));
  expect(service.calls.map((call) => call.split(' ')[0]).join(' ')).toBe('GET PUT GET GET PUT GET PUT');
});

describe('The log', () => {
  const ELSEWHERE = 'https://login.example.com';
  const host = () => new URL(service.url).hostname;
  const port = () => new URL(service.url).port;

  test.each<[what: string, location: () => string, problem: () => string]>([
    ['origin and path', () => `${ELSEWHERE}/sign-in`, () => `to ${ELSEWHERE}/sign-in`],
    [
      'neither user information, query nor fragment',
      () => 'https://ann:pass@login.example.com:8443/a;b?token=x#y',
      () => `to ${ELSEWHERE}:8443/a;b`,
    ],
    ['the origin of a path', () => '/sign-in?returnUrl=%2Fapi', () => `to ${service.url}/sign-in`],
    [
      'the variable that has to name https',
      () => `https://${host()}/api/v1/customnotifications/x?a=b`,
      () => `to https://${host()}/api/v1/customnotifications/x; set SERVICE_URL to https://${host()}/api`,
    ],
    [
      'no variable if the scheme stays the same',
      () => `http://${host()}:${port()}/api/other`,
      () => `to ${service.url}/api/other`,
    ],
    [
      'no token in a path',
      () => `${ELSEWHERE}/a/${encodeURIComponent(TOKEN)}/b`,
      () => `to ${ELSEWHERE}[redacted]`,
    ],
    ['no secret in a host', () => `https://${SECRET}.test/a`, () => 'to [redacted]/a'],
    [
      'no personal data in a path',
      () => `${ELSEWHERE}/user/ann%40example.com/13035550100/e124b63a-74ab-43ac-abaf-d7512394501a`,
      () => `to ${ELSEWHERE}/user/[redacted]/[redacted]/[redacted]`,
    ],
    [
      'at most 200 characters of a path',
      () => `${ELSEWHERE}/${'long/'.repeat(2000)}`,
      () => `to ${ELSEWHERE}/${'long/'.repeat(39)}long…`,
    ],
    ...['javascript:alert(1)', 'ftp://example.com/', 'https://', 'http://[', 'data:,x'].map(
      (location): [string, () => string, () => string] => [
        `no target for ${location}`,
        () => location,
        () => 'with a Location that is not an HTTP URL',
      ],
    ),
  ])('names %s', async (_what, location, problem) => {
    service.respond = () => redirect(307, location());
    await report('updateNotification');
    expect(problems()).toEqual([[40, `${MESSAGE}; 307 ${problem()}`]]);
  });

  test('names the variable of the shipment operations', async () => {
    service.respond = () => redirect(308, `https://${host()}/`);
    await report('trackShipment');
    expect(problems()).toEqual([
      [40, `${MESSAGE}; 308 to https://${host()}/; set SHIPMENT_SERVICE_URL to https://${host()}/freight`],
    ]);
  });

  test('says that there is no Location', async () => {
    service.respond = () => ({ status: 304 });
    await send(asVariables('notification', validArguments('notification')));
    expect(problems()).toEqual([[40, `${MESSAGE}; 304 without a Location`]]);
  });
});
