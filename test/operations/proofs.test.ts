/** What a response of the service proves: 404 to reads, to writes and to reads after writes, 202, and what caches stored. */
import { beforeEach, describe, expect, test } from 'vitest';
import { splitEvidence, withEvidence } from '../support/graphql/evidence.js';
import {
  startInProcessGateway,
  type ConfigOverrides,
  type InProcessGateway,
} from '../support/gateway/inProcessGateway.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { otherWrites, readBackOf, writes } from '../support/graphql/faultOperations.js';
import {
  asVariables,
  entryOf,
  SEED_GUID,
  validArguments,
  type FieldName,
} from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';
import { notification as recordOf } from '../support/service/faultServer.js';
import {
  startScriptedService,
  type Reply,
  type ScriptedService,
} from '../support/service/scriptedService.js';
import { forTest, useStarted } from '../support/tools/useStarted.js';

const guid = '3f0a7c1e-2b64-4e7f-9a55-0c8d1e2f3a01';
const LIST = '/v1/customnotifications';
const ONE = `${LIST}/${guid}`;
const TEMPLATE = `${LIST}/{notificationGuid}`;
const record = { ...recordOf(guid, 'robin.planner'), lastUpdateDate: '2024-05-01T08:30:00.1234567-05:00' };
const found = (changes: object = {}): Reply => ({
  body: JSON.stringify({ data: [{ ...record, ...changes }], messages: [], totalPossibleCount: 1 }),
});
const jsonNotFound: Reply = { status: 404, body: '{"messages":["There is none."]}' };
const unavailable: Reply = { status: 503, type: 'text/html', body: '<h1>Service Unavailable</h1>' };

const READ = `{ notification(notificationGuid: "${guid}") { notificationName } }`;
const DELETE = `mutation { deleteNotification(notificationGuid: "${guid}") { notificationGuid messages } }`;
const RENAME = `mutation { updateNotification(notificationGuid: "${guid}", input: { notificationName: "New name" }) { notification { notificationName } messages } }`;

interface Started extends InProcessGateway {
  service: ScriptedService;
  send(query: string, variables?: object, headers?: Record<string, string>): Promise<Record<string, unknown>>;
}

function start(env: Record<string, string> = {}, overrides?: ConfigOverrides): Promise<Started> {
  return forTest(startUntilStopped(env, overrides));
}

async function startUntilStopped(
  env: Record<string, string> = {},
  config: ConfigOverrides = {},
): Promise<Started> {
  const service = await startScriptedService([guid, SEED_GUID]);
  const gateway = await startInProcessGateway(service, {
    env: { IDEMPOTENCY_STORE: 'memory', ...env },
    config: { ...config, service: { retries: 0, ...config.service } },
  });
  return {
    ...gateway,
    service,
    async send(query, variables, headers = {}) {
      const response = await post(gateway.url, { query: withEvidence(query), variables }, { headers });
      const { data, ...others } = JSON.parse(response.text) as Record<string, unknown>;
      const { evidence, ...rest } = splitEvidence(data);
      return { ...rest, ...others, ...(evidence && { evidence }) };
    },
  };
}

/** For what does not depend on earlier responses. */
const gateway = useStarted(() => startUntilStopped());
beforeEach(() => {
  gateway.logLines.length = 0;
});

/** Responds to each method, and to the control read. */
function script(
  service: ScriptedService,
  replies: Partial<Record<'control' | 'DELETE' | 'GET' | 'POST' | 'PUT', Reply[] | Reply>>,
) {
  const queues = new Map(Object.entries(replies).map(([key, each]) => [key, [each].flat()]));
  service.calls.length = 0;
  service.respond = (method, path) => {
    const queue = queues.get(path.endsWith('control') ? 'control' : method) ?? [];
    return (queue.length > 1 ? queue.shift() : queue[0]) ?? { status: 418 };
  };
}

const error = (document: string, field: string, message: string, extensions: object) => ({
  data: { [field]: null },
  errors: [fieldError(document, [field], message, { retryable: false, ...extensions })],
});
const FOREIGN = 'The 404 response is neither empty nor JSON';
const INCOMPLETE = 'The 404 response is incomplete';
/** 404 responses that do not say that a notification is missing, what the log says of them, and what they say themselves. */
const foreign404s: [what: string, reply: Reply, message: string, problem: string, said?: string][] = [
  [
    'HTML',
    { type: 'text/html; charset=utf-8', body: '<h1>Not Found</h1>' },
    FOREIGN,
    `${FOREIGN}; got text/html`,
  ],
  [
    'plain text',
    { type: 'text/plain', body: 'Not Found' },
    FOREIGN,
    `${FOREIGN}; got text/plain`,
    'Not Found',
  ],
  [
    'a text without a media type',
    { type: '', body: 'nope' },
    FOREIGN,
    `${FOREIGN}; got no media type`,
    'nope',
  ],
  ['a number as plain text', { type: 'text/plain', body: '404' }, FOREIGN, `${FOREIGN}; got text/plain`],
  ['JSON that is invalid', { body: '{"messages":' }, FOREIGN, FOREIGN],
  ['a body that is cut off', { body: '{}', bodyIs: 'cut' }, INCOMPLETE, INCOMPLETE],
  [
    'a body that is too long',
    { type: 'text/html', body: ' '.repeat(400_000) },
    INCOMPLETE,
    `${INCOMPLETE}; got text/html`,
  ],
];
/** With a maximum response of 312,500 bytes. */
const config = { service: { maxResponseBytes: 312_500 } };

const gatewayOfRouter = useStarted(() =>
  startUntilStopped({ SUBGRAPH_TOKEN: 'a-token-of-a-router' }, config),
);
beforeEach(() => void gatewayOfRouter.logLines.splice(0));
const logged = () =>
  gatewayOfRouter.logLines
    .filter(({ msg }) => msg === 'Upstream response violates the contract')
    .map(({ level, method, origin, route, problem }) => ({ level, method, origin, route, problem }));

describe.each(foreign404s)('A 404 with %s', (_what, reply, message, problem, said) => {
  const foreign = {
    code: 'SERVICE_RESPONSE_INVALID',
    status: 404,
    ...(said !== undefined && { serviceMessages: [said] }),
  };
  const reply404 = { ...reply, status: 404 };
  const gateway = gatewayOfRouter;

  test('is an error of reads, and the log says which path may be wrong', async () => {
    script(gateway.service, { GET: reply404 });
    expect(await gateway.send(READ)).toEqual(error(READ, 'notification', message, foreign));
    const many = `{ notificationsByGuid(notificationGuids: ["${guid}"]) { notificationName } }`;
    expect(await gateway.send(many)).toEqual({
      data: { notificationsByGuid: [null] },
      errors: [fieldError(many, ['notificationsByGuid', 0], message, { ...foreign, retryable: false })],
    });
    const entities = `{ _entities(representations: [{ __typename: "Notification", notificationGuid: "${guid}" }]) { __typename } }`;
    expect(await gateway.send(entities, {}, { 'x-subgraph-token': 'a-token-of-a-router' })).toEqual({
      data: { _entities: [null] },
      errors: [fieldError(entities, ['_entities', 0], message, { ...foreign, retryable: false })],
    });
    expect(gateway.service.calls).toEqual(Array(3).fill(`GET ${ONE}`));
    expect(logged()).toEqual(
      Array(3).fill({
        level: 40,
        method: 'GET',
        origin: gateway.service.url,
        route: TEMPLATE,
        problem: `${problem}; NOTIFICATION_PATH may be wrong`,
      }),
    );
  });

  test('to the read before a write is an error of the write, which is not sent', async () => {
    script(gateway.service, { GET: reply404 });
    const remove = `mutation { deleteNotification(notificationGuid: "${guid}", ifLastUpdateDate: "${record.lastUpdateDate}") { messages } }`;
    for (const [document, field] of [
      [RENAME, 'updateNotification'],
      [remove, 'deleteNotification'],
    ] as const)
      expect(await gateway.send(document)).toEqual(
        error(document, field, message, { ...foreign, outcome: 'NOT_APPLIED' }),
      );
    expect(gateway.service.calls).toEqual(Array(2).fill(`GET ${ONE} no-cache`));
  });
});

test.each(writes)('A 404 with HTML to %s rejects it, and the log names its path', async (field) => {
  const { method, pathVariable } = entryOf(field).operation;
  script(gatewayOfRouter.service, {
    [method]: { status: 404, type: 'text/html; charset=utf-8', body: '<h1>Not Found</h1>' },
  });
  const { query, variables } = asVariables(field, validArguments(field));
  const foreign = { code: 'SERVICE_RESPONSE_INVALID', status: 404, outcome: 'NOT_APPLIED' };
  expect(await gatewayOfRouter.send(query, variables)).toEqual(error(query, field, FOREIGN, foreign));
  expect(gatewayOfRouter.service.calls).toHaveLength(1);
  const problem = `${FOREIGN}; got text/html; ${pathVariable} may be wrong`;
  expect(logged()).toMatchObject([{ method, problem }]);
});

test('A list whose notifications are not found by their identifiers says that the path may be wrong, once a minute', async () => {
  const gateway = await start({});
  gateway.service.respond = (_method, path) => (path.startsWith(`${LIST}/`) ? jsonNotFound : found());
  const absent = READ.replace(guid, SEED_GUID);
  await gateway.send(absent);
  await gateway.send('{ notifications { totalPossibleCount } }');
  for (const query of [absent, READ, READ.replace(guid, guid.toUpperCase())]) await gateway.send(query);
  expect(gateway.logLines.filter(({ level }) => Number(level) >= 40)).toMatchObject([
    {
      msg: 'Upstream response deviates from the contract',
      method: 'GET',
      origin: gateway.service.url,
      route: TEMPLATE,
      problem: 'found nothing for a notification of the list; NOTIFICATION_PATH may be wrong',
    },
  ]);
});

test('A read-back of a deletion that finds nothing does not say that the path may be wrong', async () => {
  const gateway = await start({});
  script(gateway.service, { GET: [found(), jsonNotFound], DELETE: unavailable });
  await gateway.send('{ notifications { totalPossibleCount } }');
  expect(await gateway.send(DELETE)).toMatchObject({ errors: [{ extensions: { outcome: 'UNKNOWN' } }] });
  expect(gateway.logLines.filter(({ msg }) => String(msg).startsWith('Upstream response'))).toEqual([]);
});

test('A 404 whose body is late proves nothing to a read, and rejects a write', async () => {
  const gateway = await start({ SERVICE_TIMEOUT_MS: '2000' });
  const late: Reply = { ...jsonNotFound, bodyIs: 'late' };
  script(gateway.service, { GET: late, DELETE: late });
  expect(await Promise.all([gateway.send(READ), gateway.send(DELETE)])).toEqual([
    error(READ, 'notification', INCOMPLETE, { code: 'SERVICE_RESPONSE_INVALID', status: 404 }),
    error(DELETE, 'deleteNotification', INCOMPLETE, {
      code: 'SERVICE_RESPONSE_INVALID',
      status: 404,
      outcome: 'NOT_APPLIED',
    }),
  ]);
});

test.each<[what: string, reply: Reply]>([
  ['JSON', jsonNotFound],
  ['problem details', { status: 404, type: 'application/problem+json', body: '{"title":"Not Found"}' }],
  ['no body', { status: 404 }],
  ['no body, but a media type', { status: 404, type: 'text/html' }],
])('A 404 with %s means that there is no such notification', async (_what, reply) => {
  script(gateway.service, { GET: reply });
  expect(await gateway.send(READ)).toEqual({ data: { notification: null } });
  expect(gateway.logLines.filter(({ level }) => level === 40)).toEqual([]);
});

describe('A deletion that a proxy fails with 503', () => {
  const confirmed = {
    data: { deleteNotification: { notificationGuid: guid, messages: [] } },
    evidence: { deleteNotification: 'READ_BACK' },
  };
  const unknown = error(DELETE, 'deleteNotification', serviceErrorMessages.failed, {
    code: 'SERVICE_ERROR',
    status: 503,
    outcome: 'UNKNOWN',
  });
  const sent = [`DELETE ${ONE}`, `GET ${ONE} no-cache`];
  const CONTROL = `GET ${LIST}/control no-cache`;

  /** A gateway to which the service has returned a notification, and then 404 to another read if there is one. */
  async function startProven(...replies: Reply[]): Promise<Started> {
    const gateway = await start({}, config);
    for (const reply of [found(), ...replies]) {
      script(gateway.service, { GET: reply });
      await gateway.send(READ);
    }
    return gateway;
  }

  test.each(foreign404s)('stays UNKNOWN if the read gets a 404 with %s', async (_what, reply) => {
    const gateway = await startProven(jsonNotFound);
    const reply404 = { ...reply, status: 404 };
    script(gateway.service, { DELETE: unavailable, GET: reply404, control: reply404 });
    expect(await gateway.send(DELETE)).toEqual(unknown);
    expect(gateway.service.calls).toEqual(sent);
  });

  test.each<[what: string, own: Reply, other: Reply]>([
    ['no body, while the service sends JSON', jsonNotFound, { status: 404 }],
    ['another JSON type', jsonNotFound, { ...jsonNotFound, type: 'application/problem+json' }],
    ['JSON, while the service sends none', { status: 404 }, jsonNotFound],
    ['a media type, while the service has none', { status: 404 }, { status: 404, type: 'text/html' }],
  ])('stays UNKNOWN if the 404 has %s', async (_what, own, other) => {
    const gateway = await startProven(own);
    script(gateway.service, { DELETE: unavailable, GET: other, control: other });
    expect(await gateway.send(DELETE)).toEqual(unknown);
    expect(gateway.service.calls).toEqual(sent);
  });

  test.each<[what: string, own: Reply]>([
    ['JSON', { ...jsonNotFound, type: 'Application/JSON; charset=utf-8' }],
    ['no body', { status: 404 }],
  ])('succeeds if the 404 is like that of another read: %s', async (_what, own) => {
    const gateway = await startProven(own);
    script(gateway.service, { DELETE: unavailable, GET: own });
    expect(await gateway.send(DELETE)).toEqual(confirmed);
    expect(gateway.service.calls).toEqual(sent);
  });

  test('takes the 404 with JSON for that of the service, if reads got some with and some without', async () => {
    const gateway = await startProven({ status: 404 }, jsonNotFound, { status: 404 });
    script(gateway.service, { DELETE: unavailable, GET: { status: 404 } });
    expect(await gateway.send(DELETE)).toEqual(unknown);
    script(gateway.service, { DELETE: unavailable, GET: jsonNotFound });
    expect(await gateway.send(DELETE)).toEqual(confirmed);
  });

  test('makes one control read if no read has got a 404 yet, and marks it as a read after a write', async () => {
    const gateway = await startProven();
    script(gateway.service, { DELETE: unavailable, GET: jsonNotFound, control: jsonNotFound });
    expect(await gateway.send(DELETE, {}, { 'x-gateway-trace': '1' })).toMatchObject(confirmed);
    expect(gateway.service.calls).toEqual([...sent, CONTROL]);
    // What the control read got is known from now on.
    script(gateway.service, { DELETE: unavailable, GET: { status: 404 }, control: { status: 404 } });
    expect(await gateway.send(DELETE)).toEqual(unknown);
    expect(gateway.service.calls).toEqual(sent);
  });

  test.each<[what: string, control: Reply]>([
    ['a 404 without a body', { status: 404 }],
    ['a 404 of another JSON type', { ...jsonNotFound, type: 'application/problem+json' }],
    ['a 404 with HTML', { status: 404, type: 'text/html', body: '<p>' }],
    ['a response without a notification', { body: '{"data":[],"messages":[]}' }],
  ])('stays UNKNOWN if the control read gets %s', async (_what, control) => {
    const gateway = await startProven();
    script(gateway.service, { DELETE: unavailable, GET: jsonNotFound, control });
    expect(await gateway.send(DELETE)).toEqual(unknown);
    expect(gateway.service.calls).toEqual([...sent, CONTROL]);
  });

  test('succeeds with a 404 with JSON alone if the control read fails', async () => {
    const gateway = await startProven();
    script(gateway.service, { DELETE: unavailable, GET: jsonNotFound, control: unavailable });
    expect(await gateway.send(DELETE)).toEqual(confirmed);
    expect(gateway.service.calls).toEqual([...sent, CONTROL]);
  });

  test('stays UNKNOWN if every read gets a 404 without a body, as while a proxy has no route', async () => {
    const gateway = await startProven();
    script(gateway.service, { DELETE: unavailable, GET: { status: 404 }, control: { status: 404 } });
    expect(await gateway.send(DELETE)).toEqual(unknown);
    expect(gateway.service.calls).toEqual(sent);
  });

  test('stays UNKNOWN if a cache had stored the 404', async () => {
    const gateway = await startProven(jsonNotFound);
    script(gateway.service, { DELETE: unavailable, GET: { ...jsonNotFound, headers: { age: '60' } } });
    expect(await gateway.send(DELETE)).toEqual(unknown);
  });

  test('is sent again by a repeat with its key, because nothing false is recorded', async () => {
    const gateway = await startProven(jsonNotFound);
    const headers = { 'idempotency-key': '5f2b1c1e-8a64-4b0e-9d6c-1f3a7e2c9b48' };
    script(gateway.service, { DELETE: unavailable, GET: { status: 404, type: 'text/html', body: '<p>' } });
    expect(await gateway.send(DELETE, {}, headers)).toMatchObject({
      errors: [{ extensions: { outcome: 'UNKNOWN' } }],
    });
    script(gateway.service, {
      DELETE: { status: 200, type: 'text/html', body: '<h1>Sign in</h1>' },
      GET: found(),
    });
    expect(await gateway.send(DELETE, {}, headers)).toMatchObject({
      errors: [{ extensions: { outcome: 'UNKNOWN' } }],
    });
    script(gateway.service, { DELETE: { status: 204 }, GET: found() });
    expect(await gateway.send(DELETE, {}, headers)).toEqual({ data: confirmed.data });
    expect(gateway.service.calls).toEqual([`GET ${ONE} no-cache`, `DELETE ${ONE}`]);
  });
});

const ACCEPTED = serviceErrorMessages.accepted;
const accepted = { code: 'SERVICE_RESPONSE_INVALID', status: 202, outcome: 'UNKNOWN' };
/** Successes that prove nothing to a write, with or without a body. */
const unproven: [status: number, message: string][] = [
  [202, ACCEPTED],
  [206, serviceErrorMessages.partial],
  [207, serviceErrorMessages.multiStatus],
];

describe.each(unproven)('%i', (status, message) => {
  test.each(otherWrites)('leaves the outcome of %s unknown', async (field) => {
    const body = readBackOf(field) === undefined ? 'true' : found().body;
    script(gateway.service, { POST: { status, ...(body && { body }) }, GET: { status: 500 } });
    const { query, variables } = asVariables(field, validArguments(field));
    expect(await gateway.send(query, variables)).toEqual(
      error(query, field, message, { ...accepted, status }),
    );
  });
});

test('206 is no response to a read, and 202 and 207 are', async () => {
  const list = '{ notifications { notifications { notificationName } } }';
  const { notificationName } = record;
  const data = { notification: { notificationName } };
  for (const status of [202, 207]) {
    script(gateway.service, { GET: { ...found(), status } });
    expect(await gateway.send(READ)).toEqual({ data });
  }
  script(gateway.service, { GET: { ...found(), status: 206, headers: { 'content-range': 'items 0-0/9' } } });
  for (const [document, field] of [
    [READ, 'notification'],
    [list, 'notifications'],
  ] as const)
    expect(await gateway.send(document)).toEqual(
      error(document, field, serviceErrorMessages.partial, { code: 'SERVICE_RESPONSE_INVALID', status: 206 }),
    );
  expect(gateway.service.calls).toEqual([`GET ${ONE}`, `GET ${LIST}`]);
});

describe('An update', () => {
  const renamed = { notificationName: 'New name', lastUpdateDate: '2024-05-01T08:30:00.12345671-05:00' };
  const success = {
    data: { updateNotification: { notification: { notificationName: 'New name' }, messages: [] } },
    evidence: { updateNotification: 'READ_BACK' },
  };
  const calls = [`GET ${ONE} no-cache`, `PUT ${ONE}`, `GET ${ONE} no-cache`];

  test.each<[what: string, reply: Reply, message: string, status: number]>([
    ['202', { ...found(renamed), status: 202 }, ACCEPTED, 202],
    ['206', { ...found(renamed), status: 206 }, serviceErrorMessages.partial, 206],
    ['207', { ...found(renamed), status: 207 }, serviceErrorMessages.multiStatus, 207],
    ['the notification as it was', found(), serviceErrorMessages.unproven, 200],
    ['another body', { body: '{"note":"Thank you"}' }, serviceErrorMessages.unproven, 200],
    ['a failure', { body: '{"success":false}' }, serviceErrorMessages.refuted(200), 200],
  ])('with the response %s is read back', async (_what, reply, message, status) => {
    script(gateway.service, { PUT: reply, GET: [found(), found(renamed)] });
    expect(await gateway.send(RENAME)).toEqual(success);
    expect(gateway.service.calls).toEqual(calls);
    script(gateway.service, { PUT: reply, GET: found() });
    expect(await gateway.send(RENAME)).toEqual(
      error(RENAME, 'updateNotification', message, { ...accepted, status }),
    );
    expect(gateway.service.calls).toEqual(calls);
  });

  const failed = error(RENAME, 'updateNotification', serviceErrorMessages.failed, {
    code: 'SERVICE_ERROR',
    status: 503,
    outcome: 'UNKNOWN',
  });

  test.each<[what: string, read: Reply]>([
    [
      'is older than before the update',
      found({ ...renamed, lastUpdateDate: '2024-05-01T08:30:00.1234566-05:00' }),
    ],
    ['is older in another offset', found({ ...renamed, lastUpdateDate: '2024-05-01T13:29:59.9Z' })],
    ['comes from a cache', { ...found(renamed), headers: { age: '60' } }],
  ])('is not confirmed by a notification that %s', async (_what, read) => {
    script(gateway.service, { PUT: unavailable, GET: [found(), read] });
    expect(await gateway.send(RENAME)).toEqual(failed);
    expect(gateway.service.calls).toEqual(calls);
  });

  test.each<[what: string, read: Reply]>([
    ['is as old as before', found({ ...renamed, lastUpdateDate: '2024-05-01T13:30:00.12345670Z' })],
    ['is newer', found(renamed)],
    ['has no date', found({ ...renamed, lastUpdateDate: null })],
    ['a cache has validated', { ...found(renamed), headers: { age: '0' } }],
  ])('is confirmed by a notification that %s', async (_what, read) => {
    script(gateway.service, { PUT: unavailable, GET: [found(), read] });
    expect(await gateway.send(RENAME)).toEqual(success);
  });

  test('that is applied has no notification if that of the read is older than before', async () => {
    const old = found({ lastUpdateDate: '2024-05-01T08:29:00-05:00' });
    script(gateway.service, { PUT: { status: 204 }, GET: [found(), old] });
    expect(await gateway.send(RENAME)).toEqual({
      data: { updateNotification: { notification: null, messages: [] } },
    });
  });

  test('is not sent if what it depends on comes from a cache', async () => {
    script(gateway.service, { GET: { ...found(), headers: { age: '60' } } });
    const document = RENAME.replace('input', `ifLastUpdateDate: "${record.lastUpdateDate}", input`);
    expect(await gateway.send(document)).toEqual(
      error(
        document,
        'updateNotification',
        'The response comes from a cache that ignores "Cache-Control: no-cache"',
        {
          code: 'SERVICE_RESPONSE_INVALID',
          status: 200,
          outcome: 'NOT_APPLIED',
        },
      ),
    );
    expect(gateway.service.calls).toEqual([`GET ${ONE} no-cache`]);
  });
});

test('Reads that no write depends on may come from a cache', async () => {
  script(gateway.service, { GET: { ...found(), headers: { age: '60' } } });
  expect(await gateway.send(READ)).toEqual({
    data: { notification: { notificationName: record.notificationName } },
  });
  expect(gateway.service.calls).toEqual([`GET ${ONE}`]);
});

describe('A 2xx whose body reports a failure', () => {
  /** Next to data that would prove success. */
  const refused: Reply = {
    body: JSON.stringify({ success: false, data: [record], messages: ['There is no room.'] }),
  };
  const REPORTED = 'The response reports a failure, with the status 200';
  const invalid = {
    code: 'SERVICE_RESPONSE_INVALID',
    status: 200,
    serviceMessages: ['There is no room.'],
  };

  test.each<[method: string, field: FieldName, details: object]>([
    ['POST', 'createNotification', { candidates: [guid] }],
    ['PUT', 'updateNotification', {}],
    ['DELETE', 'deleteNotification', {}],
    ['DELETE', 'deleteException', {}],
    ['POST', 'trackShipment', {}],
  ])('leaves the outcome of %s for %s unknown', async (method, field, details) => {
    script(gateway.service, { [method]: refused, GET: { status: 503 } });
    const { query, variables } = asVariables(field, validArguments(field));
    expect(await gateway.send(query, variables)).toEqual(
      error(query, field, REPORTED, { ...invalid, ...details, outcome: 'UNKNOWN' }),
    );
  });

  test('is no proof that an update or a deletion failed: the state that a read finds is', async () => {
    script(gateway.service, { GET: [found(), jsonNotFound] });
    for (let count = 0; count < 2; count += 1) await gateway.send(READ);
    script(gateway.service, {
      PUT: refused,
      DELETE: refused,
      GET: [found(), found({ notificationName: 'New name' }), jsonNotFound],
    });
    expect(await gateway.send(RENAME)).toMatchObject({
      data: { updateNotification: { notification: { notificationName: 'New name' } } },
      evidence: { updateNotification: 'READ_BACK' },
    });
    expect(await gateway.send(DELETE)).toEqual({
      data: { deleteNotification: { notificationGuid: guid, messages: [] } },
      evidence: { deleteNotification: 'READ_BACK' },
    });
  });

  test('does not mean to a read that there is no notification', async () => {
    const body = JSON.stringify({ success: false, data: [], messages: ['There is no room.'] });
    script(gateway.service, { GET: { body } });
    for (const [query, field] of [
      [READ, 'notification'],
      ['{ notifications { totalPossibleCount } }', 'notifications'],
    ] as const)
      expect(await gateway.send(query)).toEqual(error(query, field, REPORTED, invalid));
  });
});
