/** Bulk fields: what fails one item, as it fails the field for one, and what fails the whole operation. */
import { expect, test } from 'vitest';
import { useFaultGateway } from '../support/gateway/faultGateway.js';
import { bulkFields, bulkOperation, itemAbout } from '../support/graphql/bulkFields.js';
import {
  asVariables,
  validArguments,
  withInvalidValue,
  type FieldName,
  type Operation,
} from '../support/graphql/rootFields.js';
import { post, type PostOptions } from '../support/http/post.js';

const gateway = useFaultGateway({
  env: { IDEMPOTENCY_STORE: 'memory' },
  config: { service: { retries: 0, circuitOpenMs: 1 } },
});

/** Sends an operation; resolves with the response and the subjects of the REST calls. */
async function send(operation: Operation, options?: PostOptions) {
  const before = gateway.service.requests.length;
  const { status, data, errors } = await post(gateway.url, operation, options);
  const calls = gateway.service.requests.slice(before).map(({ subject }) => subject);
  return { status, data, errors, calls };
}

const manyOf = (one: FieldName) => bulkFields.find(([, each]) => each === one)?.[0] ?? '';

test.each<[one: FieldName, wrong: [path: string, value: unknown, rule: string][]]>([
  [
    'trackShipment',
    [
      ['input.driverPhoneNumber', 3035550100, 'TYPE'],
      ['input.carrier', { mc: '1', dot: '2' }, 'ONE_OF'],
      ['input.shipmentTrackingType', null, 'REQUIRED'],
    ],
  ],
  [
    'createNotification',
    [
      ['input.trigger.shipmentStatusChange.0', 'Delivered', 'ENUM'],
      ['input.recipient.shipmentLevel.emailList.0', null, 'REQUIRED'],
    ],
  ],
  ['deleteException', [['input.carrier', undefined, 'REQUIRED']]],
])(
  'Items of %s with values of the wrong type fail the operation, with an error for each, and nothing is sent',
  async (one, wrong) => {
    const items = wrong.map(([path, value]) => withInvalidValue(one, path, value));
    const operation = bulkOperation(manyOf(one), [validArguments(one), ...items]);
    const { errors, ...rest } = await send(operation);
    expect(rest).toEqual({ status: 422, data: undefined, calls: [] });
    expect(
      errors?.map(({ path, extensions: { code, field, inputPath, rule } }) => [
        path,
        code,
        field,
        (inputPath as (number | string)[]).join('.'),
        rule,
      ]),
    ).toEqual(
      wrong.map(([path, , rule], index) => [
        undefined,
        'BAD_USER_INPUT',
        manyOf(one),
        `items.${index + 1}.${path}`,
        rule,
      ]),
    );
  },
);

test.each<[one: FieldName, path: string, text: string, rule: string]>([
  ['trackShipment', 'input.driverPhoneNumber', '3035550100.0', 'PHONE_NUMBER'],
  ['trackShipment', 'idempotencyKey', 'row 2', 'UUID'],
  ['createNotification', 'input.recipient.shipmentLevel.emailList.0', 'dock', 'EMAIL'],
  ['createNotification', 'input.recipient.shipmentLevel.smsList.0', '303-555', 'PHONE_NUMBER'],
  ['updateNotification', 'ifLastUpdateDate', '5/1/2024', 'DATE_TIME'],
  ['deleteNotification', 'notificationGuid', '..', 'CHARACTERS'],
  ['deleteException', 'input.target.exceptionGuid', ' ', 'NOT_EMPTY'],
])('An item of %s with a text at %s that is no such value fails alone: %s', async (one, path, text, rule) => {
  const subject = `valid item next to ${path}`;
  const items = [itemAbout(one, subject), withInvalidValue(one, path, text)];
  const selection = 'results { outcome errors { code inputPath rule } }';
  const args = { onInvalidItem: 'SEND_OTHERS', selection };
  const { data, errors, calls } = await send(bulkOperation(manyOf(one), items, args));
  const inputPath = ['items', '1', ...path.split('.')];
  expect([data, errors, calls]).toEqual([
    {
      [manyOf(one)]: {
        results: [
          { outcome: 'APPLIED', errors: [] },
          { outcome: 'NOT_APPLIED', errors: [{ code: 'BAD_USER_INPUT', inputPath, rule }] },
        ],
      },
    },
    undefined,
    [subject],
  ]);
});

test.each(bulkFields)('%s rejects the header Idempotency-Key, and says why', async (many, one) => {
  const operation = bulkOperation(many, [itemAbout(one, 'with header')]);
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const { errors, ...rest } = await send(operation, { headers });
  expect(rest).toEqual({ status: 422, data: undefined, calls: [] });
  expect(errors).toMatchObject([
    {
      message:
        'Expected the header Idempotency-Key with one mutation, got several or a list: set idempotencyKey of each instead',
      extensions: { code: 'BAD_USER_INPUT', outcome: 'NOT_APPLIED' },
    },
  ]);
});

test.each(bulkFields)(
  '%s ignores the header if every item has a key, and a number that a browser adds',
  async (many, one) => {
    const firefox = { 'idempotency-key': '"9876543210987654321"' };
    const withKey = (subject: string) => itemAbout(one, subject, { idempotencyKey: crypto.randomUUID() });
    const withKeys = bulkOperation(many, [withKey('own key 1'), withKey('own key 2')]);
    for (const headers of [firefox, { 'idempotency-key': crypto.randomUUID() }]) {
      const { status, errors } = await send(withKeys, { headers });
      expect([status, errors]).toEqual([200, undefined]);
    }
    const someKeys = bulkOperation(many, [withKey('own key 3'), itemAbout(one, 'no key')]);
    expect(await send(someKeys, { headers: firefox })).toMatchObject({ status: 200, errors: undefined });
    const rejected = await send(someKeys, { headers: { 'idempotency-key': crypto.randomUUID() } });
    expect(rejected).toMatchObject({ status: 422, data: undefined, calls: [] });
  },
);

test.each(bulkFields)('%s treats a missing token as the field for one does', async (many, one) => {
  const selection = 'outcome errors { code }';
  const single = await send(asVariables(one, validArguments(one), `{ ${selection} }`), { token: null });
  const items = ['a', 'b'].map((name) => itemAbout(one, name));
  const bulk = await send(bulkOperation(many, items, { selection: `results { ${selection} }` }), {
    token: null,
  });
  const { [one]: result } = single.data as Record<string, unknown>;
  expect([bulk.data, bulk.errors]).toEqual([{ [many]: { results: [result, result] } }, undefined]);
  expect(bulk.calls.sort()).toEqual(single.calls.length === 0 ? [] : ['a', 'b']);
});

test('Results under two names have their failures as data if one of them selects the errors', async () => {
  const items = ['load-0', 'load-1'].map((name) => itemAbout('trackShipment', name));
  gateway.service.plan = ({ subject }) =>
    subject === 'load-1' ? { kind: 'respond', status: 403 } : undefined;
  const selection = 'codes: results { errors { code } } outcomes: results { outcome }';
  const { data, errors } = await send(bulkOperation('trackShipments', items, { selection }));
  gateway.service.plan = () => undefined;
  expect([data, errors]).toEqual([
    {
      trackShipments: {
        codes: [{ errors: [] }, { errors: [{ code: 'FORBIDDEN' }] }],
        outcomes: [{ outcome: 'APPLIED' }, { outcome: 'NOT_APPLIED' }],
      },
    },
    undefined,
  ]);
});
