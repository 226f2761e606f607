/** Writes of unknown outcome: what the gateway reads afterwards, and what it concludes. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { splitEvidence, withEvidence } from '../support/graphql/evidence.js';
import { startGateway, useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { readBackOf, writes } from '../support/graphql/faultOperations.js';
import { asVariables, SEED_GUID, validArguments } from '../support/graphql/rootFields.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { forTest } from '../support/tools/useStarted.js';
import { until } from '../support/tools/waiting.js';

const service = { retries: 0, circuitOpenMs: 1 };
const options = { config: { service } };
const gateway = useGateway(options);
beforeAll(async () => {
  await readOnce(gateway);
});
beforeEach(() => {
  gateway.takeCalls();
  gateway.logLines.length = 0;
});

const guid = SEED_GUID;
const input = {
  notificationName: 'Dock team',
  recipient: {
    shipmentLevel: {
      emailList: ['dock@example.com', 'yard@example.com'],
      smsList: ['(303) 555-0100', '+447911123456'],
    },
  },
  trigger: { shipmentStatusChange: ['EN_ROUTE', 'DELIVERED'] },
  filters: [{ field: 'weight', range: { min: 1.5, max: -0 } }, 'rail'],
};
/** What the service has after a write of `input`, in the spellings of the service. */
const stored = {
  notificationGuid: guid,
  notificationName: 'Dock team',
  notificationRecipientType: 'shipmentLevel',
  notificationTypeLabel: 'shipmentStatusChange',
  notificationTypes: ['ShipmentStatusEnRoute', 'ShipmentStatusDelivered'],
  notifyStopContactsByEmail: false,
  notifyStopContactsBySms: false,
  emailList: ['dock@example.com', 'yard@example.com'],
  smsList: ['13035550100', '447911123456'] as string[] | undefined,
  filters: [{ field: 'weight', range: { min: 1.5, max: 0 } }, 'rail'] as unknown[],
  notificationMetaData: null,
  lastUpdateUserName: 'robin.planner',
  lastUpdateDate: '2021-03-04T05:06:07.1234567-05:00' as string | undefined,
};
const body = (...data: unknown[]): Fault => ({
  body: JSON.stringify({ data, messages: ['read'], totalPossibleCount: data.length }),
});

const CREATE =
  'mutation ($input: NotificationInput!) { createNotification(input: $input) { notificationGuid } }';
const UPDATE =
  'mutation ($guid: ID!, $input: UpdateNotificationInput!) { updateNotification(notificationGuid: $guid, input: $input) { notificationGuid notification { notificationName lastUpdateDate } messages } }';
const DELETE =
  'mutation ($guid: ID!) { deleteNotification(notificationGuid: $guid) { notificationGuid messages } }';

const MESSAGES = [{ message: 'Not now.' }];
/** A write that the service fails with messages. */
const failing: Fault = { status: 500, body: JSON.stringify({ messages: MESSAGES }) };
const failed = (document: string, field: string, more: object = {}) => ({
  data: { [field]: null },
  errors: [
    fieldError(document, [field], serviceErrorMessages.failed, {
      code: 'SERVICE_ERROR',
      outcome: 'UNKNOWN',
      retryable: false,
      status: 500,
      serviceMessages: MESSAGES,
      ...more,
    }),
  ],
  extensions: undefined,
});

/** As the service says it. */
const gone: Fault = { status: 404, body: JSON.stringify({ messages: ['There is none.'] }) };

/** Reads that teach the gateway how the service responds to one of a notification, and to one of none. */
async function readOnce(at: TestGateway): Promise<void> {
  const missing = '00000000-0000-4000-8000-000000000000';
  await at.data(
    `{ a: notification(notificationGuid: "${guid}") { notificationName } b: notification(notificationGuid: "${missing}") { notificationName } }`,
  );
}

let clients = 0;
/** Each operation has a client of its own: the circuit of one with that many failures would open. */
const nextToken = () => `client-${(clients += 1)}`;

async function execute(document: string, variables: Record<string, unknown>, faults: Fault[], at = gateway) {
  at.injectFaults(...faults);
  const { data, errors, extensions } = await at.execute(withEvidence(document), {
    variables,
    token: nextToken(),
  });
  return { ...splitEvidence(data), errors, extensions };
}

const callsOf = (at = gateway) => at.takeCalls().map(({ method, path }) => `${method} ${path}`);
/** What the log says about reads after writes. */
const readBacks = (at = gateway) =>
  at.logLines
    .filter(({ msg }) => msg === 'Read back a write of unknown outcome')
    .map(({ level, requestId, field, result }) => ({ level, requestId: typeof requestId, field, result }));
const logged = (field: string, result: string) => [{ level: 30, requestId: 'string', field, result }];

const LIST = '/v1/customnotifications';
const ONE = `${LIST}/${guid}`;

describe('An update of unknown outcome', () => {
  const variables = { guid, input };
  const calls = [`PUT ${ONE}`, `GET ${ONE}`];
  const success = {
    data: {
      updateNotification: {
        notificationGuid: guid,
        notification: { notificationName: 'Dock team', lastUpdateDate: stored.lastUpdateDate },
        messages: [],
      },
    },
    errors: undefined,
    evidence: { updateNotification: 'READ_BACK' },
  };

  test.each<[write: string, fault: Fault]>([
    ['fails with 500', failing],
    ['loses its connection', { disconnect: 'beforeResponse' }],
    ['loses its response', { disconnect: 'midBody' }],
    ['gets HTML', { body: '<p>OK</p>', headers: { 'content-type': 'text/html' } }],
    ['gets another notification', body({ ...stored, notificationGuid: 'other' })],
    ['is redirected', { status: 302, headers: { location: '/' } }],
  ])('succeeds if it %s, and the service has what was sent', async (_write, fault) => {
    expect(await execute(UPDATE, variables, [fault, body(stored)])).toEqual(success);
    expect(callsOf()).toEqual(calls);
    expect(readBacks()).toEqual(logged('updateNotification', 'confirmed'));
  });

  test.each<[spelling: string, record: object]>([
    ['another case of the recipient type', { notificationRecipientType: 'SHIPMENTLEVEL' }],
    ['another case of the label', { notificationTypeLabel: 'shipmentStatusChange'.toUpperCase() }],
    ['phone numbers as US numbers with punctuation', { smsList: ['(303) 555-0100', '+44 7911 123456'] }],
    ['phone numbers in E.164 format', { smsList: ['+13035550100', '+447911123456'] }],
    ['another order of subtypes', { notificationTypes: [...stored.notificationTypes].reverse() }],
    ['another case of email addresses', { emailList: ['Dock@example.com', 'yard@EXAMPLE.com'] }],
    ['another order of members', { filters: [{ range: { max: 0, min: 1.5 }, field: 'weight' }, 'rail'] }],
    ['fields that were not sent', { notifyStopContactsBySms: true, notificationMetaData: { a: 1 } }],
  ])('succeeds if the service has what was sent with %s', async (_spelling, record) => {
    expect(await execute(UPDATE, variables, [failing, body({ ...stored, ...record })])).toEqual(success);
    expect(callsOf()).toEqual(calls);
  });

  test.each<[difference: string, record: object]>([
    ['another name', { notificationName: 'dock team' }],
    ['another recipient type', { notificationRecipientType: 'stopLevel' }],
    ['another label', { notificationTypeLabel: 'shipmentStatusChanges' }],
    ['a subtype less', { notificationTypes: stored.notificationTypes.slice(1) }],
    ['another email address', { emailList: ['dock@example.org', 'yard@example.com'] }],
    ['masked phone numbers', { smsList: ['303***0100', '447911123456'] }],
    ['a phone number less', { smsList: ['13035550100'] }],
    ['no filters', { filters: [] }],
    ['another filter', { filters: [{ field: 'weight', range: { min: 1.5, max: 1 } }, 'rail'] }],
    ['a filter with a member more', { filters: [{ ...Object(stored.filters[0]), unit: 'kg' }, 'rail'] }],
  ])('keeps its error if the service has %s', async (_difference, record) => {
    expect(await execute(UPDATE, variables, [failing, body({ ...stored, ...record })])).toEqual(
      failed(UPDATE, 'updateNotification'),
    );
    expect(callsOf()).toEqual(calls);
    expect(readBacks()).toEqual(logged('updateNotification', 'different'));
  });

  test.each<[read: string, fault: Fault]>([
    ['fails with 500', { status: 500 }],
    ['fails with 404', { status: 404 }],
    ['loses its connection', { disconnect: 'beforeResponse' }],
    ['is redirected', { status: 302, headers: { location: '/login' } }],
    ['gets HTML', { body: '<p>Sign in</p>', headers: { 'content-type': 'text/html' } }],
    ['gets a contract violation', body({ ...stored, notificationTypes: { all: true } })],
    ['gets no notification', body()],
    ['gets another notification', body({ ...stored, notificationGuid: 'other' })],
  ])('keeps its error if the read %s', async (_read, fault) => {
    expect(await execute(UPDATE, variables, [failing, fault])).toEqual(failed(UPDATE, 'updateNotification'));
    expect(callsOf()).toEqual(calls);
    expect(readBacks()).toEqual(logged('updateNotification', 'unreadable'));
  });

  test('compares the whole definition that was sent if the changes are a part of it', async () => {
    const rename = { guid, input: { notificationName: 'New name' } };
    const renamed = { ...stored, notificationName: 'New name' };
    const partCalls = [`GET ${ONE}`, ...calls];
    expect(await execute(UPDATE, rename, [body(stored), failing, body(renamed)])).toMatchObject({
      data: { updateNotification: { notification: { notificationName: 'New name' } } },
      evidence: { updateNotification: 'READ_BACK' },
    });
    expect(callsOf()).toEqual(partCalls);
    // Somebody else has changed another part meanwhile.
    const changed = { ...renamed, emailList: [] };
    expect(await execute(UPDATE, rename, [body(stored), failing, body(changed)])).toEqual(
      failed(UPDATE, 'updateNotification'),
    );
    expect(callsOf()).toEqual(partCalls);
  });

  test('is not read after if it was surely not applied', async () => {
    for (const faults of [[{ status: 422 }], [{ status: 409 }], [{ status: 429 }]])
      expect(await execute(UPDATE, variables, faults)).toMatchObject({
        errors: [{ extensions: { outcome: 'NOT_APPLIED' } }],
      });
    expect(await execute(UPDATE, { guid, input: { filters: [] } }, [{ status: 500 }])).toMatchObject({
      errors: [{ extensions: { outcome: 'NOT_APPLIED' } }],
    });
    expect(callsOf()).toEqual([...Array<string>(3).fill(`PUT ${ONE}`), `GET ${ONE}`]);
    expect(readBacks()).toEqual([]);
  });
});

describe('A deletion of unknown outcome', () => {
  const calls = [`DELETE ${ONE}`, `GET ${ONE}`];

  test.each<[status: number, fault: Fault]>([
    [404, gone],
    [410, { status: 410 }],
  ])('succeeds if the read fails with %i', async (_status, fault) => {
    expect(await execute(DELETE, { guid }, [failing, fault])).toEqual({
      data: { deleteNotification: { notificationGuid: guid, messages: [] } },
      errors: undefined,
      evidence: { deleteNotification: 'READ_BACK' },
    });
    expect(callsOf()).toEqual(calls);
    expect(readBacks()).toEqual(logged('deleteNotification', 'confirmed'));
  });

  test.each<[read: string, result: string, fault: Fault]>([
    ['finds the notification', 'different', body(stored)],
    ['gets no notification', 'unreadable', body()],
    ['gets another notification', 'unreadable', body({ ...stored, notificationGuid: 'other' })],
    ['fails with 401', 'unreadable', { status: 401 }],
    ['fails with 500', 'unreadable', { status: 500 }],
    ['loses its connection', 'unreadable', { disconnect: 'beforeResponse' }],
  ])('keeps its error if the read %s', async (_read, result, fault) => {
    expect(await execute(DELETE, { guid }, [failing, fault])).toEqual(failed(DELETE, 'deleteNotification'));
    expect(callsOf()).toEqual(calls);
    expect(readBacks()).toEqual(logged('deleteNotification', result));
  });

  test('keeps its error after 404 until the service has returned a notification to a read', async () => {
    const fresh = await forTest(startGateway(options));
    const remove = () => execute(DELETE, { guid }, [failing, gone], fresh);
    const unknown = failed(DELETE, 'deleteNotification');
    expect(await remove()).toEqual(unknown);
    // Neither the list nor a response without the notification proves the path.
    await fresh.data('{ notifications { totalPossibleCount } }');
    fresh.injectFaults(body());
    await fresh.data(`{ notification(notificationGuid: "${guid}") { notificationName } }`);
    expect(await remove()).toEqual(unknown);
    await readOnce(fresh);
    expect(await remove()).toMatchObject({
      errors: undefined,
      evidence: { deleteNotification: 'READ_BACK' },
    });
  });
});

describe('A creation of unknown outcome', () => {
  const calls = [`POST ${LIST}`, `GET ${LIST}`];
  const now = Date.parse('2026-05-04T10:00:00Z');
  const at = (ms: number) => new Date(now + ms).toISOString();
  /** A list that the service sends at `now`, by its own clock. */
  const list = (
    records: readonly object[],
    { date = new Date(now).toUTCString(), total = records.length } = {},
  ): Fault => ({
    body: JSON.stringify({
      data: records.map((record, index) => ({ ...stored, notificationGuid: `guid-${index}`, ...record })),
      messages: [],
      totalPossibleCount: total,
    }),
    headers: { date },
  });
  const create = (fault: Fault) => execute(CREATE, { input }, [failing, fault]);
  const withCandidates = (...candidates: string[]) => failed(CREATE, 'createNotification', { candidates });

  test('lists equal notifications that were updated since the call began, in the order of the list', async () => {
    const records = [
      { lastUpdateDate: at(500) },
      { lastUpdateDate: at(500), notificationName: 'Other' },
      { lastUpdateDate: at(-60_000) },
      { lastUpdateDate: at(0), notificationRecipientType: 'shipmentlevel', notifyStopContactsBySms: true },
      { lastUpdateDate: '2026-05-04T05:00:00.0010000-05:00', smsList: ['+1 303 555 0100', '+447911123456'] },
      { lastUpdateDate: at(100), smsList: ['303***0100', '447911123456'] },
    ];
    expect(await create(list(records))).toEqual(withCandidates('guid-0', 'guid-3', 'guid-4'));
    expect(callsOf()).toEqual(calls);
    expect(readBacks()).toEqual(logged('createNotification', 'candidates'));
  });

  test('lists nothing if no notification is equal and new', async () => {
    expect(await create(list([{ lastUpdateDate: at(-60_000) }]))).toEqual(withCandidates());
    expect(await create(list([]))).toEqual(withCandidates());
    expect(readBacks()).toEqual([
      ...logged('createNotification', 'none'),
      ...logged('createNotification', 'none'),
    ]);
  });

  test('lists what it finds among notifications that can be read, and nothing if it may be another one', async () => {
    const broken = { notificationName: null };
    expect(await create(list([broken, { lastUpdateDate: at(500) }]))).toEqual(withCandidates('guid-1'));
    expect(await create(list([broken, { lastUpdateDate: at(-60_000) }]))).toEqual(
      failed(CREATE, 'createNotification'),
    );
    expect(readBacks()).toEqual([
      ...logged('createNotification', 'candidates'),
      ...logged('createNotification', 'unreadable'),
    ]);
  });

  test.each([
    ['ten minutes ahead', 600_000],
    ['ten minutes behind', -600_000],
  ])('is compared with the clock of the service, which is %s', async (_clock, offsetMs) => {
    const service = Date.now() + offsetMs;
    const dates = [-30_000, 0].map((ms) => ({ lastUpdateDate: new Date(service + ms).toISOString() }));
    const date = new Date(service).toUTCString();
    expect(await create(list(dates, { date }))).toEqual(withCandidates('guid-1'));
  });

  test('includes what a slow call created at its beginning', async () => {
    const slow: Fault = { ...failing, delayMs: 1200 };
    const dates = [-2500, -1300].map((ms) => ({ lastUpdateDate: at(ms) }));
    // The list is sent within the second that Date names: the call began 1.2 to 2.2 seconds before.
    const fault = list(dates, { date: new Date(now).toUTCString() });
    expect(await execute(CREATE, { input }, [slow, { ...fault, delayMs: 200 }])).toEqual(
      withCandidates('guid-1'),
    );
  });

  test('includes entries whose date has fewer digits than the clock', async () => {
    const dates = ['2026-05-04T10:00:00Z', '2026-05-04T09:59:59Z', '2026-05-04T09:59:57Z'];
    expect(await create(list(dates.map((lastUpdateDate) => ({ lastUpdateDate }))))).toEqual(
      withCandidates('guid-0', 'guid-1'),
    );
  });

  test('includes entries that time cannot exclude', async () => {
    const records = [
      { lastUpdateDate: undefined },
      { lastUpdateDate: null },
      { lastUpdateDate: at(-60_000) },
    ];
    expect(await create(list(records))).toEqual(withCandidates('guid-0', 'guid-1'));
    for (const date of ['', 'yesterday', '2026-05-04T10:00:00Z'])
      expect(await create(list(records, { date }))).toEqual(withCandidates('guid-0', 'guid-1', 'guid-2'));
  });

  test('lists at most 100 notifications', async () => {
    const records = Array.from({ length: 120 }, () => ({ lastUpdateDate: at(0) }));
    expect(await create(list(records))).toEqual(
      withCandidates(...Array.from({ length: 100 }, (_, index) => `guid-${index}`)),
    );
  });

  test('does not compare filters that were not sent', async () => {
    const fault = list([{ lastUpdateDate: at(0) }, { lastUpdateDate: at(0), filters: [] }]);
    const { notificationName, recipient, trigger } = input;
    expect(
      await execute(CREATE, { input: { notificationName, recipient, trigger } }, [failing, fault]),
    ).toEqual(withCandidates('guid-0', 'guid-1'));
  });

  test.each<[problem: string, fault: Fault]>([
    ['is incomplete', list([{ lastUpdateDate: at(0) }], { total: 2 })],
    ['is longer than its total', list([{ lastUpdateDate: at(0) }], { total: 0 })],
    ['has no total', { body: '{"data":[],"messages":[]}' }],
    ['fails with 500', { status: 500 }],
    ['fails with 404', { status: 404 }],
    ['gets HTML', { body: '<p>Sign in</p>', headers: { 'content-type': 'text/html' } }],
    ['loses its connection', { disconnect: 'midBody' }],
  ])('has no candidates at all if the list %s', async (_problem, fault) => {
    expect(await create(fault)).toEqual(failed(CREATE, 'createNotification'));
    expect(callsOf()).toEqual(calls);
    expect(readBacks()).toEqual(logged('createNotification', 'unreadable'));
  });
});

test.each(writes.filter((field) => readBackOf(field) === undefined))(
  '%s of unknown outcome is not followed by a read',
  async (field) => {
    const { query, variables = {} } = asVariables(field, validArguments(field));
    expect(await execute(query, variables, [failing])).toMatchObject({
      data: { [field]: null },
      errors: [{ extensions: { outcome: 'UNKNOWN' } }],
    });
    expect(gateway.takeCalls().length).toBe(1);
    expect(readBacks()).toEqual([]);
  },
);

describe('A read after a write', () => {
  test('happens once for each field', async () => {
    const document = `mutation ($guid: ID!, $input: UpdateNotificationInput!) {
      a: updateNotification(notificationGuid: $guid, input: $input) { messages }
      b: deleteNotification(notificationGuid: $guid) { messages }
      c: deleteNotification(notificationGuid: $guid) { messages }
    }`;
    const faults = [failing, body(stored), failing, body(stored), failing, gone];
    expect(await execute(document, { guid, input }, faults)).toMatchObject({
      data: { a: { messages: [] }, b: null, c: { messages: [] } },
      errors: [{ path: ['b'] }],
      evidence: { a: 'READ_BACK', c: 'READ_BACK' },
    });
    expect(callsOf()).toEqual(
      ['PUT', 'GET', 'DELETE', 'GET', 'DELETE', 'GET'].map((method) => `${method} ${ONE}`),
    );
  });

  test('is not sent if it is switched off', async () => {
    const without = await forTest(startGateway({ ...options, readsBack: false }));
    expect(await execute(UPDATE, { guid, input }, [failing], without)).toEqual(
      failed(UPDATE, 'updateNotification'),
    );
    expect(await execute(CREATE, { input }, [failing], without)).toEqual(
      failed(CREATE, 'createNotification'),
    );
    expect(callsOf(without)).toEqual([`PUT ${ONE}`, `POST ${LIST}`]);
    expect(readBacks(without)).toEqual([]);
  });

  test('ends at its timeout, on top of SERVICE_TIMEOUT_MS', async () => {
    const env = { SERVICE_TIMEOUT_MS: '300' };
    const config = { service: { ...service, readBackTimeoutMs: 300 } };
    const hasty = await forTest(startGateway({ env, config }));
    await readOnce(hasty);
    hasty.takeCalls();
    const timedOut = { code: 'SERVICE_TIMEOUT', outcome: 'UNKNOWN' };
    expect(
      await execute(UPDATE, { guid, input }, [{ neverRespond: true }, body(stored)], hasty),
    ).toMatchObject({
      errors: undefined,
      evidence: { updateNotification: 'READ_BACK' },
    });
    expect(
      await execute(UPDATE, { guid, input }, [{ neverRespond: true }, { neverRespond: true }], hasty),
    ).toMatchObject({ errors: [{ extensions: timedOut }] });
    expect(callsOf(hasty)).toEqual([`PUT ${ONE}`, `GET ${ONE}`, `PUT ${ONE}`, `GET ${ONE}`]);
  });

  test('carries the token of the client', async () => {
    await execute(DELETE, { guid }, [failing, gone]);
    expect(gateway.takeCalls().map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill(`Bearer client-${clients}`),
    );
  });

  test('does not happen, or ends, when the client disconnects', async () => {
    const abortDuring = async (faults: Fault[], callsBefore: number) => {
      const client = new AbortController();
      gateway.injectFaults(...faults);
      const response = gateway.execute(UPDATE, { variables: { guid, input }, signal: client.signal });
      const methods: string[] = [];
      await until(() => {
        methods.push(...gateway.takeCalls().map(({ method }) => method));
        return methods.length === callsBefore;
      });
      client.abort();
      await expect(response).rejects.toThrow('aborted');
      await until(() => gateway.logLines.some(({ msg }) => msg === 'Request'));
      return [...methods, ...gateway.takeCalls().map(({ method }) => method)];
    };
    expect(await abortDuring([{ ...failing, delayMs: 300 }], 1)).toEqual(['PUT']);
    expect(readBacks()).toEqual([]);
    gateway.logLines.length = 0;
    expect(await abortDuring([failing, { neverRespond: true }], 2)).toEqual(['PUT', 'GET']);
    expect(readBacks()).toEqual(logged('updateNotification', 'unreadable'));
  });

  test('is marked in the trace', async () => {
    const config = { service, telemetry: { exposeCalls: true } };
    const tracing = await forTest(startGateway({ config }));
    tracing.injectFaults(failing, { status: 500 });
    const { extensions } = await tracing.execute(UPDATE, {
      variables: { guid, input },
      headers: { 'x-gateway-trace': '1' },
    });
    const { trace } = extensions as { trace: Record<string, unknown>[] };
    expect(trace.map(({ method, sent, readBack }) => ({ method, sent, readBack }))).toEqual([
      { method: 'PUT', sent: true, readBack: undefined },
      { method: 'GET', sent: true, readBack: true },
    ]);
  });
});
