import { describe, expect, test } from 'vitest';
import type { RestCall } from '../../src/mock/mockService.js';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, DELETE, LIST, READ, READ_SEVERAL, UPDATE } from '../support/graphql/documents.js';
import { responseExample, oneNotification } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { licensePlateCalls } from '../support/graphql/shipmentOperations.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const DOCUMENTED = '/v1/customnotifications';
const { notification, envelope } = oneNotification('stopLevel');
const expected = expectedNotification(notification);
const guid = notification.notificationGuid;
const { input, request: body } = sampleDefinition;

/** An operation, its result and its REST calls, each of which gets the envelope as response. */
type Case = [name: string, document: string, variables: object, data: object, calls: object[]];

function casesOf(list: string, one: { get: object; put: object; delete: object }): Case[] {
  const payload = { notification: expected, messages: [] };
  return [
    [
      'createNotification',
      CREATE,
      { input },
      { createNotification: payload },
      [restCall('POST', list, { body })],
    ],
    ['updateNotification', UPDATE, { guid, input }, { updateNotification: payload }, [one.put]],
    ['notification', READ, { guid }, { notification: expected }, [one.get]],
    ['notificationsByGuid', READ_SEVERAL, { guids: [guid] }, { notificationsByGuid: [expected] }, [one.get]],
    [
      'notifications',
      LIST,
      { parameters: { page: 2 } },
      { notifications: { notifications: [expected], totalPossibleCount: 1, messages: [] } },
      [restCall('GET', list, { query: 'page=2' })],
    ],
    [
      'deleteNotification',
      DELETE,
      { guid },
      { deleteNotification: { notificationGuid: guid, messages: [] } },
      [one.delete],
    ],
  ];
}

describe('With a custom path for each REST operation', () => {
  const env = {
    NOTIFICATIONS_PATH: '/api/notices/all',
    NOTIFICATION_PATH: '/api/{notificationGuid}/definition/',
    TRACKING_PATH: '/t',
    EXCEPTION_PATH: '/e/x/',
  };
  const documented: Record<string, string> = {
    '/api/notices/all': DOCUMENTED,
    [`/api/${guid}/definition/`]: `${DOCUMENTED}/${guid}`,
    '/api/a%20b/definition/': `${DOCUMENTED}/a%20b`,
    '/t': '/atlas/frexapi/shipment/track/',
    '/e/x/': '/atlas/frexapi/shipment/exception',
  };
  const path = `/api/${guid}/definition/`;
  const configured = new Map(Object.entries(documented).map(([custom, standard]) => [standard, custom]));
  const gateway = useGateway({
    env,
    toDocumentedForm: (call) => ({ ...call, path: documented[call.path] ?? call.path }),
  });

  test.each(
    casesOf('/api/notices/all', {
      get: restCall('GET', path),
      put: restCall('PUT', path, { body: { ...body, notificationGuid: guid } }),
      delete: restCall('DELETE', path),
    }),
  )('%s uses the configured path', async (_field, document, variables, data, calls) => {
    gateway.injectFaults({ body: JSON.stringify(envelope) });
    expect(await gateway.data(document, { variables: { ...variables } })).toEqual(data);
    expect(summariesOf(gateway.takeCalls())).toEqual(calls);
  });

  test('an identifier is percent-encoded within its path', async () => {
    gateway.injectFaults({ status: 404 });
    expect(await gateway.data(READ, { variables: { guid: 'a b' } })).toEqual({ notification: null });
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', '/api/a%20b/definition/')]);
  });

  test.each(licensePlateCalls)('$name uses the configured path', async (call) => {
    gateway.injectFaults(call.success);
    expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
    const customPath = configured.get(call.path) ?? '';
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall(call.method, customPath, { body: call.parameters }),
    ]);
  });
});

describe('With a NOTIFICATION_PATH without the placeholder', () => {
  const path = '/v1/notification';
  /** Moves the identifier back into the path. A PUT keeps it in its body, too, as the contract documents. */
  const toDocumentedForm = (call: RestCall): RestCall => {
    if (call.path !== path) return call;
    const parameters = (
      call.method === 'GET' ? Object.fromEntries(new URLSearchParams(call.query)) : JSON.parse(call.body)
    ) as { notificationGuid: string };
    const inPath = { ...call, path: `${DOCUMENTED}/${encodeURIComponent(parameters.notificationGuid)}` };
    if (call.method === 'PUT') return inPath;
    return { ...inPath, query: '', body: '', headers: { ...call.headers, 'content-type': undefined } };
  };
  const gateway = useGateway({ env: { NOTIFICATION_PATH: path }, toDocumentedForm });

  test.each(
    casesOf(DOCUMENTED, {
      get: restCall('GET', path, { query: `notificationGuid=${guid}` }),
      put: restCall('PUT', path, { body: { ...body, notificationGuid: guid } }),
      delete: restCall('DELETE', path, { body: { notificationGuid: guid } }),
    }),
  )(
    '%s sends the identifier in the query string of a GET and in the body of other methods',
    async (_field, document, variables, data, calls) => {
      gateway.injectFaults({ body: JSON.stringify(envelope) });
      expect(await gateway.data(document, { variables: { ...variables } })).toEqual(data);
      expect(summariesOf(gateway.takeCalls())).toEqual(calls);
    },
  );

  test('the read after an update sends the identifier in the query string', async () => {
    gateway.injectFaults(
      { status: 204 },
      { status: 404, body: JSON.stringify(responseExample('readNotification', '404', 'unknown')) },
    );
    expect(await gateway.data(UPDATE, { variables: { guid: 'a&b=c d', input } })).toEqual({
      updateNotification: { notification: null, messages: [] },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall('PUT', path, { body: { ...body, notificationGuid: 'a&b=c d' } }),
      restCall('GET', path, { query: 'notificationGuid=a%26b%3Dc+d' }),
    ]);
  });
});

describe('With a NOTIFICATION_PATH that has the placeholder in its query', () => {
  /** Moves the identifier back into the path. */
  const toDocumentedForm = (call: RestCall): RestCall => {
    const id = new URLSearchParams(call.query).get('notificationGuid');
    if (id === null) return call;
    return { ...call, path: `${DOCUMENTED}/${encodeURIComponent(id)}`, query: '' };
  };
  const gateway = useGateway({
    env: {
      NOTIFICATION_PATH: `${DOCUMENTED}?notificationGuid={notificationGuid}`,
      EXPLORER: 'true',
    },
    toDocumentedForm,
  });
  const query = `notificationGuid=${guid}`;

  test.each(
    casesOf(DOCUMENTED, {
      get: restCall('GET', DOCUMENTED, { query }),
      put: restCall('PUT', DOCUMENTED, { query, body: { ...body, notificationGuid: guid } }),
      delete: restCall('DELETE', DOCUMENTED, { query }),
    }),
  )('%s sends the identifier in the query string', async (_field, document, variables, data, calls) => {
    gateway.injectFaults({ body: JSON.stringify(envelope) });
    expect(await gateway.data(document, { variables: { ...variables } })).toEqual(data);
    expect(summariesOf(gateway.takeCalls())).toEqual(calls);
  });

  test('an identifier is percent-encoded within its parameter', async () => {
    gateway.injectFaults({ status: 404 });
    const variables = { guid: "a&b=c d+e#f?g'" };
    expect(await gateway.data(READ, { variables })).toEqual({ notification: null });
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall('GET', DOCUMENTED, { query: "notificationGuid=a%26b%3Dc%20d%2Be%23f%3Fg'" }),
    ]);
  });

  test('the trace has the template and a command that can be repeated', async () => {
    gateway.injectFaults({ body: JSON.stringify(envelope) });
    const { extensions } = await gateway.execute(READ, {
      variables: { guid },
      headers: { 'x-gateway-trace': '1' },
    });
    expect(extensions).toMatchObject({
      trace: [
        {
          method: 'GET',
          path: `${DOCUMENTED}?notificationGuid={notificationGuid}`,
          curl: expect.stringContaining(
            `curl -X GET "$SERVICE_URL${DOCUMENTED}?notificationGuid=${guid}"`,
          ) as string,
        },
      ],
    });
    gateway.takeCalls();
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
