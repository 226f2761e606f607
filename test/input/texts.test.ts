/** Texts as people paste them: the gateway sends, compares, records and returns the clean text. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { bulkOperation } from '../support/graphql/bulkFields.js';
import { CARRIER, SHIPMENT } from '../support/graphql/documents.js';
import {
  allValidArguments,
  asLiterals,
  asVariables,
  fieldNames,
  isMutation,
  validArguments,
  withInvalidValue,
  type Arguments,
  type Operation,
} from '../support/graphql/rootFields.js';
import { characterMessage } from '../support/graphql/validationTables.js';
import { summariesOf } from '../support/service/restCalls.js';

const env = { IDEMPOTENCY_STORE: 'memory', EXPLORER: 'true', SUBGRAPH_TOKEN: 'the-token.of~a_gateway+/==' };
const gateway = useGateway({
  env,
  config: { graphql: { maxRestCalls: 3 }, subgraph: { maxEntities: 30 } },
});

/** As a cell that somebody has copied from a chat into a spreadsheet. */
const paste = (text: string) => `\ufeff\u202a\u00a0${text.slice(0, 2)}\u200b${text.slice(2)}\u202c\r\n`;

/** The arguments with every text pasted; statuses are an enum. */
function pasted(value: Arguments): Arguments;
function pasted(value: unknown, name?: string): unknown;
function pasted(value: unknown, name?: string): unknown {
  if (typeof value === 'string') return name === 'shipmentStatusChange' ? value : paste(value);
  if (Array.isArray(value)) return value.map((element) => pasted(element, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, pasted(member, key)]));
}

/** The data of an operation, and its REST calls with their bodies. */
async function run({ query, variables = {} }: Operation) {
  gateway.takeCalls();
  const { data } = await gateway.execute(query, { variables });
  return { data, calls: summariesOf(gateway.takeCalls()) };
}

/** What a payload has of the input after a failure. */
const subjects: Partial<Record<string, string>> = {
  trackShipment: `{ ${SHIPMENT} ${CARRIER} driverPhoneNumber errors { status } }`,
  deleteException: `{ ${SHIPMENT} ${CARRIER} exceptionGuid exceptionFileGuid errors { status } }`,
  updateNotification: '{ notificationGuid errors { status } }',
  deleteNotification: '{ notificationGuid errors { status } }',
};

test.each(fieldNames.filter((field) => field !== 'notifications'))(
  '%s with pasted texts makes the REST call of the clean ones, and returns them',
  async (field) => {
    gateway.injectFault({ status: 422, body: '{}' });
    for (const args of allValidArguments(field)) {
      const expected = await run(asVariables(field, args, subjects[field]));
      expect(expected.calls).toHaveLength(1);
      expect(await run(asVariables(field, pasted(args), subjects[field]))).toEqual(expected);
      expect((await run(asLiterals(field, pasted(args)))).calls).toEqual(expected.calls);
    }
    gateway.injectFault(undefined);
  },
);

test.each(fieldNames.filter(isMutation))(
  '%s with pasted texts is the same write as with the clean ones, for keys and in lists',
  async (field) => {
    const args = validArguments(field);
    const idempotencyKey = randomUUID();
    const evidenceOf = async (given: object) => {
      const item = { ...given, idempotencyKey };
      const { data } = await run(bulkOperation(`${field}s`, [item], { selection: 'results { evidence }' }));
      return (data as Record<string, { results: object[] }>)[`${field}s`]?.results;
    };
    expect(await evidenceOf(pasted(args))).toEqual([{ evidence: 'RESPONSE' }]);
    expect(await evidenceOf(args)).toEqual([{ evidence: 'REPLAY' }]);

    const list = bulkOperation(`${field}s`, [pasted(args), args], {
      selection: 'results { errors { rule } }',
    });
    expect((await run(list)).data).toEqual({
      [`${field}s`]: { results: [{ errors: [{ rule: null }] }, { errors: [{ rule: 'UNIQUE' }] }] },
    });
  },
);

describe('a pasted identifier', () => {
  const [one, other] = [
    '268a56bc-f2d2-4fef-9422-cdf49d95b972',
    '12751a71-3f6c-4191-9f31-0f4e1843c23e',
  ] as const;
  const calls = [one, other].map((guid) => `GET /v1/customnotifications/${guid}`);
  const guids = [one, other, paste(one), ` ${other}`, `${one}\n`];

  test('is read once with the same clean one, and counts once', async () => {
    const operation = asVariables('notificationsByGuid', { notificationGuids: guids });
    const { errors, calls: made } = await executeAndRecord(gateway, operation);
    expect([errors, made]).toEqual([undefined, calls]);
    const fields = guids.map(
      (guid, index) => `f${index}: notification(notificationGuid: ${JSON.stringify(guid)}) { id }`,
    );
    expect(await executeAndRecord(gateway, { query: `{ ${fields.join(' ')} }` })).toMatchObject({
      errors: undefined,
      calls,
    });
  });

  test('is read as an entity', async () => {
    const query =
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Notification { id } } }';
    const representations = guids.map((notificationGuid) => ({
      __typename: 'Notification',
      notificationGuid,
    }));
    const headers = { 'x-subgraph-token': env.SUBGRAPH_TOKEN };
    const { data, calls: made } = await executeAndRecord(
      gateway,
      { query, variables: { representations } },
      { headers },
    );
    expect([data, made]).toEqual([{ _entities: [one, other, one, other, one].map((id) => ({ id })) }, calls]);
  });
});

test('a trace has the clean text', async () => {
  const operation = asVariables('trackShipment', pasted(validArguments('trackShipment')));
  const { extensions } = await gateway.execute(operation.query, {
    ...operation,
    headers: { 'x-gateway-trace': '1', 'x-gateway-dry-run': '1' },
  });
  expect(extensions).toMatchObject({
    trace: [
      {
        request: {
          body: {
            FreightProviderReferenceNumber: 'REF-1001',
            FreightHaulerProviderXID: 'XID-2001',
            CarrierMC: '900001',
            DriverPhoneNumber: '+13035550110',
            ShipmentTrackingType: 'Mobile',
          },
        },
      },
    ],
  });
  gateway.takeCalls();
});

test('what the service owns passes as it came: filters, additional parameters and their names', async () => {
  const text = ' \u202aCO\u200b\u0000\n ';
  const create = {
    ...(validArguments('createNotification')['input'] as object),
    filters: [text, { [text]: [text] }],
  };
  const track = {
    ...(validArguments('trackShipment')['input'] as object),
    additionalParameters: { 'no\u200bte': text },
  };
  const bodies = [
    ...(await run(asVariables('createNotification', { input: create }))).calls,
    ...(await run(asVariables('trackShipment', { input: track }))).calls,
  ].map(({ body }) => body);
  expect(bodies).toMatchObject([{ filters: [text, { [text]: [text] }] }, { 'no\u200bte': text }]);
});

describe('a text with a character that none may have is rejected, wherever it is', () => {
  const bad = '\u200bREF\u0000-1\ud800 ';
  const message = characterMessage('control character U+0000 at position 5', bad).replace('\u200b', 'U+200B');
  test.each<[field: (typeof fieldNames)[number], path: string]>([
    ['notification', 'notificationGuid'],
    ['notificationsByGuid', 'notificationGuids[0]'],
    ['deleteNotification', 'notificationGuid'],
    ['updateNotification', 'input.notificationName'],
    ['createNotification', 'input.recipient.shipmentLevel.emailList[0]'],
    ['createNotification', 'input.recipient.shipmentLevel.smsList[0]'],
    ['createNotification', 'input.trigger.other.notificationTypeLabel'],
    ['createNotification', 'input.trigger.other.notificationTypes[0]'],
    ['trackShipment', 'input.shipment.hauler.freightHaulerProviderXid'],
    ['trackShipment', 'input.shipment.licensePlate.portalLicensePlate'],
    ['trackShipment', 'input.carrier.scac'],
    ['trackShipment', 'input.driverPhoneNumber'],
    ['trackShipment', 'input.shipmentTrackingType'],
    ['deleteException', 'input.target.exceptionGuid'],
  ])('%s: %s', async (field, path) => {
    const operation = asVariables(field, withInvalidValue(field, path, bad));
    const { errors, calls } = await executeAndRecord(gateway, operation);
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT', rule: 'CHARACTERS' } }]);
    expect(calls).toEqual([]);
  });
});

test('messages of graphql-js show what cannot be seen, too', async () => {
  const path = 'input.trigger.shipmentStatusChange';
  const operation = asVariables(
    'createNotification',
    withInvalidValue('createNotification', path, ['DELIVERED\u200b']),
  );
  expect((await executeAndRecord(gateway, operation)).errors).toMatchObject([
    {
      message: expect.stringContaining('U+200B" does not exist in "ShipmentStatus" enum.') as string,
    },
  ]);
});
