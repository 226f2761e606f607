/** Failures of writes are data where the operation selects the errors of the payload, and GraphQL errors where it does not. */
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { startGateway, useGateway, type RequestOptions } from '../support/gateway/gateway.js';
import { RESULT as REPORT, resultError as writeError } from '../support/graphql/bulkFields.js';
import { SHIPMENT } from '../support/graphql/documents.js';
import { writes } from '../support/graphql/faultOperations.js';
import {
  asVariables,
  failedPayloadOf,
  methodOf,
  SEED_GUID,
  validArguments,
} from '../support/graphql/rootFields.js';
import { oneNotification } from '../support/service/examples.js';
import { forTest } from '../support/tools/useStarted.js';

const gateway = useGateway({
  env: { IDEMPOTENCY_STORE: 'memory', LOG_LEVEL: 'info' },
});

/** Sends a mutation field with valid arguments, and returns the data, the errors, the calls and what the log says. */
async function send(
  field: Parameters<typeof validArguments>[0],
  selection: string,
  { faults = [], args = {}, ...options }: RequestOptions & { faults?: Fault[]; args?: object } = {},
) {
  gateway.takeCalls();
  gateway.logLines.length = 0;
  gateway.injectFaults(...faults);
  const operation = asVariables(field, { ...validArguments(field), ...args }, `{ ${selection} }`);
  const { status, data, errors, extensions } = await gateway.execute(operation, options);
  const [line] = gateway.logLines.filter(({ msg }) => msg === 'Request');
  return {
    status,
    data: (data as Record<string, unknown> | undefined)?.[field],
    errors,
    extensions,
    calls: gateway.takeCalls().map(({ method }) => method),
    logged: { outcome: line?.['outcome'], errorCodes: line?.['errorCodes'], level: line?.['level'] },
  };
}

const FAILED = writeError('SERVICE_ERROR', 'The service failed to process the request', { status: 500 });
const noShipment = { freightHaulerProviderXid: null, portalLicensePlate: null };

describe.each(writes)('%s', (field) => {
  const { selection, payload: rest } = failedPayloadOf(field);
  const method = methodOf(field);
  const selected = `${REPORT} ${selection}`;

  test('has a rejection as data', async () => {
    const body = JSON.stringify({ messages: [{ message: 'No.' }] });
    expect(await send(field, selected, { faults: [{ status: 403, body }] })).toEqual({
      status: 200,
      data: {
        outcome: 'NOT_APPLIED',
        evidence: 'RESPONSE',
        errors: [
          writeError('FORBIDDEN', 'The service does not permit this operation', {
            status: 403,
            serviceMessages: [{ message: 'No.' }],
          }),
        ],
        ...rest,
      },
      errors: undefined,
      extensions: undefined,
      calls: [method],
      logged: { outcome: 'NOT_APPLIED', errorCodes: ['FORBIDDEN'], level: 30 },
    });
  });

  test('has an unknown outcome as data', async () => {
    const { data, errors, logged } = await send(field, selected, {
      faults: Array<Fault>('shipment' in rest ? 1 : 2).fill({ status: 500 }), // the second for the read-back
    });
    // What is false after a rejection, such as `tracked`, is not known here.
    const unknown = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [name, value === false ? null : value]),
    );
    expect(data).toEqual({ outcome: 'UNKNOWN', evidence: null, errors: [FAILED], ...unknown });
    expect(errors).toBeUndefined();
    expect(logged).toEqual({ outcome: 'UNKNOWN', errorCodes: ['SERVICE_ERROR'], level: 40 });
  });

  test('has the same failure as a GraphQL error without `errors` in its selection', async () => {
    const { data, errors, logged } = await send(field, `outcome evidence ${selection}`, {
      faults: [{ status: 403 }],
    });
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', outcome: 'NOT_APPLIED' } }]);
    expect(logged).toEqual({ outcome: 'NOT_APPLIED', errorCodes: ['FORBIDDEN'], level: 30 });
  });
});

test('Invalid input is data, with all violations and what is valid of the shipment', async () => {
  const args = {
    input: {
      shipment: { hauler: { freightProviderReferenceNumber: 'REF-1', freightHaulerProviderXid: 'XID-1' } },
      carrier: { mc: ' ' },
      driverPhoneNumber: '12',
      shipmentTrackingType: 'Mobile',
    },
  };
  const selected = `${REPORT} tracked ${SHIPMENT} driverPhoneNumber`;
  const { data, errors, calls } = await send('trackShipment', selected, { args });
  const violation = (message: string, inputPath: string[], rule: string) =>
    writeError('BAD_USER_INPUT', message, { inputPath, rule });
  expect(data).toEqual({
    outcome: 'NOT_APPLIED',
    evidence: 'NOT_SENT',
    errors: [
      violation('expected a non-empty string, got " "', ['input', 'carrier', 'mc'], 'NOT_EMPTY'),
      violation(
        'expected a phone number in E.164 format, or a US number, got "12"',
        ['input', 'driverPhoneNumber'],
        'PHONE_NUMBER',
      ),
    ],
    tracked: false,
    shipment: { ...noShipment, freightProviderReferenceNumber: 'REF-1', freightHaulerProviderXid: 'XID-1' },
    driverPhoneNumber: null,
  });
  expect([errors, calls]).toEqual([undefined, []]);
});

test('At most 100 errors are data, with indexes as text', async () => {
  const emailList = Array<string>(150).fill('dock');
  const input = {
    notificationName: 'Dock team',
    recipient: { shipmentLevel: { emailList, smsList: [] } },
    trigger: { shipmentStatusChange: ['DELIVERED'] },
  };
  const { data } = await send('createNotification', 'errors { inputPath }', { args: { input } });
  expect(data).toEqual({
    errors: Array.from({ length: 100 }, (_, index) => ({
      inputPath: ['input', 'recipient', 'shipmentLevel', 'emailList', String(index)],
    })),
  });
});

test('A missing token is data', async () => {
  const { data, calls } = await send('deleteNotification', REPORT, { token: null });
  expect(data).toEqual({
    outcome: 'NOT_APPLIED',
    evidence: 'NOT_SENT',
    errors: [writeError('UNAUTHENTICATED', 'Expected the header "Authorization: Bearer <token>"')],
  });
  expect(calls).toEqual([]);
});

describe('How the outcome is known', () => {
  const { notification } = oneNotification('shipmentLevel');
  const record = { ...notification, notificationGuid: SEED_GUID };
  const body = JSON.stringify({ data: [record], messages: [], totalPossibleCount: 1 });
  const expectedDate = '2020-01-01T00:00:00Z';

  test.each([
    ['updateNotification', { input: { notificationName: 'New' } }],
    ['deleteNotification', {}],
  ] as const)('%s that meets another date was not sent, and has what was read', async (field, args) => {
    const { data, calls } = await send(field, `${REPORT} current { notificationName lastUpdateDate }`, {
      faults: [{ body }],
      args: { ...args, ifLastUpdateDate: expectedDate },
    });
    expect(data).toEqual({
      outcome: 'NOT_APPLIED',
      evidence: 'NOT_SENT',
      errors: [
        writeError(
          'CONFLICT',
          `The notification was last updated at ${notification.lastUpdateDate}, not ${expectedDate}`,
        ),
      ],
      current: {
        notificationName: notification.notificationName,
        lastUpdateDate: notification.lastUpdateDate,
      },
    });
    expect(calls).toEqual(['GET']);
  });

  test('a repeat that meets another date does not know it, and has what was read', async () => {
    const headers = { 'idempotency-key': '5f2b1c1e-8a64-4b0e-9d6c-1f3a7e2c9b98' };
    const args = { input: { notificationName: 'New' }, ifLastUpdateDate: notification.lastUpdateDate };
    const update = (...faults: Fault[]) =>
      send('updateNotification', 'outcome errors { code } current { lastUpdateDate }', {
        faults,
        args,
        headers,
      });
    const first = await update({ body }, { disconnect: 'beforeResponse' }, { status: 403 });
    expect(first.calls).toEqual(['GET', 'PUT', 'GET']);
    expect(first.data).toMatchObject({ outcome: 'UNKNOWN', current: null });
    const changed = JSON.stringify({
      data: [{ ...record, lastUpdateDate: '2024-02-02T00:00:00Z' }],
      messages: [],
    });
    const repeated = await update({ body: changed }, { body: changed });
    expect(repeated.calls).toEqual(['GET', 'GET']);
    expect(repeated.data).toEqual({
      outcome: 'UNKNOWN',
      errors: [{ code: 'CONFLICT' }],
      current: { lastUpdateDate: '2024-02-02T00:00:00Z' },
    });
  });

  test('an expired key leaves it unknown, which is no warning to the operator', async () => {
    const headers = { 'idempotency-key': '017f22e2-79b0-7cc3-98c4-dc0c0c07398f' };
    const { data, logged } = await send('trackShipment', `${REPORT} tracked`, { headers });
    const asError = await send('trackShipment', 'tracked', { headers });
    for (const each of [logged, asError.logged])
      expect(each).toEqual({ outcome: 'UNKNOWN', errorCodes: ['IDEMPOTENCY_KEY_EXPIRED'], level: 30 });
    expect(data).toEqual({
      outcome: 'UNKNOWN',
      evidence: null,
      errors: [writeError('IDEMPOTENCY_KEY_EXPIRED', 'This idempotency key has expired')],
      tracked: null,
    });
  });
});

describe('`errors` is selected', () => {
  const selectedBy = async (selection: string, fragments = '') => {
    gateway.injectFaults({ status: 403 });
    const { query, variables } = asVariables('deleteNotification', validArguments('deleteNotification'));
    const declared = query.replace('(', '($yes: Boolean!, $no: Boolean!, $default: Boolean = true, ');
    const document = `${declared.replace(/\{[^{}]*\}( *\})$/, `{ outcome @include(if: $yes) @skip(if: $no) ... @include(if: $default) { __typename } ${selection} }$1`)} ${fragments}`;
    const { data, errors } = await gateway.execute(document, {
      variables: { ...variables, yes: true, no: false },
    });
    return { isData: errors === undefined, data };
  };
  const ON_TYPE = 'fragment On on DeleteNotificationPayload { errors { code } }';
  const ON_INTERFACE = 'fragment On on WritePayload { errors { code } }';

  test.each([
    ['by an alias', 'e: errors { code }', ''],
    ['by a fragment on the payload', '...On', ON_TYPE],
    ['by a fragment in a fragment', '... on WritePayload { ...On }', ON_TYPE],
    ['by a fragment on the interface', '...On', ON_INTERFACE],
    ['by an inline fragment on the interface', '... on WritePayload { errors { code } }', ''],
    ['if it is included', 'errors @include(if: $default) { code }', ''],
    ['if it is not skipped', 'errors @skip(if: $no) { code }', ''],
    ['if one of two is not skipped', '...On @skip(if: $yes) ... { errors { code } }', ON_TYPE],
  ])('%s', async (_how, selection, fragments) => {
    const key = selection.startsWith('e:') ? 'e' : 'errors';
    expect(await selectedBy(selection, fragments)).toEqual({
      isData: true,
      data: {
        deleteNotification: {
          __typename: 'DeleteNotificationPayload',
          outcome: 'NOT_APPLIED',
          [key]: [{ code: 'FORBIDDEN' }],
        },
      },
    });
  });

  test.each([
    ['if it is skipped', 'errors @skip(if: $default) { code }', ''],
    ['if it is not included', 'errors @include(if: $no) { code }', ''],
    ['if its fragment is skipped', '...On @skip(if: $yes)', ON_INTERFACE],
    ['as the name of another field', 'errors: messages', ''],
  ])('not %s', async (_how, selection, fragments) => {
    expect(await selectedBy(selection, fragments)).toEqual({
      isData: false,
      data: { deleteNotification: null },
    });
  });
});

test('One failure of several fields is data next to the others', async () => {
  gateway.takeCalls();
  gateway.injectFaults({ body: 'true' }, { status: 409 }, { status: 500 });
  const { query, variables } = asVariables('trackShipment', validArguments('trackShipment'));
  const [field = ''] = /trackShipment\([^)]*\)/.exec(query) ?? [];
  const document = query.replace(
    /\{ trackShipment.*$/,
    `{ a: ${field} { outcome errors { code } } b: ${field} { outcome errors { code } } c: ${field} { outcome } }`,
  );
  gateway.logLines.length = 0;
  const { data, errors } = await gateway.execute({ query: document, ...(variables && { variables }) });
  expect(data).toEqual({
    a: { outcome: 'APPLIED', errors: [] },
    b: { outcome: 'NOT_APPLIED', errors: [{ code: 'CONFLICT' }] },
    c: null,
  });
  expect(errors).toMatchObject([{ path: ['c'], extensions: { outcome: 'UNKNOWN' } }]);
  expect(gateway.logLines.find(({ msg }) => msg === 'Request')).toMatchObject({
    outcome: 'UNKNOWN',
    errorCodes: ['SERVICE_ERROR', 'CONFLICT'],
  });
});

test('A result that is too large is a failure as data', async () => {
  const limited = await forTest(startGateway({ config: { graphql: { maxResultBytes: 10_000 } } }));
  const long = Array.from({ length: 9 }, (_, index) => `m${index}: messages`).join(' ');
  const selection = `{ outcome errors { code serviceMessages } ${long} }`;
  limited.injectFaults({ body: JSON.stringify({ success: true, messages: ['x'.repeat(2000)] }) });
  const tooLarge = await limited.execute(
    asVariables('deleteNotification', validArguments('deleteNotification'), selection),
  );
  expect([tooLarge.errors, tooLarge.data]).toEqual([
    undefined,
    {
      deleteNotification: {
        outcome: 'UNKNOWN',
        errors: [{ code: 'QUERY_TOO_COMPLEX', serviceMessages: [] }],
        ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`m${index}`, []])),
      },
    },
  ]);
});
