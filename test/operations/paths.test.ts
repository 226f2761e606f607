import { describe, expect, test } from 'vitest';
import type { RestCall } from '../../src/mock/mockService.js';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, DELETE, LIST, READ, READ_SEVERAL, UPDATE } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf, type RestCallSummary } from '../support/service/restCalls.js';
import { licensePlateCalls } from '../support/graphql/shipmentOperations.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const DOCUMENTED = '/v1/customnotifications';
const { input, request: body } = sampleDefinition;
const stopLevel = oneNotification('stopLevel');
const notification = {
  ...stopLevel.notification,
  ...body,
  notificationTypes: [...body.notificationTypes],
  filters: [],
};
const envelope = { ...stopLevel.envelope, data: [notification] };
const expected = expectedNotification(notification);
const guid = notification.notificationGuid;

const PUT_BODY = { ...body, notificationGuid: guid };

/** A configuration of paths, and the REST calls of one notification that it leads to. */
interface Configuration {
  what: string;
  env: Record<string, string>;
  toDocumentedForm: (call: RestCall) => RestCall;
  /** @default the documented one */
  list?: string;
  one: { get: RestCallSummary; put: RestCallSummary; delete: RestCallSummary };
  /** An identifier with characters to be encoded, and the call that reads it. */
  unusual: [id: string, call: RestCallSummary];
}

const custom = `/api/${guid}/definition/`;
const documented: Record<string, string> = {
  '/api/notices/all': DOCUMENTED,
  [custom]: `${DOCUMENTED}/${guid}`,
  '/api/a%20b/definition/': `${DOCUMENTED}/a%20b`,
  ...Object.fromEntries(licensePlateCalls.map(({ pathVariable, path }) => [`/${pathVariable}/x/`, path])),
};
const WITHOUT = '/v1/notification';

const configurations: Configuration[] = [
  {
    what: 'a custom path for each REST operation',
    env: {
      NOTIFICATIONS_PATH: '/api/notices/all',
      NOTIFICATION_PATH: '/api/{notificationGuid}/definition/',
      ...Object.fromEntries(
        licensePlateCalls.map(({ pathVariable }) => [pathVariable, `/${pathVariable}/x/`]),
      ),
    },
    toDocumentedForm: (call) => ({ ...call, path: documented[call.path] ?? call.path }),
    list: '/api/notices/all',
    one: {
      get: restCall('GET', custom),
      put: restCall('PUT', custom, { body: PUT_BODY }),
      delete: restCall('DELETE', custom),
    },
    unusual: ['a b', restCall('GET', '/api/a%20b/definition/')],
  },
  {
    what: 'a NOTIFICATION_PATH without the placeholder, which sends it in the query of a GET and the body of others',
    env: { NOTIFICATION_PATH: WITHOUT },
    // A PUT keeps the identifier in its body, too, as the contract documents.
    toDocumentedForm(call) {
      if (call.path !== WITHOUT) return call;
      const { notificationGuid: id } = (
        call.method === 'GET' ? Object.fromEntries(new URLSearchParams(call.query)) : JSON.parse(call.body)
      ) as { notificationGuid: string };
      const inPath = { ...call, path: `${DOCUMENTED}/${encodeURIComponent(id)}` };
      if (call.method === 'PUT') return inPath;
      return { ...inPath, query: '', body: '', headers: { ...call.headers, 'content-type': undefined } };
    },
    one: {
      get: restCall('GET', WITHOUT, { query: `notificationGuid=${guid}` }),
      put: restCall('PUT', WITHOUT, { body: PUT_BODY }),
      delete: restCall('DELETE', WITHOUT, { body: { notificationGuid: guid } }),
    },
    unusual: ['a&b=c d', restCall('GET', WITHOUT, { query: 'notificationGuid=a%26b%3Dc+d' })],
  },
  {
    what: 'the placeholder in the query of NOTIFICATION_PATH',
    env: { NOTIFICATION_PATH: `${DOCUMENTED}?notificationGuid={notificationGuid}` },
    toDocumentedForm(call) {
      const id = new URLSearchParams(call.query).get('notificationGuid');
      return id === null ? call : { ...call, path: `${DOCUMENTED}/${encodeURIComponent(id)}`, query: '' };
    },
    one: {
      get: restCall('GET', DOCUMENTED, { query: `notificationGuid=${guid}` }),
      put: restCall('PUT', DOCUMENTED, { query: `notificationGuid=${guid}`, body: PUT_BODY }),
      delete: restCall('DELETE', DOCUMENTED, { query: `notificationGuid=${guid}` }),
    },
    unusual: [
      "a&b=c d+e#f?g'",
      restCall('GET', DOCUMENTED, { query: "notificationGuid=a%26b%3Dc%20d%2Be%23f%3Fg'" }),
    ],
  },
];

describe.each(configurations)('With $what', ({ env, toDocumentedForm, list = DOCUMENTED, one, unusual }) => {
  const gateway = useGateway({ env: { ...env, EXPLORER: 'true' }, toDocumentedForm });
  const payload = { notification: expected, messages: [] };
  const listed = { notifications: [expected], totalPossibleCount: 1, messages: [] };

  test.each<[field: string, document: string, variables: object, value: unknown, call: RestCallSummary]>([
    ['createNotification', CREATE, { input }, payload, restCall('POST', list, { body })],
    ['updateNotification', UPDATE, { guid, input }, payload, one.put],
    ['notification', READ, { guid }, expected, one.get],
    ['notificationsByGuid', READ_SEVERAL, { guids: [guid] }, [expected], one.get],
    ['notifications', LIST, { parameters: { page: 2 } }, listed, restCall('GET', list, { query: 'page=2' })],
    ['deleteNotification', DELETE, { guid }, { notificationGuid: guid, messages: [] }, one.delete],
  ])('%s uses it', async (field, document, variables, value, call) => {
    gateway.injectFaults(call.method === 'DELETE' ? { status: 204 } : { body: JSON.stringify(envelope) });
    expect(await gateway.data(document, { variables: { ...variables } })).toEqual({ [field]: value });
    expect(summariesOf(gateway.takeCalls())).toEqual([call]);
  });

  test('an unusual identifier is encoded', async () => {
    const [id, call] = unusual;
    gateway.injectFaults({ status: 404 });
    expect(await gateway.data(READ, { variables: { guid: id } })).toEqual({ notification: null });
    expect(summariesOf(gateway.takeCalls())).toEqual([call]);
  });

  test.each(licensePlateCalls)('$name has its own path', async (call) => {
    gateway.injectFaults(call.success);
    expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall(call.method, env[call.pathVariable] ?? call.path, { body: call.parameters }),
    ]);
  });

  test('the read after an update has the path of a read', async () => {
    gateway.injectFaults({ status: 204 }, { status: 404, body: JSON.stringify({ messages: [] }) });
    await gateway.data(UPDATE, { variables: { guid, input } });
    expect(summariesOf(gateway.takeCalls())).toEqual([one.put, one.get]);
  });

  test('the trace has the template and a command that can be repeated', async () => {
    gateway.injectFaults({ body: JSON.stringify(envelope) });
    const headers = { 'x-gateway-trace': '1' };
    const { extensions } = await gateway.execute(READ, { variables: { guid }, headers });
    gateway.takeCalls();
    const url = `$SERVICE_URL${one.get.path}${one.get.query && `?${one.get.query}`}`;
    const curl = expect.stringContaining(`curl -X GET "${url}"`) as string;
    expect(extensions).toMatchObject({ trace: [{ method: 'GET', path: env['NOTIFICATION_PATH'], curl }] });
  });
});

describe('With a fixed parameter in the query of NOTIFICATION_PATH and no placeholder', () => {
  const gateway = useGateway({
    env: { NOTIFICATION_PATH: '/api/notice?tenant=5' },
    toDocumentedForm: (call) => ({
      ...call,
      path: `${DOCUMENTED}/${guid}`,
      query: '',
      body: '',
      headers: { ...call.headers, 'content-type': undefined },
    }),
  });

  test('a read adds the identifier to the query, and a deletion sends it in the body', async () => {
    gateway.injectFaults({ body: JSON.stringify(envelope) }, { status: 204 });
    await gateway.data(READ, { variables: { guid } });
    await gateway.data(DELETE, { variables: { guid } });
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall('GET', '/api/notice', { query: `tenant=5&notificationGuid=${guid}` }),
      restCall('DELETE', '/api/notice', { query: 'tenant=5', body: { notificationGuid: guid } }),
    ]);
  });
});

describe.each([['/api/notices'], ['/api/notices/']])('With NOTIFICATIONS_PATH=%s alone', (list) => {
  const gateway = useGateway({
    env: { NOTIFICATIONS_PATH: list },
    toDocumentedForm: (call) => ({
      ...call,
      path: call.path.replace(/^\/api\/notices\/?$/, DOCUMENTED).replace('/api/notices', DOCUMENTED),
    }),
  });

  test('the path of one notification follows it', async () => {
    gateway.injectFaults({ body: JSON.stringify(envelope) }, { body: JSON.stringify(envelope) });
    await gateway.data(LIST);
    await gateway.data(READ, { variables: { guid } });
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall('GET', list),
      restCall('GET', `/api/notices/${guid}`),
    ]);
  });
});
