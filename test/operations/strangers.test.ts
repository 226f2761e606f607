/** Services that read the interface document in their own way: what their responses prove, and what is read of them. */
// cspell:ignore fehler gesperrt meldung Sendung
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { shared, startInProcessGateway } from '../support/gateway/inProcessGateway.js';
import { bulkOperation, itemAbout } from '../support/graphql/bulkFields.js';
import { asVariables, validArguments, type Operation } from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';
import { serve } from '../support/http/serve.js';
import { notification as recordOf } from '../support/service/faultServer.js';
import { startScriptedService, type Reply } from '../support/service/scriptedService.js';
import { forTest, useStarted } from '../support/tools/useStarted.js';
import { seededRandom } from '../support/tools/seededRandom.js';

const guid = '3f0a7c1e-2b64-4e7f-9a55-0c8d1e2f3a01';
const other = '5d2b9a10-7c44-4f0e-8a31-9b1f6f0c2d02';
const LIST = '/v1/customnotifications';
const TRACKING = '/atlas/frexapi/shipment/track/';

const service = useStarted(() => startScriptedService([guid, other]));
const gateway = useStarted(() =>
  startInProcessGateway(service, {
    env: { IDEMPOTENCY_STORE: 'memory' },
    config: { service: { retries: 0, circuitOpenMs: 1 } },
  }),
);
/** The bodies of the calls, parsed. */
const bodies: unknown[] = [];
beforeEach(() => {
  service.calls.length = 0;
  bodies.length = 0;
  gateway.logLines.length = 0;
});

const record = {
  ...recordOf(guid, 'robin.planner'),
  notificationRecipientType: 'shipmentLevel',
  emailList: ['dock@example.com'],
  smsList: ['13035550100'],
  filters: [],
  lastUpdateDate: '2020-05-01T08:30:00.1234567-05:00',
};
type Replies = readonly (Reply | ((path: string, body: string) => Reply))[];

/** Runs an operation whose calls get these responses in turn; the last one repeats. */
async function run(operation: Operation | string, ...replies: Replies) {
  const left = [...replies];
  service.respond = (_method, path, body) => {
    if (body !== '') bodies.push(JSON.parse(body));
    const reply = (left.length > 1 ? left.shift() : left[0]) ?? { status: 418 };
    return typeof reply === 'function' ? reply(path, body) : reply;
  };
  const request = typeof operation === 'string' ? { query: operation } : operation;
  const { data, errors } = await post(gateway.url, request);
  return { data: data as Record<string, Record<string, unknown> | null> | null, errors };
}
const json = (value: unknown, others: Reply = {}): Reply => ({ body: JSON.stringify(value), ...others });
const envelope = (...data: unknown[]) => ({ data, messages: [], totalPossibleCount: data.length });
const failed: Reply = { status: 500 };
const warnings = () =>
  gateway.logLines
    .filter(({ msg }) => String(msg).startsWith('Upstream'))
    .map(({ msg, problem }) => ({ msg, problem }));

const OUTCOME = '{ outcome evidence errors { code message serviceMessages candidates } }';
const DELETE_EXCEPTION = asVariables('deleteException', validArguments('deleteException'), OUTCOME);
const TRACK = asVariables('trackShipment', validArguments('trackShipment'), OUTCOME);
const CREATE = asVariables(
  'createNotification',
  {
    input: {
      notificationName: 'Dock team',
      recipient: {
        shipmentLevel: { emailList: ['Dock@Example.com', 'yard@example.com'], smsList: ['3035550100'] },
      },
      trigger: { shipmentStatusChange: ['EN_ROUTE', 'DELIVERED'] },
    },
  },
  '{ outcome evidence notificationGuid notification { notificationName lastUpdateUserName } errors { code message candidates } }',
);
const created = {
  ...record,
  notificationGuid: other,
  notificationName: 'Dock team',
  notificationTypes: ['ShipmentStatusDelivered', 'ShipmentStatusEnRoute'],
  emailList: ['yard@example.com', 'dock@example.com'],
};
const rename = (
  selection = '{ outcome evidence errors { code message } notification { notificationName } }',
) =>
  asVariables(
    'updateNotification',
    { notificationGuid: guid, input: { notificationName: 'New name' } },
    selection,
  );
const renamed = { ...record, notificationName: 'New name' };
const READ = `{ notification(notificationGuid: "${guid}") { notificationName } }`;
const found = { data: { notification: { notificationName: record.notificationName } }, errors: undefined };

describe.each([
  ['tracking call', 'trackShipment', TRACK],
  ['deletion of an exception', 'deleteException', DELETE_EXCEPTION],
] as const)('A %s', (_what, field, operation) => {
  test.each([
    ['a code that is no success', { resultCode: '1001', resultText: 'Closed.' }, 'reports', ['Closed.']],
    ['a flag that is false', { deleted: false }, 'reports', []],
    [
      'a code of success next to a text that denies it',
      { code: 0, msg: 'No such exception' },
      'proves',
      ['No such exception'],
    ],
    ['a message alone', { message: 'Exception not found' }, 'proves', ['Exception not found']],
    ['a message in the envelope', { data: [], messages: ['On hold.'] }, 'proves', ['On hold.']],
    ['a record', { data: [record] }, 'proves', []],
    ['a number', 1, 'proves', []],
    ['a list with null', { data: [null] }, 'proves', []],
  ] as [string, unknown, 'proves' | 'reports', string[]][])(
    'is UNKNOWN after %s, and the log has the names of the body',
    async (_response, body, kind, serviceMessages) => {
      const message =
        kind === 'reports'
          ? 'The response reports a failure, with the status 200'
          : 'The response does not prove that the write was applied';
      const error = { code: 'SERVICE_RESPONSE_INVALID', message, serviceMessages, candidates: null };
      expect(await run(operation, json(body))).toEqual({
        data: { [field]: { outcome: 'UNKNOWN', evidence: null, errors: [error] } },
        errors: undefined,
      });
      const shape =
        Object(body) === body ? `an object with ${Object.keys(body as object).join(', ')}` : 'a number';
      expect(warnings()).toEqual([
        { msg: 'Upstream response violates the contract', problem: `${message}: ${shape}` },
      ]);
    },
  );

  test('is UNKNOWN after names that are data, which are not in the log', async () => {
    const { data } = await run(operation, json({ 'REF-1001': 'x', token17: 1, size: 3 }));
    expect(data).toMatchObject({ [field]: { outcome: 'UNKNOWN' } });
    expect(warnings()).toEqual([
      expect.objectContaining({ problem: expect.stringMatching(/: an object with size$/) as string }),
    ]);
  });

  test('has at most 20 messages, none longer than 16,000 characters or nested deeper than 100 levels', async () => {
    const deep = JSON.parse('['.repeat(2500) + ']'.repeat(2500)) as unknown;
    const messages = [
      'x'.repeat(9_500_000),
      deep,
      { long: 'x'.repeat(20_000) },
      ...Array.from({ length: 30 }, (_, index) => index),
    ];
    const many = { ...operation, query: operation.query.replace(OUTCOME, '{ outcome }') };
    expect(await run(many, json({ success: true, messages }))).toEqual({
      data: { [field]: { outcome: 'APPLIED' } },
      errors: undefined,
    });
    if (field !== 'deleteException') return;
    const { data } = await run(
      { ...operation, query: operation.query.replace(OUTCOME, '{ messages }') },
      json({ success: true, messages }),
    );
    expect(data).toEqual({
      deleteException: { messages: ['x'.repeat(16_000), ...Array.from({ length: 19 }, (_, index) => index)] },
    });
  });
});

test('APPLIED implies a proof, for bodies made up at random', async () => {
  const random = seededRandom('bodies of 2xx');
  const names = [
    ...(['foo', 'id', 'status', 'data', 'message', 'deleted'] as const),
    ...(['count', 'code', 'result', 'detail', 'success'] as const),
  ] as [string, ...string[]];
  const scalars = [
    ...[null, true, false, 0, 1, 7],
    ...['', 'x', 'Not found', '0', 'OK', 'no', 'false', 'DELETED', 'PENDING'],
  ] as [unknown, ...unknown[]];
  const value = (depth: number): unknown => {
    const kind = random.below(depth > 0 ? 6 : 4);
    if (kind < 4) return random.pick(scalars);
    if (kind === 4) return Array.from({ length: random.below(3) }, () => value(depth - 1));
    return Object.fromEntries(
      Array.from({ length: random.below(4) }, () => [random.pick(names), value(depth - 1)]),
    );
  };
  const positive = /true|1|7|"(?:OK|DELETED|0)"|:0[,}]/i;
  const isSilent = (text: string) => !/[^\s"{}[\]:,]/.test(text.replace(/"\w+":|null/g, ''));
  for (let round = 0; round < 100; round += 1) {
    const body = JSON.stringify(value(3));
    const { data } = await run(DELETE_EXCEPTION, { body });
    if (data?.['deleteException']?.['outcome'] !== 'APPLIED') continue;
    // Whatever is applied says so somewhere, or says nothing at all.
    expect(positive.test(body) || isSilent(body), body).toBe(true);
    expect(/"(?:success|deleted)":(?:false|0[,}]|"no"|"false")/.test(body), body).toBe(false);
  }
});

describe('A creation', () => {
  const now = () => new Date().toISOString();
  const payload = (changes: object) => ({
    data: {
      createNotification: {
        outcome: 'APPLIED',
        evidence: 'RESPONSE',
        notificationGuid: other,
        notification: { notificationName: 'Dock team', lastUpdateUserName: 'robin.planner' },
        errors: [],
        ...changes,
      },
    },
    errors: undefined,
  });

  test.each([
    ['the documented envelope', envelope(created)],
    ['the whole body', created],
    ['the member data', { data: created }],
    ['the first of a list', [created]],
    ['another member', { notification: created, links: [] }],
  ] as [string, unknown][])(
    'is applied by a notification with what was sent, in %s',
    async (_place, body) => {
      expect(await run(CREATE, json(body))).toEqual(payload({}));
    },
  );

  test('is applied by a notification that is not older than the call, whatever the service has made of it', async () => {
    const rewritten = { ...created, notificationName: 'DOCK TEAM', smsList: ['*** *** 0100'] };
    const respond = () => json(envelope({ ...rewritten, lastUpdateDate: now() }));
    expect(await run(CREATE, respond)).toEqual(
      payload({ notification: { notificationName: 'DOCK TEAM', lastUpdateUserName: 'robin.planner' } }),
    );
  });

  test('is UNKNOWN after a duplicate of 2020 with other recipients, which is a candidate', async () => {
    const duplicate = { ...created, emailList: ['somebody@example.com'] };
    const { data } = await run(CREATE, json(envelope(duplicate), { status: 201 }));
    expect(data).toEqual({
      createNotification: {
        outcome: 'UNKNOWN',
        evidence: null,
        notificationGuid: null,
        notification: null,
        errors: [
          {
            code: 'SERVICE_RESPONSE_INVALID',
            message: 'The response does not prove that the write was applied',
            candidates: [other],
          },
        ],
      },
    });
    expect(service.calls).toEqual([`POST ${LIST}`]);
  });

  test('is applied by 201 with the identifier, and what cannot be read of the notification is null with an error', async () => {
    const { data, errors } = await run(CREATE, json(envelope({ notificationGuid: other }), { status: 201 }));
    expect(data).toEqual(payload({ notification: null }).data);
    expect(errors).toMatchObject([
      {
        path: ['createNotification', 'notification'],
        extensions: { code: 'SERVICE_RESPONSE_INVALID', outcome: 'APPLIED' },
      },
    ]);
    const unreadable = { ...created, lastUpdateUserName: { name: 'robin' } };
    const partly = await run(CREATE, json(envelope(unreadable)));
    expect(partly.data).toEqual(
      payload({ notification: { notificationName: 'Dock team', lastUpdateUserName: null } }).data,
    );
    expect(partly.errors).toMatchObject([
      { path: ['createNotification', 'notification', 'lastUpdateUserName'] },
    ]);
  });

  test.each([[null], [null, null], [5], ['text'], [[]], [[null]]].map((data) => ({ data })))(
    'is UNKNOWN, with the candidates of a read, after a list that has $data in place of a notification',
    async ({ data: rows }) => {
      for (const body of [rows, { data: rows }, { Data: rows }, envelope(...rows)]) {
        service.calls.length = 0;
        const { data, errors } = await run(CREATE, json(body), () =>
          json(envelope({ ...created, lastUpdateDate: now() })),
        );
        expect({ data, errors }).toMatchObject({
          data: {
            createNotification: {
              outcome: 'UNKNOWN',
              evidence: null,
              errors: [{ code: 'SERVICE_RESPONSE_INVALID', candidates: [other] }],
            },
          },
          errors: undefined,
        });
        expect(service.calls).toEqual([`POST ${LIST}`, `GET ${LIST} no-cache`]);
      }
    },
  );

  test('is applied without an identifier where the service confirms it without one, and has the one of its Location', async () => {
    for (const reply of [{ status: 204 }, json(''), json('Notification created')])
      expect(await run(CREATE, reply)).toEqual(payload({ notificationGuid: null, notification: null }));
    const location = { status: 201, headers: { location: `${LIST}/${other}` } };
    expect(await run(CREATE, location)).toEqual(payload({ notification: null }));
  });

  test.each([
    ['APPLIED', { message: 'Notification created', notificationGuid: other }],
    ['APPLIED', { status: 'created', NotificationGuid: other }],
    ['APPLIED', { success: true, data: { notificationGuid: other } }],
    ['UNKNOWN', { success: false, notificationGuid: other }],
    ['UNKNOWN', { notificationGuid: '..' }],
    ['UNKNOWN', envelope({ notificationGuid: other }, { notificationGuid: guid })],
  ])(
    'is %s without a read after an identifier next to what says so, and other bodies: %j',
    async (outcome, body) => {
      const { data } = await run(CREATE, json(body), () => json({ ...created, lastUpdateDate: now() }));
      const isApplied = outcome === 'APPLIED';
      const candidates = JSON.stringify(body).match(/[\w-]{36}/g) ?? ['..'];
      const errors = isApplied ? [] : [{ code: 'SERVICE_RESPONSE_INVALID', candidates }];
      const notificationGuid = isApplied ? other : null;
      expect(data).toMatchObject({ createNotification: { outcome, errors, notificationGuid } });
      expect(service.calls).toEqual([`POST ${LIST}`]);
    },
  );

  describe.each([
    { notificationGuid: other },
    { data: { NotificationGuid: other }, message: 'Nom en double' },
    { ...envelope({ notificationGuid: other }), messages: ['Notification created'] },
    { notificationGuid: other, exists: true },
    other,
  ])('is read if the response has its identifier without its values: %j', (body) => {
    test.each([
      ['APPLIED', 'READ_BACK', 'new with what was sent', () => json({ ...created, lastUpdateDate: now() })],
      ['UNKNOWN', null, 'older than the call', json(created)],
      ['UNKNOWN', null, 'without a date', json({ ...created, lastUpdateDate: null })],
      [
        'UNKNOWN',
        null,
        'with another name',
        () => json({ ...created, notificationName: 'Another', lastUpdateDate: now() }),
      ],
      ['UNKNOWN', null, 'not found', { status: 404 }],
      ['UNKNOWN', null, 'not readable', failed],
    ] as const)('%s, with the evidence %s, if it is %s', async (...row) => {
      const [outcome, evidence, , found] = row;
      const { data } = await run(CREATE, json(body), found);
      const errors = evidence ? [] : [{ code: 'SERVICE_RESPONSE_INVALID', candidates: [other] }];
      const notification = evidence && { notificationName: created.notificationName };
      expect(data).toMatchObject({ createNotification: { outcome, evidence, errors, notification } });
      expect(service.calls).toEqual([`POST ${LIST}`, `GET ${LIST}/${other} no-cache`]);
    });
  });

  test('is replayed by its key after a read of its identifier', async () => {
    const args = { ...CREATE.variables, idempotencyKey: randomUUID() };
    const keyed = asVariables('createNotification', args, '{ outcome evidence notificationGuid }');
    const found = () => json({ ...created, lastUpdateDate: now() });
    for (const evidence of ['READ_BACK', 'REPLAY'])
      expect((await run(keyed, json(other), found)).data).toMatchObject({
        createNotification: { outcome: 'APPLIED', evidence, notificationGuid: other },
      });
    expect(service.calls.map((call) => call.split(' ')[0])).toEqual(['POST', 'GET', 'GET']);
  });

  test.each([
    ['an identifier of another name', { id: 17, href: `${LIST}/17` }, 'APPLIED'],
    ['a number', 17, 'APPLIED'],
    ['the attributes of JSON:API', { data: { type: 'notifications', id: other, attributes: {} } }, 'APPLIED'],
    ['a state that is not final', { id: 17, status: 'PENDING' }, 'UNKNOWN'],
    ['a flag that is false', { success: false }, 'UNKNOWN'],
    ['a message that denies it', { message: 'The name is not available' }, 'UNKNOWN'],
  ])('is decided by the status 201 next to %s', async (_what, body, outcome) => {
    const { data } = await run(CREATE, json(body, { status: 201 }), failed);
    expect(data).toMatchObject({ createNotification: { outcome } });
  });

  test('is UNKNOWN, as an update is, after the documented envelope with a message instead of a notification', async () => {
    const refused = json({ data: [], messages: ['The name is taken.'], totalPossibleCount: 0 });
    expect((await run(CREATE, refused)).data).toMatchObject({ createNotification: { outcome: 'UNKNOWN' } });
    expect((await run(rename(), json(record), refused, json(record))).data).toMatchObject({
      updateNotification: { outcome: 'UNKNOWN' },
    });
  });

  test.each([
    ['an echo of the request', { ...created, notificationGuid: undefined, lastUpdateDate: undefined }, []],
    ['a notification of 2020', created, [other]],
  ])('is UNKNOWN after %s next to a message that denies it', async (_what, body, candidates) => {
    const denied = json({ ...envelope(body), messages: [{ text: 'The name already exists.' }] });
    const { data } = await run(CREATE, denied, json(envelope()));
    expect(data).toMatchObject({ createNotification: { outcome: 'UNKNOWN', errors: [{ candidates }] } });
  });

  test('is applied by a new notification with what was sent next to a message that denies something', async () => {
    const messages = ['The phone cannot be reached.'];
    const respond = () => json({ ...envelope({ ...created, lastUpdateDate: now() }), messages });
    expect(await run(CREATE, respond)).toEqual(payload({}));
    expect(await run(CREATE, json({ ...envelope(created), messages: ['No errors.'] }))).toEqual(payload({}));
  });

  test('is repeated with its key neither after an applied creation without an identifier nor after one that cannot be read', async () => {
    for (const reply of [{ status: 204 }, json({ notificationGuid: other }, { status: 201 })]) {
      const idempotencyKey = crypto.randomUUID();
      const args = { ...CREATE.variables, idempotencyKey };
      const keyed = asVariables('createNotification', args, '{ outcome evidence notificationGuid }');
      service.calls.length = 0;
      const first = await run(keyed, reply);
      const second = await run(keyed, json(envelope(created)));
      expect(first.data).toMatchObject({ createNotification: { outcome: 'APPLIED', evidence: 'RESPONSE' } });
      expect(second.data).toEqual({
        createNotification: { ...first.data?.['createNotification'], evidence: 'REPLAY' },
      });
      expect(service.calls.filter((call) => call.startsWith('POST'))).toHaveLength(1);
    }
  });
});

describe('A read', () => {
  const query =
    '{ notifications { notifications { notificationGuid notificationName } totalPossibleCount messages } }';
  const row = { notificationGuid: guid, notificationName: record.notificationName };
  const listed = (totalPossibleCount: number | null, messages: unknown[] = [], rows = [row]) => ({
    data: { notifications: { notifications: rows, totalPossibleCount, messages } },
    errors: undefined,
  });
  const snake = (value: object) =>
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        each,
      ]),
    );
  const pascal = (value: object) =>
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => [`${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`, each]),
    );

  test.each([
    ['a total as text', { ...envelope(record), totalPossibleCount: '1' }, listed(1)],
    ['an empty total', { ...envelope(record), totalPossibleCount: '' }, listed(null)],
    ['a total larger than an Int', { ...envelope(record), totalPossibleCount: 3e9 }, listed(null)],
    ['messages as text', { ...envelope(record), messages: 'page 1' }, listed(1, ['page 1'])],
    ['messages as an object', { ...envelope(record), messages: { page: 1 } }, listed(1, [{ page: 1 }])],
    ['data that is null', { data: null, messages: [] }, listed(null, [], [])],
    ['names in PascalCase', pascal({ ...envelope(pascal(record)) }), listed(1)],
    ['names in snake_case', envelope(snake(record)), listed(1)],
    ['a bare list', [record], listed(null)],
    ...['content', 'value', 'items', 'results', 'notifications'].map((name): [string, unknown, object] => [
      `a list in ${name}`,
      { [name]: [record], errors: [], links: [{ rel: 'self' }] },
      listed(null),
    ]),
    ['a list in d.results', { d: { results: [record] } }, listed(null)],
    ['a total of another name', { items: [record], totalCount: 7 }, listed(7)],
    ['a total next to the page', { content: [record], page: { totalElements: 7 } }, listed(7)],
    ['a list in _embedded', { _embedded: { notifications: [record] }, page: { number: 0 } }, listed(null)],
    ['an empty list in content, with a count of zero', { content: [], count: 0 }, listed(null, [], [])],
    [
      'a number for a name, a scalar for a list, null elements, an empty object for no filters',
      envelope({
        ...record,
        notificationName: 42,
        notificationTypes: 'ShipmentStatusEnRoute',
        emailList: [null, 'a@example.com'],
        filters: {},
      }),
      listed(1, [], [{ ...row, notificationName: '42' }]),
    ],
    ['a user who is a number', envelope({ ...record, lastUpdateUserName: 7 }), listed(1)],
  ] as [string, unknown, object][])('of a list understands %s', async (_what, body, expected) => {
    expect(await run(query, json(body))).toEqual(expected);
  });

  test('of a list with two lists of notifications takes none', async () => {
    const { errors } = await run(query, json({ active: [record], archived: [record] }));
    expect(errors).toMatchObject([
      { message: 'The response does not match the contract: /data: expected a list of notifications' },
    ]);
  });

  test('of a list loses one text, and not the list, to a byte that is no UTF-8', async () => {
    service.respond = () => ({ status: 418 });
    const text = JSON.stringify(envelope({ ...record, notificationName: 'Caf@ Zürich' }));
    const [before = '', after = ''] = text.split('@ Z');
    const body = Buffer.concat([Buffer.from(before), Buffer.from([0xe9]), Buffer.from(` Z${after}`)]);
    expect(await run(query, { body: body as unknown as string })).toEqual(
      listed(1, [], [{ ...row, notificationName: 'Café Zürich' }]),
    );
  });

  test.each([
    ['the bare object', record],
    ['the member data', { data: record }],
    ['a list', [record]],
    ['names in another case', { Data: [pascal(record)] }],
  ] as [string, unknown][])('of one notification understands %s', async (_shape, body) => {
    expect(await run(READ, json(body))).toEqual(found);
  });

  test.each([
    ['204', { status: 204 }],
    ['null', json(null)],
    ['an envelope without data', json(envelope())],
    ['410 with a page', { status: 410, type: 'text/html', body: '<h1>Gone</h1>' }],
  ] as [string, Reply][])('of one notification is null after %s', async (_response, reply) => {
    expect(await run(READ, reply)).toEqual({ data: { notification: null }, errors: undefined });
  });

  test('of optional values that cannot be read has an error for each, and the rest', async () => {
    const query = `{ notification(notificationGuid: "${guid}") { notificationName lastUpdateUserName lastUpdateDate } }`;
    const { data, errors } = await run(
      query,
      json({ ...record, lastUpdateUserName: ['a'], lastUpdateDate: 'May' }),
    );
    expect(data).toEqual({
      notification: {
        notificationName: record.notificationName,
        lastUpdateUserName: null,
        lastUpdateDate: null,
      },
    });
    expect(errors?.map(({ path }) => path)).toEqual([
      ['notification', 'lastUpdateUserName'],
      ['notification', 'lastUpdateDate'],
    ]);
  });
});

test('A deviation in one member of a notification leaves all others, and all other notifications, readable', async () => {
  const fields =
    'notificationGuid notificationName notificationTypeLabel notificationTypes filters notificationMetaData lastUpdateUserName lastUpdateDate';
  const query = `{ notifications { notifications { ${fields} } unreadable { index problem } totalPossibleCount } }`;
  const whole = { ...record, notificationMetaData: { a: 1 } };
  const select = (value: object) =>
    Object.fromEntries(fields.split(' ').map((name) => [name, (value as Record<string, unknown>)[name]]));
  const deviations = [
    null,
    undefined,
    7,
    7.5,
    '',
    'x',
    true,
    {},
    { a: 1 },
    [],
    [null],
    [7],
    [{}],
    ['x', 1e400],
  ];
  for (const member of Object.keys(whole))
    for (const deviation of deviations) {
      const deviating = { ...whole, [member]: deviation };
      const body = JSON.stringify(envelope(deviating, { ...whole, notificationGuid: other })).replace(
        'null]',
        '1e400]',
      );
      const { data } = await run(query, { body });
      const list = data?.['notifications'] as { notifications: object[]; unreadable: { problem: string }[] };
      const name = `${member}: ${JSON.stringify(deviation)}`;
      expect(list.notifications.at(-1), name).toEqual(select({ ...whole, notificationGuid: other }));
      if (list.notifications.length === 2)
        expect({ ...list.notifications[0], [member]: null }, name).toEqual({
          ...select(whole),
          [member]: null,
        });
      else
        expect(list.unreadable, name).toMatchObject([
          { index: 0, problem: expect.stringContaining(`/${member}`) as string },
        ]);
    }
});

describe('An update', () => {
  const applied = (evidence: string, notificationName = 'New name') => ({
    data: {
      updateNotification: { outcome: 'APPLIED', evidence, errors: [], notification: { notificationName } },
    },
    errors: undefined,
  });

  test('is applied by the notification with what was sent, in any shape', async () => {
    for (const body of [renamed, { data: renamed }, [renamed], envelope(renamed)])
      expect(await run(rename(), json(record), json(body))).toEqual(applied('RESPONSE'));
  });

  test('is applied by its identifier next to a word for success, and not by that of another one', async () => {
    const message = 'Notification updated';
    const receipt = json({ message, notificationGuid: guid.toUpperCase() });
    expect(await run(rename(), json(record), receipt, json(renamed))).toEqual(applied('RESPONSE'));
    const ofOther = json({ message, notificationGuid: other });
    const { data } = await run(rename(OUTCOME), json(record), ofOther, json(record));
    expect(data).toMatchObject({ updateNotification: { outcome: 'UNKNOWN' } });
  });

  test('is applied by a later date of the last update than before', async () => {
    const later = { ...record, notificationName: 'NEW NAME', lastUpdateDate: '2020-05-01T08:30:01-05:00' };
    expect(await run(rename(), json(record), json(later))).toEqual(applied('RESPONSE', 'NEW NAME'));
  });

  test.each([
    ['the notification as it was', { ...record, lastUpdateDate: '2020-05-01T08:30:01-05:00' }, record],
    ['an echo of the request', { ...renamed, lastUpdateDate: null }, record],
  ])('is not applied by %s next to a message that denies it', async (_what, body, read) => {
    const denied = json({ ...envelope(body), messages: ['Not saved: the name is taken.'] });
    const { data } = await run(rename(OUTCOME), json(record), denied, json(read));
    const error = { code: 'SERVICE_RESPONSE_INVALID', serviceMessages: ['Not saved: the name is taken.'] };
    expect(data).toMatchObject({ updateNotification: { outcome: 'UNKNOWN', errors: [error] } });
  });

  test('is applied by a new notification with what was sent next to a message that denies something', async () => {
    const messages = ['The phone cannot be reached.'];
    const saved = () =>
      json({ ...envelope({ ...renamed, lastUpdateDate: new Date().toISOString() }), messages });
    const proven = { outcome: 'APPLIED', evidence: 'RESPONSE', messages };
    const selection = '{ outcome evidence messages }';
    const { data } = await run(rename(selection), json(record), saved);
    expect(data).toEqual({ updateNotification: proven });
    const input = {
      notificationName: 'New name',
      recipient: { shipmentLevel: { emailList: record.emailList, smsList: ['3035550100'] } },
      trigger: {
        other: {
          notificationTypeLabel: record.notificationTypeLabel,
          notificationTypes: record.notificationTypes,
        },
      },
      filters: [],
    };
    const whole = asVariables('updateNotification', { notificationGuid: guid, input }, selection);
    expect((await run(whole, saved)).data).toEqual({ updateNotification: proven });
  });

  test.each([
    ['says success next to it', [json({ success: true, data: record }), json(renamed)], 'New name'],
    ['has not seen it when it is read', [{ status: 204 }, json(record)], null],
    ['rewrites the name', [{ status: 204 }, json({ ...renamed, notificationName: 'NEW NAME' })], 'NEW NAME'],
  ] as [string, Replies, string | null][])(
    'does not return the notification from before if the service %s',
    async (_what, replies, notificationName) => {
      const selection = '{ outcome evidence notification { notificationName } }';
      const { data } = await run(rename(selection), json(record), ...replies);
      expect(data).toEqual({
        updateNotification: {
          outcome: 'APPLIED',
          evidence: 'RESPONSE',
          notification: notificationName && { notificationName },
        },
      });
    },
  );

  test('that is applied is logged as a contract violation if the notification cannot be read afterwards', async () => {
    const update = rename('{ outcome notification { notificationName } }');
    const { data } = await run(update, json(record), { status: 204 }, json({ data: 7 }));
    expect(data).toEqual({ updateNotification: { outcome: 'APPLIED', notification: null } });
    expect(warnings()).toMatchObject([{ msg: 'Upstream response violates the contract' }]);
  });

  test('sends documented types for what the service writes in others, and in the spelling that was read', async () => {
    const current = {
      NotificationGuid: guid,
      NotificationName: 42,
      NotificationRecipientType: 'stoplevel',
      NotificationTypeLabel: 'shipmentStatusChange',
      NotificationTypes: 'ShipmentStatusEnRoute',
      NotifyStopContactsByEmail: 'True',
      NotifyStopContactsBySms: 0,
      EmailList: null,
      SmsList: [],
      Filters: [{ field: 9007199254740993 }].map(() => ({ field: 1 })),
      LastUpdateDate: null,
    };
    await run(rename(), json({ Data: [current] }), json({ ...current, NotificationName: 'New name' }));
    expect(bodies).toEqual([
      {
        NotificationGuid: guid,
        NotificationName: 'New name',
        NotificationRecipientType: 'stoplevel',
        NotifyStopContactsByEmail: true,
        NotifyStopContactsBySms: false,
        NotificationTypeLabel: 'shipmentStatusChange',
        NotificationTypes: ['ShipmentStatusEnRoute'],
        Filters: [{ field: 1 }],
      },
    ]);
  });

  test('that is rejected because of the identifier in its body says so in the log, with the variable', async () => {
    const rejection = json({ errors: { notificationGuid: ['is not allowed'] } }, { status: 400 });
    const { data } = await run(rename('{ outcome errors { code } }'), json(record), rejection);
    expect(data).toMatchObject({ updateNotification: { outcome: 'NOT_APPLIED' } });
    expect(warnings()).toEqual([
      {
        msg: 'Upstream response deviates from the contract',
        problem:
          'rejected the notificationGuid of an update; NOTIFICATION_GUID_IN_BODY=false leaves it out of the body',
      },
    ]);
  });

  test('sends texts that mean the same in every charset', async () => {
    const raw: string[] = [];
    const name = asVariables(
      'updateNotification',
      { notificationGuid: guid, input: { notificationName: 'Café 🚚' } },
      '{ outcome }',
    );
    await run(name, json(record), (_path, body) => {
      raw.push(body);
      return json({ ...record, notificationName: 'Café 🚚' });
    });
    expect(raw[0]).toContain('"notificationName":"Caf\\u00e9 \\ud83d\\ude9a"');
  });
});

test('An update leaves the identifier out of its body where the service does not know it there', async () => {
  const env = { NOTIFICATION_GUID_IN_BODY: 'false' };
  const strict = await forTest(startInProcessGateway(shared(service), { env }));
  service.respond = (method, _path, body) => {
    if (method === 'PUT') bodies.push(JSON.parse(body));
    return json(method === 'PUT' ? renamed : record);
  };
  await post(strict.url, rename());
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).not.toHaveProperty('notificationGuid');
});

describe('A deletion of a notification', () => {
  const DELETE = `mutation { deleteNotification(notificationGuid: "${guid}") ${OUTCOME} }`;

  test('of what is gone with 410 is NOT_FOUND', async () => {
    const { data } = await run(DELETE, { status: 410, type: 'text/html', body: '<h1>Gone</h1>' });
    expect(data).toMatchObject({
      deleteNotification: { outcome: 'NOT_APPLIED', errors: [{ code: 'NOT_FOUND' }] },
    });
  });

  test('of unknown outcome is not proven by a read that gets 204', async () => {
    const { data } = await run(DELETE, failed, { status: 204 });
    expect(data).toMatchObject({ deleteNotification: { outcome: 'UNKNOWN' } });
  });

  test('is never proven by the notification itself, unless that says so', async () => {
    const { data } = await run(DELETE, json(envelope(record)), json(record));
    expect(data).toMatchObject({ deleteNotification: { outcome: 'UNKNOWN' } });
    for (const body of [
      { ...record, deleted: true },
      { status: 'deleted', notificationGuid: guid },
    ])
      expect((await run(DELETE, json(body))).data).toMatchObject({
        deleteNotification: { outcome: 'APPLIED' },
      });
  });
});

describe('A list of rows', () => {
  const items = (field: 'deleteNotification' | 'trackShipment', count: number) =>
    Array.from({ length: count }, (_, index) => itemAbout(field, `row-${index}`));
  const outcomes = (data: Record<string, Record<string, unknown> | null> | null, field: string) =>
    (data?.[field]?.['results'] as { outcome: string; errors: { code: string }[] }[]).map(
      ({ outcome, errors }) => errors[0]?.code ?? outcome,
    );
  const selection = 'results { outcome errors { code } }';

  test('has 401s of rows without a token as rejections of their parameters', async () => {
    const many = bulkOperation('trackShipments', items('trackShipment', 3), { selection });
    service.respond = (_method, _path, body) => (body.includes('row-1"') ? { status: 401 } : json(true));
    const { data } = await post(gateway.url, many, { headers: { authorization: '' } });
    expect(outcomes(data as never, 'trackShipments')).toEqual(['APPLIED', 'SERVICE_REJECTED', 'APPLIED']);
  });
});

test('A response whose headers exceed 128 KiB is no proof, and says why', async () => {
  const { data } = await run(TRACK, json(true, { headers: { 'x-policy': 'p'.repeat(140_000) } }));
  expect(data).toMatchObject({
    trackShipment: {
      outcome: 'UNKNOWN',
      errors: [{ code: 'SERVICE_ERROR', message: 'The headers of the response are larger than 128 KiB' }],
    },
  });
});

test('A response that is no HTTP says so', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Type : text/plain\r\nContent-Length: 2\r\n\r\n{}'),
    );
  });
  const config = { service: { retries: 0 } };
  const started = await forTest(startInProcessGateway(await serve(server), { config }));
  const { data } = await post(started.url, TRACK);
  expect(data).toMatchObject({
    trackShipment: {
      outcome: 'UNKNOWN',
      errors: [{ code: 'SERVICE_ERROR', message: 'The response of the service is not valid HTTP' }],
    },
  });
  expect(started.logLines.filter(({ msg }) => msg === 'Connection to the service failed')).toMatchObject([
    { reason: 'Invalid header token' },
  ]);
});

describe('The reasons of a rejection', () => {
  const reasons = async (reply: Reply) => {
    const operation = asVariables(
      'trackShipment',
      validArguments('trackShipment'),
      '{ errors { inputPath serviceMessages } }',
    );
    const { data } = await run(operation, reply);
    return data?.['trackShipment']?.['errors'];
  };
  const general = (...serviceMessages: unknown[]) => [{ inputPath: null, serviceMessages }];
  const atPhone = (message: string, field = 'DriverPhoneNumber') => [
    { inputPath: ['input', 'driverPhoneNumber'], serviceMessages: [{ field, message }] },
  ];
  const rejection = (body: string, type = 'application/json'): Reply => ({ status: 400, body, type });

  test.each([
    [
      'the challenge of a 401 without a body',
      {
        status: 401,
        headers: {
          'www-authenticate': 'Bearer error="invalid_token", error_description="The token \\"x\\" expired"',
        },
      },
      general('The token "x" expired'),
    ],
    [
      'a SOAP fault',
      rejection(
        '<s:Envelope><s:Body><s:Fault><faultcode>Client</faultcode><faultstring>The shipment is &lt;closed&gt;.</faultstring></s:Fault></s:Body></s:Envelope>',
        'text/xml',
      ),
      general('The shipment is <closed>.'),
    ],
    [
      'an XML error',
      rejection(
        '<Error><Message>It is locked.</Message><StackTrace>x.cs</StackTrace></Error>',
        'application/xml',
      ),
      general('It is locked.'),
    ],
    [
      'a list of details in a member of any name',
      rejection(
        '{"message":"Invalid","data":[{"field":"driverPhoneNumber","message":"It has opted out."},{"id":1}]}',
      ),
      [...atPhone('It has opted out.', 'driverPhoneNumber'), ...general('Invalid')],
    ],
    [
      'a text about several fields, one for each',
      rejection('{"message":"\\"DriverPhoneNumber\\" has opted out, for now. \\"CarrierMC\\" is unknown"}'),
      [
        ...atPhone('"DriverPhoneNumber" has opted out, for now.'),
        {
          inputPath: ['input', 'carrier', 'mc'],
          serviceMessages: [{ field: 'CarrierMC', message: '"CarrierMC" is unknown' }],
        },
      ],
    ],
    [
      'a text about several fields, which does not say what of each',
      rejection('{"message":"\\"DriverPhoneNumber\\" and \\"CarrierMC\\" do not match"}'),
      general('"DriverPhoneNumber" and "CarrierMC" do not match'),
    ],
    [
      'a sentence that begins with the words of a name',
      rejection('{"errors":["Driver phone number has opted out","The carrier MC field is required."]}'),
      [
        ...atPhone('Driver phone number has opted out', 'Driver phone number'),
        {
          inputPath: ['input', 'carrier', 'mc'],
          serviceMessages: [{ field: 'carrier MC', message: 'The carrier MC field is required.' }],
        },
      ],
    ],
    ['a text behind its status', rejection('400: It is locked', 'text/plain'), general('It is locked')],
    [
      'a text with an index that is not quoted',
      rejection('DriverPhoneNumber[0] has opted out', 'text/plain'),
      atPhone('DriverPhoneNumber[0] has opted out', 'DriverPhoneNumber[0]'),
    ],
    [
      'no link to documentation',
      rejection('{"title":"It is locked.","link":{"text":"See this page","href":"https://docs.example"}}'),
      general('It is locked.'),
    ],
    [
      'a 401, which is about no argument, whatever path it names',
      {
        status: 401,
        body: '{"message":"Token expired","errors":[{"path":"/a/{driverPhoneNumber}","message":"Token expired"}]}',
      },
      general('Token expired'),
    ],
    [
      'a 503 in words for people',
      { status: 503, body: '{"message":"The driver service is down for maintenance until 18:00."}' },
      general('The driver service is down for maintenance until 18:00.'),
    ],
    [
      'an address, which is hidden',
      rejection('{"message":"Cannot reach db-1.freight.example:5432"}'),
      general('[redacted]'),
    ],
    [
      'an exception message alone',
      rejection('{"ExceptionMessage":"The shipment is closed.","ExceptionType":"System.Exception"}'),
      general('The shipment is closed.'),
    ],
    [
      "JSON with raw line ends, a trailing comma and \\'",
      rejection('{"message":"The driver\\\'s\n phone is off.",}'),
      general("The driver's\n phone is off."),
    ],
    [
      'a parameter in quotes',
      rejection('{"message":"Required parameter \'DriverPhoneNumber\' is not present"}'),
      atPhone("Required parameter 'DriverPhoneNumber' is not present"),
    ],
    [
      'a parameter as a path',
      rejection('{"message":"body/DriverPhoneNumber must be string"}'),
      atPhone('body/DriverPhoneNumber must be string'),
    ],
    ['a code alone', rejection('{"error":{"code":"DRIVER_BLOCKED"}}'), general('DRIVER_BLOCKED')],
    [
      'the details behind a reason phrase',
      rejection('{"httpMessage":"Bad Request","moreInformation":"It is locked."}'),
      general('It is locked.'),
    ],
    [
      'members of other languages',
      rejection('{"fehler":{"meldung":"Die Sendung ist gesperrt."}}'),
      general('Die Sendung ist gesperrt.'),
    ],
    [
      'the body of another response',
      rejection('{"statusCode":400,"body":"{\\"message\\":\\"It is locked.\\"}"}'),
      general('It is locked.'),
    ],
    ['the path of the call', rejection(`{"message":"No POST to ${TRACKING}"}`), general('[redacted]')],
    [
      'a map next to its summary',
      rejection(
        '{"error":{"code":"V1","message":"Invalid","fields":{"DriverPhoneNumber":"It is no mobile"}}}',
      ),
      [...atPhone('It is no mobile'), ...general('Invalid')],
    ],
    ...['[DriverPhoneNumber] is wrong', 'DriverPhoneNumber is wrong', 'No driver_phone_number.'].map(
      (message): [string, Reply, unknown] => [
        `a parameter as a word: ${message}`,
        rejection(JSON.stringify({ message })),
        atPhone(message, /driver\w*/i.exec(message)?.[0]),
      ],
    ),
    [
      'two parameters in quotes',
      rejection('{"message":"\\"DriverPhoneNumber\\" conflicts with \\"CarrierSCAC\\" or \\"CarrierMC\\""}'),
      general('"DriverPhoneNumber" conflicts with "CarrierSCAC" or "CarrierMC"'),
    ],
  ] as [string, Reply, unknown][])('are found in %s', async (_where, reply, expected) => {
    expect(await reasons(reply)).toEqual(expected);
  });

  // A pattern that tried each way to divide them would take minutes.
  test.each([
    ['XML with white space that ends nowhere', `<a>${' '.repeat(16_000)}<b>`, 'text/xml', []],
    [
      'a path that is none',
      JSON.stringify(`It is ${'a.'.repeat(400)}!`),
      'application/json',
      [`It is ${'a.'.repeat(400)}!`],
    ],
    [
      'quotes that end nowhere',
      JSON.stringify(`No ${"'a".repeat(400)}`),
      'application/json',
      [`No ${"'a".repeat(400)}`],
    ],
  ] as [string, string, string, string[]][])('are looked for in %s', async (_what, body, type, said) => {
    expect(await reasons(rejection(body, type))).toEqual(general(...said));
  });

  test.each(['emailList(2)', 'emailList{1}', 'emailList:1', 'emailList_1'])(
    'with the name %s lead to the list',
    async (field) => {
      const operation = { ...CREATE, query: CREATE.query.replace('candidates', 'inputPath') };
      const { data } = await run(
        operation,
        json({ errors: [{ field, message: 'It is blocked.' }] }, { status: 400 }),
      );
      expect(data).toMatchObject({
        createNotification: { errors: [{ inputPath: ['input', 'recipient', 'shipmentLevel', 'emailList'] }] },
      });
    },
  );
});
