/** Values of notifications that are not as documented: what they are read as, what they cost, and what an update sends back. */
import { beforeEach, describe, expect, test } from 'vitest';
import { resultOf } from '../../src/client/result.js';
import { untilCompiled } from '../support/execution/compiler.js';
import { startInProcessGateway } from '../support/gateway/inProcessGateway.js';
import { bulkOperation, itemAbout } from '../support/graphql/bulkFields.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { asVariables, validArguments, type Operation } from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';
import { notification as recordOf } from '../support/service/faultServer.js';
import { startScriptedService, type Reply } from '../support/service/scriptedService.js';
import { useStarted } from '../support/tools/useStarted.js';

const guid = '3f0a7c1e-2b64-4e7f-9a55-0c8d1e2f3a01';
const LIST = '/v1/customnotifications';
const ONE = `${LIST}/${guid}`;
const SUBGRAPH_TOKEN = 'the-token-of-a-router';
const US_DATE = '5/1/2024 8:30:00 AM';

const service = useStarted(() => startScriptedService([guid]));
const gateway = useStarted(() =>
  startInProcessGateway(service, {
    env: { IDEMPOTENCY_STORE: 'memory', SUBGRAPH_TOKEN },
    config: { service: { retries: 0, circuitOpenMs: 1 } },
  }),
);
beforeEach(() => {
  service.calls.length = 0;
  gateway.logLines.length = 0;
});

const stopLevel = recordOf(guid, 'robin.planner');
const shipmentLevel = {
  ...stopLevel,
  notificationRecipientType: 'shipmentLevel',
  emailList: ['dock@example.com'],
  smsList: ['13035550100'],
};
const reply = (...data: readonly object[]): Reply => ({
  body: JSON.stringify({ data, messages: [], totalPossibleCount: data.length }),
});
const failed: Reply = { status: 500 };

async function send(operation: Operation | string, headers: Record<string, string> = {}) {
  const body = typeof operation === 'string' ? { query: operation } : operation;
  const { data, errors, extensions } = await post(gateway.url, body, { headers });
  return { data, errors, ...(extensions && { extensions }) };
}
/** The response to a write: a record with what was sent. */
type WriteReply = (sent: string) => Reply;
const written =
  (record: object): WriteReply =>
  (sent) =>
    reply({ ...record, ...(JSON.parse(sent) as object) });
/** Runs an operation whose calls get these responses in turn. */
async function sendFor(operation: Operation | string, ...replies: readonly (Reply | WriteReply)[]) {
  const left = [...replies];
  service.respond = (_method, _path, sent) => {
    const next = left.shift() ?? { status: 418 };
    return typeof next === 'function' ? next(sent) : next;
  };
  return send(operation);
}
const problems = () =>
  gateway.logLines
    .filter(({ msg }) => msg === 'Upstream response violates the contract')
    .map(({ level, problem }) => [level, problem]);

const DATE_PROBLEM = '/lastUpdateDate: expected a date and time in ISO 8601 format with a UTC offset';
const DATE_MESSAGE = serviceErrorMessages.misshapen(DATE_PROBLEM);
const CODE = 'SERVICE_RESPONSE_INVALID';
const dateError = (path: (number | string)[], extensions: object = {}) => ({
  message: DATE_MESSAGE,
  locations: [expect.any(Object) as object],
  path: [...path, 'lastUpdateDate'],
  extensions: { code: CODE, retryable: false, ...extensions, requestId: expect.any(String) as string },
});

describe('The date of the last update', () => {
  const READ = `{ notification(notificationGuid: "${guid}") { notificationName lastUpdateDate } }`;
  const name = { notificationName: stopLevel.notificationName };
  const read = (lastUpdateDate: unknown, query = READ) =>
    sendFor(query, reply({ ...stopLevel, lastUpdateDate }));

  test.each([
    ['2024-05-01T08:30:00.1234567+0000', '2024-05-01T08:30:00.1234567+00:00'],
    ['2024-05-01T08:30:00.12345678901234567890-0530', '2024-05-01T08:30:00.12345678901234567890-05:30'],
    ['2024-05-01T08:30:00.1000000+05', '2024-05-01T08:30:00.1000000+05:00'],
    ['2024-05-01t08:30:00.5z', '2024-05-01T08:30:00.5Z'],
    ['2024-05-01 08:30:00.5+00', '2024-05-01T08:30:00.5+00:00'],
    ['2024-05-01T08:30:00,123Z', '2024-05-01T08:30:00.123Z'],
    ['2024-05-01T08:30Z', '2024-05-01T08:30:00Z'],
    ['2024-05-01T08:30-0500', '2024-05-01T08:30:00-05:00'],
    ['2024-05-01T08:30:00-0000', '2024-05-01T08:30:00-00:00'],
    ['20240501T083000Z', '2024-05-01T08:30:00Z'],
    ['2024-05-01T08:30:00 -05:00', '2024-05-01T08:30:00-05:00'],
    ['2024-05-01T08:30:00 UTC', '2024-05-01T08:30:00Z'],
    ['2024-05-01T08:30:00.5GMT', '2024-05-01T08:30:00.5Z'],
    ['2024-05-01T08:30:00Z[UTC]', '2024-05-01T08:30:00Z'],
    ['2024-05-01T08:30:00-05:00[America/Chicago]', '2024-05-01T08:30:00-05:00'],
    ['/Date(1714570200000-0500)/', '2024-05-01T13:30:00.000Z'],
    ['/Date(1714570200000)/', '2024-05-01T13:30:00.000Z'],
    ['Wed, 01 May 2024 13:30:00 GMT', '2024-05-01T13:30:00Z'],
  ])('%s is read as %s', async (date, lastUpdateDate) => {
    expect(await read(date)).toEqual({ data: { notification: { ...name, lastUpdateDate } } });
    expect(problems()).toEqual([]);
  });

  test.each([
    US_DATE,
    '2024-05-01T08:30:00.1234567', // in which zone?
    '2024-05-01',
    '2024-0501T08:30:00Z',
    '2024-05-01T08:30:00 05:00', // + as a space
    '2024-05-01T08:30:00 EST',
    'Wed, 01 May 2024 13:30:00 +0000',
    'Wed, 31 Feb 2024 13:30:00 GMT',
    '2024-02-30T08:30:00+0000',
    '2024-05-01T24:00:00+0000',
    '2024-05-01T08:30:00+2400',
    '/Date(9999999999999999)/',
    '',
    1714570200,
    { date: '2024-05-01T08:30:00Z' },
  ])('%j cannot be read: the field is null with an error, and nothing else is', async (date) => {
    expect(await read(date)).toEqual({
      data: { notification: { ...name, lastUpdateDate: null } },
      errors: [dateError(['notification'])],
    });
    expect(problems()).toEqual([[40, serviceErrorMessages.misshapen(`/data/0${DATE_PROBLEM}`)]]);
    gateway.logLines.length = 0;

    const query = READ.replace(' lastUpdateDate', '');
    expect(await read(date, query)).toEqual({ data: { notification: name } });
    expect(problems()).toHaveLength(1);
  });

  test.each([null, undefined])('%s is null without an error', async (date) => {
    expect(await read(date)).toEqual({ data: { notification: { ...name, lastUpdateDate: null } } });
    expect(problems()).toEqual([]);
  });
});

describe('A date that cannot be read has an error wherever a notification is', () => {
  const bad = { ...shipmentLevel, lastUpdateDate: US_DATE };
  const selected = '{ notificationGuid lastUpdateDate }';
  const shown = { notificationGuid: guid, lastUpdateDate: null };
  const payload = `{ outcome evidence errors { code } notification ${selected} }`;
  const applied = { outcome: 'APPLIED', evidence: 'RESPONSE', errors: [], notification: shown };
  const isApplied = { outcome: 'APPLIED' };

  test.each<[string, Operation, (Reply | WriteReply)[], data: object, errors: object[]]>([
    [
      'notificationsByGuid',
      asVariables('notificationsByGuid', { notificationGuids: [guid, guid] }, selected),
      [reply(bad)],
      { notificationsByGuid: [shown, shown] },
      [dateError(['notificationsByGuid', 0]), dateError(['notificationsByGuid', 1])],
    ],
    [
      'notifications',
      { query: `{ notifications { notifications ${selected} totalPossibleCount } }` },
      [reply(stopLevel, bad)],
      {
        notifications: {
          notifications: [{ ...shown, lastUpdateDate: stopLevel.lastUpdateDate }, shown],
          totalPossibleCount: 2,
        },
      },
      [dateError(['notifications', 'notifications', 1])],
    ],
    [
      'createNotification',
      asVariables('createNotification', validArguments('createNotification'), payload),
      [written(bad)],
      { createNotification: applied },
      [dateError(['createNotification', 'notification'], isApplied)],
    ],
    [
      'createNotifications',
      bulkOperation(
        'createNotifications',
        [itemAbout('createNotification', 'a'), itemAbout('createNotification', 'b')],
        { selection: `results ${payload} applied` },
      ),
      [written(bad), written(bad)],
      { createNotifications: { results: [applied, applied], applied: 2 } },
      [0, 1].map((index) => dateError(['createNotifications', 'results', index, 'notification'], isApplied)),
    ],
  ])('in %s, compiled or not', async (_field, operation, replies, data, errors) => {
    await untilCompiled(async () => {
      expect(await sendFor(operation, ...replies)).toEqual({ data, errors });
    });
    const [summary] = gateway.logLines.filter(({ msg }) => msg === 'Request');
    const isMutation = operation.query.startsWith('mutation');
    expect(summary?.['outcome']).toBe(isMutation ? 'APPLIED' : undefined);
  });

  test('in _entities', async () => {
    const query = `{ _entities(representations: [{ __typename: "Notification", notificationGuid: "${guid}" }]) { ... on Notification ${selected} } }`;
    service.respond = () => reply(bad);
    expect(await send(query, { 'x-subgraph-token': SUBGRAPH_TOKEN })).toEqual({
      data: { _entities: [shown] },
      errors: [dateError(['_entities', 0])],
    });
  });

  test('and the outcome of the write, for clients that get nothing else', async () => {
    const create = asVariables('createNotification', validArguments('createNotification'), payload);
    const { errors } = await sendFor(create, written(bad));
    expect(resultOf({ errors }, 'createNotification')).toMatchObject({
      outcome: 'APPLIED',
      nextStep: 'NONE',
      errors: [{ code: CODE }],
    });
    const many = bulkOperation(
      'createNotifications',
      [itemAbout('createNotification', 'a'), itemAbout('createNotification', 'b')],
      { selection: `results ${payload}` },
    );
    const bulk = { errors: (await sendFor(many, written(bad), written(stopLevel))).errors };
    // One of several items says nothing of the others.
    expect(
      [undefined, 0, 1].map((index) => resultOf(bulk, 'createNotifications', { index }).outcome),
    ).toEqual(['UNKNOWN', 'APPLIED', 'UNKNOWN']);
  });
});

describe('The errors of a list of dates that cannot be read', () => {
  const rows = Array.from({ length: 150 }, () => ({ ...stopLevel, lastUpdateDate: US_DATE }));
  const query = '{ notifications { notifications { lastUpdateDate } unreadable { index } } }';

  test('are at most 100, and the response says that some are left out', async () => {
    expect(await sendFor(query, reply(...rows))).toEqual({
      data: { notifications: { notifications: Array(150).fill({ lastUpdateDate: null }), unreadable: [] } },
      errors: [
        ...Array.from({ length: 100 }, (_, index) => dateError(['notifications', 'notifications', index])),
        {
          message: 'Expected at most 100 errors, got 50 more',
          extensions: {
            code: 'QUERY_TOO_COMPLEX',
            retryable: false,
            requestId: expect.any(String) as string,
          },
        },
      ],
    });
    expect(problems()).toHaveLength(1);
  });

  test('do not come before the failures of items', async () => {
    const items = Array.from({ length: 120 }, (_, index) => itemAbout('createNotification', `n${index}`));
    const operation = bulkOperation('createNotifications', items, {
      selection: 'results { notification { lastUpdateDate } }',
    });
    const respond = written(rows[0] ?? {});
    service.respond = (_method, _path, body) => (body.includes('"n119"') ? failed : respond(body));
    const { errors, extensions } = await send(operation);
    expect(extensions).toBeUndefined();
    expect(errors).toHaveLength(102);
    expect(errors?.at(-1)).toMatchObject({
      message: 'Expected at most 100 errors, got 19 more',
      extensions: { code: 'QUERY_TOO_COMPLEX', outcome: 'APPLIED' },
    });
    expect(errors?.at(-2)).toMatchObject({
      path: ['createNotifications', 'results', 119],
      extensions: { code: 'SERVICE_ERROR', outcome: 'UNKNOWN' },
    });
  });
});

describe('Other values than the documented ones', () => {
  const fields = `notificationGuid recipient { ... on ShipmentLevelRecipient { emailList smsList } ... on StopLevelRecipient { notifyStopContactsByEmail notifyStopContactsBySms } }`;
  const lists = { emailList: ['dock@example.com'], smsList: ['+13035550100'] };

  test.each<[changes: object, recipient: object]>([
    [{ emailList: null }, { ...lists, emailList: [] }],
    [{ emailList: undefined }, { ...lists, emailList: [] }],
    [
      { emailList: null, smsList: undefined },
      { emailList: [], smsList: [] },
    ],
    [
      { smsList: [13035550100, '13035550101', 447911123456] },
      { ...lists, smsList: ['+13035550100', '+13035550101', '+447911123456'] },
    ],
    [
      { notificationRecipientType: 'SHIPMENTLEVEL', emailList: null },
      { ...lists, emailList: [] },
    ],
    [{ notifyStopContactsByEmail: 1, notifyStopContactsBySms: null }, lists],
  ])('at shipment level: %j', async (changes, recipient) => {
    const query = `{ notifications { notifications { ${fields} } totalPossibleCount } }`;
    const row = { notificationGuid: guid, recipient };
    expect(await sendFor(query, reply({ ...shipmentLevel, ...changes }))).toEqual({
      data: { notifications: { notifications: [row], totalPossibleCount: 1 } },
    });
    expect(problems()).toEqual([]);
  });

  test.each<[byEmail: unknown, bySms: unknown, flags: [boolean, boolean]]>([
    [1, 0, [true, false]],
    ['true', 'false', [true, false]],
    ['False', 'TRUE', [false, true]],
    [false, 1, [false, true]],
  ])(
    'at stop level: %j and %j',
    async (notifyStopContactsByEmail, notifyStopContactsBySms, [byEmail, bySms]) => {
      const query = `{ notification(notificationGuid: "${guid}") { ${fields} } }`;
      const record = { ...stopLevel, notifyStopContactsByEmail, notifyStopContactsBySms };
      const recipient = { notifyStopContactsByEmail: byEmail, notifyStopContactsBySms: bySms };
      expect(await sendFor(query, reply(record))).toEqual({
        data: { notification: { notificationGuid: guid, recipient } },
      });
      expect(problems()).toEqual([]);
    },
  );

  test('a number as the identifier', async () => {
    const numbered = { ...stopLevel, notificationGuid: 9007199254740991 };
    const query = '{ notification(notificationGuid: "9007199254740991") { id notificationGuid } }';
    expect(await sendFor(query, reply(numbered))).toEqual({
      data: { notification: { id: '9007199254740991', notificationGuid: '9007199254740991' } },
    });
    expect(service.calls).toEqual([`GET ${LIST}/9007199254740991`]);
    const create = asVariables(
      'createNotification',
      validArguments('createNotification'),
      '{ notificationGuid outcome }',
    );
    expect(await sendFor(create, written({ ...numbered, notificationGuid: 42 }))).toEqual({
      data: { createNotification: { notificationGuid: '42', outcome: 'APPLIED' } },
    });
  });

  test('a count of 0 with one notification, which is returned as it is', async () => {
    const query = '{ notifications { notifications { notificationGuid } totalPossibleCount } }';
    const body = JSON.stringify({ data: [stopLevel], messages: [], totalPossibleCount: 0 });
    expect(await sendFor(query, { body })).toEqual({
      data: { notifications: { notifications: [{ notificationGuid: guid }], totalPossibleCount: 0 } },
    });
  });
});

/** What stays when the name is changed. */
const kept: [what: string, record: object, sent: object][] = [
  [
    'flags as numbers and texts',
    { ...stopLevel, notifyStopContactsByEmail: 1, notifyStopContactsBySms: 'False' },
    { notifyStopContactsByEmail: true, notifyStopContactsBySms: false },
  ],
  [
    'phone numbers as numbers',
    { ...shipmentLevel, smsList: [13035550100, '447911123456'] },
    {
      notifyStopContactsByEmail: true,
      notifyStopContactsBySms: false,
      emailList: ['dock@example.com'],
      smsList: ['+13035550100', '+447911123456'],
    },
  ],
  [
    'lists that are null',
    { ...shipmentLevel, notifyStopContactsByEmail: 0, emailList: null, smsList: null },
    { notifyStopContactsByEmail: false, notifyStopContactsBySms: false, emailList: [], smsList: [] },
  ],
  [
    'filters and lists that nobody asked for',
    { ...stopLevel, emailList: ['dock@example.com'], smsList: ['13035550100'], filters: null },
    {
      notifyStopContactsByEmail: true,
      notifyStopContactsBySms: false,
      emailList: ['dock@example.com'],
      smsList: ['+13035550100'],
    },
  ],
  [
    'a date that cannot be read',
    { ...stopLevel, lastUpdateDate: US_DATE },
    { notifyStopContactsByEmail: true, notifyStopContactsBySms: false },
  ],
];

describe.each(kept)('An update of a notification with %s', (_what, record, sent) => {
  const RENAME = `mutation { updateNotification(notificationGuid: "${guid}", input: { notificationName: "Renamed" }) { outcome evidence errors { code } } }`;
  const { notificationRecipientType, notificationTypeLabel, notificationTypes } = record as typeof stopLevel;
  const body = {
    notificationGuid: guid,
    notificationName: 'Renamed',
    notificationRecipientType,
    notificationTypeLabel,
    notificationTypes,
    ...sent,
  };
  const rename = async (put: Reply, after: object) => {
    let state = record;
    const bodies: unknown[] = [];
    service.respond = (method, _path, text) => {
      if (method === 'GET') return reply(state);
      bodies.push(JSON.parse(text));
      state = after;
      return put;
    };
    return { ...(await send(RENAME)), bodies, methods: service.calls.map((call) => call.split(' ')[0]) };
  };
  const renamed = { ...record, notificationName: 'Renamed' };
  const result = (evidence: string) => ({
    data: { updateNotification: { outcome: 'APPLIED', evidence, errors: [] } },
    bodies: [body],
  });

  test('sends back what it keeps as documented values', async () => {
    expect(await rename(reply(renamed), renamed)).toEqual({
      ...result('RESPONSE'),
      methods: ['GET', 'PUT'],
    });
  });

  test('is confirmed by a read that finds the same', async () => {
    expect(await rename(failed, renamed)).toEqual({
      ...result('READ_BACK'),
      methods: ['GET', 'PUT', 'GET'],
    });
  });

  test('is not confirmed by a read that finds another state', async () => {
    expect(await rename(failed, record)).toMatchObject({
      data: {
        updateNotification: { outcome: 'UNKNOWN', evidence: null, errors: [{ code: 'SERVICE_ERROR' }] },
      },
    });
  });
});

test.each<[changes: object, reason: string]>([
  [{ emailList: undefined }, 'the service does not return emailList'],
  [{ smsList: undefined }, 'the service does not return smsList'],
  [{ emailList: ['d***@example.com'] }, 'the service masks emailList, or returns it in another form'],
  [{ emailList: ['mailto:dock@example.com'] }, 'the service masks emailList, or returns it in another form'],
  [{ smsList: ['1303***0100'] }, 'the service masks smsList, or returns it in another form'],
])('An update that would have to keep recipients with %j is not sent', async (changes, reason) => {
  const update = (input: object) =>
    asVariables('updateNotification', { notificationGuid: guid, input }, '{ outcome }');
  const rename = update({ notificationName: 'Renamed' });
  const record = { ...shipmentLevel, ...changes };
  expect(await sendFor(rename, reply(record))).toEqual({
    data: { updateNotification: null },
    errors: [
      fieldError(
        rename.query,
        ['updateNotification'],
        `Expected a new recipient in the input: the update cannot keep the current one, because ${reason}`,
        { code: CODE, outcome: 'NOT_APPLIED', retryable: false },
      ),
    ],
  });
  const recipient = { shipmentLevel: { emailList: ['dock@example.com'], smsList: [] } };
  expect(await sendFor(update({ recipient }), reply(record), written(shipmentLevel))).toEqual({
    data: { updateNotification: { outcome: 'APPLIED' } },
  });
  expect(service.calls).toEqual([`GET ${ONE} no-cache`, `GET ${ONE} no-cache`, `PUT ${ONE}`]);
});

describe('A date that cannot be read', () => {
  const bad = { ...stopLevel, lastUpdateDate: '2024-05-01T08:30:00.1234567' };
  const ifLastUpdateDate = stopLevel.lastUpdateDate;

  test.each([
    ['updateNotification', { notificationGuid: guid, input: { notificationName: 'x' }, ifLastUpdateDate }],
    [
      'updateNotification',
      { ...validArguments('updateNotification'), notificationGuid: guid, ifLastUpdateDate },
    ],
    ['deleteNotification', { notificationGuid: guid, ifLastUpdateDate }],
  ] as const)('is no date to compare with, so %s is not sent', async (field, args) => {
    const operation = asVariables(
      field,
      args,
      '{ outcome evidence errors { code message retryable } current { notificationGuid } }',
    );
    expect(await sendFor(operation, reply(bad))).toEqual({
      data: {
        [field]: {
          outcome: 'NOT_APPLIED',
          evidence: 'NOT_SENT',
          errors: [{ code: CODE, message: DATE_MESSAGE, retryable: false }],
          current: null,
        },
      },
    });
    const plain = asVariables(field, args);
    expect(await sendFor(plain, reply(bad))).toEqual({
      data: { [field]: null },
      errors: [
        fieldError(plain.query, [field], DATE_MESSAGE, {
          code: CODE,
          outcome: 'NOT_APPLIED',
          retryable: false,
        }),
      ],
    });
    expect(service.calls).toEqual(Array(2).fill(`GET ${ONE} no-cache`));
  });

  test('does not make the state of a read older or newer than the one before an update', async () => {
    const rename = `mutation { updateNotification(notificationGuid: "${guid}", input: { notificationName: "New" }) { evidence notification { notificationName } } }`;
    const after = { ...stopLevel, notificationName: 'New' };
    const old = { ...after, lastUpdateDate: '2020-05-01T08:30:00Z' };
    for (const [before, read] of [
      [bad, after],
      [bad, old],
      [stopLevel, { ...after, lastUpdateDate: US_DATE }],
    ] as const)
      expect(await sendFor(rename, reply(before), failed, reply(read))).toEqual({
        data: { updateNotification: { evidence: 'READ_BACK', notification: { notificationName: 'New' } } },
      });
    expect(await sendFor(rename, reply(stopLevel), failed, reply(old))).toMatchObject({
      data: { updateNotification: null },
    });
  });

  test('does not exclude a candidate of a creation', async () => {
    const args = validArguments('createNotification') as { input: { notificationName: string } };
    const created = {
      ...shipmentLevel,
      notificationName: args.input.notificationName,
      notificationTypes: ['ShipmentStatusEnRoute'],
      smsList: null,
      lastUpdateDate: US_DATE,
    };
    const list = { ...reply(created), headers: { date: new Date().toUTCString() } };
    const operation = asVariables('createNotification', args, '{ outcome errors { candidates } }');
    expect(await sendFor(operation, failed, list)).toEqual({
      data: { createNotification: { outcome: 'UNKNOWN', errors: [{ candidates: [guid] }] } },
    });
  });
});
