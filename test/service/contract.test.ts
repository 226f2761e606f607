import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  isUnchangedNotification,
  NotificationRecord,
  shipmentParameterNames,
  type ExceptionParameters,
  type NotificationRequest,
  type TrackingParameters,
} from '../../src/freight/contract.js';
import { readNotificationList } from '../../src/freight/notificationBodies.js';
import { verdictOf } from '../../src/freight/proof.js';
import {
  knownRecipientType,
  SHIPMENT_STATUS_CHANGE,
  shipmentStatuses,
  toShipmentStatus,
} from '../../src/freight/vocabulary.js';
import type { JsonResponse } from '../../src/transport/response.js';
import { mutateValue } from '../support/graphql/mutateValue.js';
import { contract, dereferenced, schemaViolations } from '../support/service/contract.js';
import { oneNotification } from '../support/service/examples.js';
import { seededRandom } from '../support/tools/seededRandom.js';

type Json = Record<string, unknown>;

interface Content {
  'application/json': { schema: { $ref: string }; examples: Record<string, { value: unknown }> };
}

const seeds = JSON.parse(
  readFileSync(new URL('../../seeds/data/notifications.json', import.meta.url), 'utf8'),
) as Json[];

const response: JsonResponse = {
  status: 200,
  headers: {},
  sentAt: 0,
  content: () => undefined,
  json: () => undefined,
  reportViolation: (violation) => violation,
};

describe('the schemas of the gateway', () => {
  const responses = Object.values(contract.paths).flatMap(({ get, post, put, delete: remove }) =>
    [get, post, put, remove].flatMap((operation) =>
      Object.entries(operation?.responses ?? {}).flatMap(([status, response]) => {
        const { content } = dereferenced(response) as { content?: Content };
        const { schema, examples = {} } = content?.['application/json'] ?? {};
        return Object.entries(examples).map(([name, { value }]) => ({
          name: `${operation?.operationId ?? ''} ${status} ${name}`,
          schemaName: schema?.$ref.split('/').at(-1) ?? '',
          value,
        }));
      }),
    ),
  );

  test.each(responses.filter(({ schemaName }) => schemaName === 'NotificationEnvelope'))(
    'parse the example response of $name unchanged',
    ({ value }) => {
      expect(readNotificationList(value, response)).toEqual(value);
    },
  );

  test('take the example response to tracking for a confirmation', () => {
    const confirmations = responses.filter(({ schemaName }) => schemaName === 'Tracked');
    expect(confirmations.map(({ value }) => [value, verdictOf(value)])).toEqual([[true, 'success']]);
  });

  test.each(seeds)('parse the seed $notificationName unchanged', (seed) => {
    expect(NotificationRecord.parse(seed)).toEqual(seed);
    expect(isUnchangedNotification(seed)).toBe(true);
  });

  test('cover every documented recipient type, label and status', () => {
    const { properties } = schemaNamed('NotificationFields') as { properties: Record<string, Json> };
    const documented = (field: string) =>
      [...String(properties[field]?.['description']).matchAll(/`(\w+)`/g)].map(([, value = '']) => value);

    const recipientTypes = documented('notificationRecipientType');
    expect(recipientTypes).toEqual(['shipmentLevel', 'stopLevel', 'stoplevel']);
    expect(recipientTypes.map(knownRecipientType)).toEqual(['shipmentLevel', 'stopLevel', 'stopLevel']);
    expect(documented('notificationTypeLabel')).toEqual([SHIPMENT_STATUS_CHANGE]);
    const [label, ...subtypes] = documented('notificationTypes');
    expect(label).toBe(SHIPMENT_STATUS_CHANGE);
    expect(subtypes.map(toShipmentStatus)).toEqual(shipmentStatuses);
  });
});

describe('the contract', () => {
  const definition = {
    notificationName: 'Dock team',
    notificationTypeLabel: SHIPMENT_STATUS_CHANGE,
    notificationTypes: ['ShipmentStatusDelivered'],
  };
  const shipmentLevel: NotificationRequest = {
    ...definition,
    notificationRecipientType: 'shipmentLevel',
    emailList: ['dock@example.com'],
    smsList: ['+13035550100'],
    filters: [{ field: 'originState' }, 'expedited', 1, true, []],
  };
  const stopLevel: NotificationRequest = {
    ...definition,
    notificationRecipientType: 'stopLevel',
    notifyStopContactsByEmail: true,
    notifyStopContactsBySms: false,
  };
  const reference = { FreightProviderReferenceNumber: 'REF-1001' };
  const hauler = { ...reference, FreightHaulerProviderXID: 'XID-2001', CarrierSCAC: 'EXMA' };
  const licensePlate = { ...reference, PortalLicensePlate: 'PLATE-3001', CarrierDOT: '8000001' };
  const tracking = { DriverPhoneNumber: '+13035550110', ShipmentTrackingType: 'Mobile' };

  test.each<[string, NotificationRequest | TrackingParameters | ExceptionParameters]>([
    ['NotificationRequest', shipmentLevel],
    ['NotificationRequest', stopLevel],
    ['TrackingParameters', { ...hauler, ...tracking }],
    ['TrackingParameters', { ...licensePlate, ...tracking }],
    ['ExceptionParameters', { ...hauler, ExceptionGuid: 'e-1' }],
    ['ExceptionParameters', { ...licensePlate, ExceptionFileGuid: 'f-1' }],
  ])('allows as %s the request %o', (schema, request) => {
    expect(schemaViolations(request, 'components', 'schemas', schema)).toEqual([]);
  });

  test('documents the same fields for notifications', () => {
    expect(Object.keys(NotificationRecord.out.shape).sort()).toEqual(fieldsOf('Notification'));
  });

  test('documents the same fields for requests', () => {
    const fields = Object.keys({ ...shipmentLevel, ...stopLevel });
    expect(fields.sort()).toEqual(fieldsOf('NotificationFields'));
  });

  test('documents the same names of shipment parameters', () => {
    const documented = ['ShipmentParameters', 'TrackingParameters', 'ExceptionParameters'].flatMap(fieldsOf);
    expect([...shipmentParameterNames].sort()).toEqual(documented.sort());
  });
});

/** What rejects a value: the contract seeds/openapi.yaml, the zod schemas of the gateway, both or neither. */
type RejectedBy = 'both' | 'neither' | 'contract' | 'gateway';

describe('a notification', () => {
  const base = oneNotification('shipmentLevel').notification;
  const stop = oneNotification('stopLevel').notification;
  const records = {
    shipmentLevel: base,
    stopLevel: stop,
    // The gateway requires no fields of an undocumented recipient type.
    carrierLevel: { ...base, notificationRecipientType: 'carrierLevel' },
  };
  /** Fields that may be missing or null: the GraphQL type for the recipient type does not have them, or they are lists. */
  const optional: Record<keyof typeof records, string[]> = {
    shipmentLevel: ['emailList', 'notifyStopContactsByEmail', 'notifyStopContactsBySms', 'smsList'],
    stopLevel: ['emailList', 'smsList'],
    carrierLevel: ['emailList', 'notifyStopContactsByEmail', 'notifyStopContactsBySms', 'smsList'],
  };
  const alwaysOptional = ['filters', 'lastUpdateDate', 'lastUpdateUserName', 'notificationMetaData'];

  test.each(Object.keys(optional) as (keyof typeof records)[])(
    'with the recipient type %s is rejected if a field that the GraphQL schema requires is missing or null',
    (type) => {
      const fields = requiredOf('Notification');
      const ifMissing = fields.map((field) => [field, rejectionOf(without(records[type], field))]);
      const ifNull = fields.map((field) => [field, rejectionOf({ ...records[type], [field]: null })]);
      const lenient = [...optional[type], ...alwaysOptional];
      const expected = fields.map((field) => [field, lenient.includes(field) ? 'contract' : 'both']);
      expect(ifMissing).toEqual(expected);
      // The contract itself allows null for the metadata.
      expect(ifNull).toEqual(
        expected.map(([field, rejectedBy]) => [
          field,
          field === 'notificationMetaData' ? 'neither' : rejectedBy,
        ]),
      );
    },
  );

  const mistyped: Record<string, unknown[]> = {
    notificationGuid: [5.5, 2 ** 53, true, '', ['x'], {}],
    notificationName: [5.5, true, ['x'], {}],
    notificationRecipientType: [5.5, ['shipmentLevel'], {}],
    notificationTypeLabel: [5.5, ['shipmentStatusChange'], {}],
    notificationTypes: [{ a: 1 }, [5.5], [true], [['x']], true],
  };

  /** Where the GraphQL type of the recipient has the field; elsewhere such values are ignored. */
  const mistypedAt: Partial<Record<keyof typeof records, Record<string, unknown[]>>> = {
    stopLevel: {
      notifyStopContactsByEmail: ['yes', 2, [], {}],
      notifyStopContactsBySms: ['', -1, [], {}],
    },
    shipmentLevel: {
      emailList: [{ a: 1 }, [5.5], [['x']], true],
      smsList: [{ a: 1 }, [2 ** 53], [0.5], true],
    },
  };

  test.each(Object.entries(mistyped))(
    'is rejected by contract and gateway if %s has the wrong type',
    (field, values) => {
      const rejections = Object.values(records).flatMap((record) =>
        values.map((value) => [value, rejectionOf({ ...record, [field]: value })]),
      );
      expect(rejections).toEqual(rejections.map(([value]) => [value, 'both']));
    },
  );

  test('is rejected by the gateway for a field of another recipient only if its type has that', () => {
    for (const [owner, fields] of Object.entries(mistypedAt))
      for (const [type, record] of Object.entries(records))
        for (const [field, values] of Object.entries(fields))
          expect(values.map((value) => rejectionOf({ ...record, [field]: value }))).toEqual(
            values.map(() => (type === owner ? 'both' : 'contract')),
          );
  });

  test('has a test of wrong types for every typed field but those whose values cost only their field', () => {
    const tested = [mistyped, ...Object.values(mistypedAt)].flatMap(Object.keys);
    const ownCost = ['filters', 'notificationMetaData', 'lastUpdateUserName', 'lastUpdateDate'];
    expect([...tested, ...ownCost].sort()).toEqual(requiredOf('Notification').sort());
  });

  test.each<[string, RejectedBy, Json]>([
    ['any string as an identifier, which is only passed on', 'contract', { notificationGuid: 'NTF-1' }],
    ['strings that are not phone numbers, which stay unchanged', 'contract', { smsList: ['call me'] }],
    ['a null filter, which is dropped', 'neither', { filters: [null, 'expedited'] }],
    ['metadata of any shape', 'neither', { notificationMetaData: { any: ['thing', 5] } }],
    ['undocumented fields', 'neither', { color: 'red' }],
    ['an integer as an identifier, whose text it becomes', 'contract', { notificationGuid: 5 }],
    ['integers as phone numbers', 'contract', { smsList: [13_035_550_100] }],
    [
      'flags in other notations',
      'contract',
      { notifyStopContactsByEmail: 1, notifyStopContactsBySms: 'False' },
    ],
    ['a date that cannot be read, which costs its field', 'contract', { lastUpdateDate: '5/1/2024' }],
    ['a user name that is no text, which costs its field', 'contract', { lastUpdateUserName: ['robin'] }],
    ['texts as numbers', 'contract', { notificationName: 5, notificationTypes: [5] }],
    ['a value alone instead of a list', 'contract', { emailList: 'dock@example.com', filters: 'expedited' }],
    ['null in a list, which is dropped', 'contract', { notificationTypes: [null], smsList: [null] }],
    [
      'any number of fractional digits',
      'neither',
      { lastUpdateDate: `2024-05-01T08:30:00.${'7'.repeat(30)}Z` },
    ],
  ])('may have %s', (_what, rejectedBy, fields) => {
    expect(rejectionOf({ ...base, ...fields })).toBe(rejectedBy);
  });

  test('is rejected if filters cannot be serialized to JSON, while metadata cost only their field', () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    const rejections = (field: string) =>
      [nested(200), [{ max: 1e999 }], nested(90), [{ max: 1e99 }]].map((value) =>
        rejectionOf({ ...base, [field]: value }),
      );
    // OpenAPI cannot express a depth limit.
    expect(rejections('filters')).toEqual(['gateway', 'gateway', 'neither', 'neither']);
    expect(rejections('notificationMetaData')).toEqual(Array(4).fill('neither'));
  });

  function rejectionOf(record: unknown): RejectedBy {
    const { success, data } = NotificationRecord.safeParse(record);
    // Responses take the fast path for unchanged notifications, with the same result.
    const list = readNotificationList({ data: [record], messages: [] }, { ...response });
    expect(list.data).toHaveLength(success ? 1 : 0);
    if (success) expect(list.data).toMatchObject([data]);
    return rejectedBy(record, 'Notification', NotificationRecord);
  }
});

describe('a response', () => {
  const { envelope } = oneNotification('stopLevel');

  const having = (fields: object) => ({ ...envelope, ...fields });
  const [record] = envelope.data;

  test.each<[what: string, body: unknown, read: number[]]>([
    ['as documented', envelope, [1, 0, 0]],
    ['with data of null', having({ data: null }), [0, 0, 0]],
    ['with one notification instead of the list', having({ data: record }), [1, 0, 0]],
    ['with an invalid notification among others', having({ data: [record, {}, null] }), [1, 2, 0]],
    ['without messages', without(envelope, 'messages'), [1, 0, 0]],
    ['with messages of null', having({ messages: null }), [1, 0, 0]],
    ['with messages of any shape, without nulls', having({ messages: [null, 5, 'x', {}, []] }), [1, 0, 4]],
    ['with a message alone', having({ messages: 'x' }), [1, 0, 1]],
  ])('%s is read as notifications, unreadable ones and messages', (_what, body, read) => {
    const {
      data,
      unreadable = [],
      messages,
      totalPossibleCount,
    } = readNotificationList(body, { ...response });
    expect([data.length, unreadable.length, messages.length]).toEqual(read);
    expect(totalPossibleCount).toBe(1);
  });

  test.each([
    [1, 1],
    ['1', 1],
    [undefined, null],
    [null, null],
    [1.5, null],
    [2 ** 31, null],
  ])('with a count of %j has the count %j, an Int of GraphQL or null', (totalPossibleCount, read) => {
    const list = readNotificationList(having({ totalPossibleCount }), { ...response });
    expect([list.data.length, list.totalPossibleCount]).toEqual([1, read]);
  });

  test('that is a list is read as one', () => {
    const list = { data: envelope.data, messages: [], totalPossibleCount: null };
    expect(readNotificationList(envelope.data, { ...response })).toEqual(list);
  });

  test.each([[without(envelope, 'data')], [null], ['x'], [5], [{}], [['x']]])(
    'that is %j has no list of notifications',
    (body) => {
      expect(() => readNotificationList(body, { ...response })).toThrow(
        '/data: expected a list of notifications',
      );
    },
  );
});

describe('the fast path for unchanged notifications', () => {
  test('holds exactly for those that the schema accepts and returns unchanged', () => {
    const random = seededRandom('unchanged notifications');
    const outcomes = { unchanged: 0, changed: 0, invalid: 0 };
    for (let round = 0; round < 20_000; round += 1) {
      const valid = seeds[round % seeds.length];
      const value = mutateValue(random, random.happens(0.5) ? mutateValue(random, valid) : valid);
      const { success, data } = NotificationRecord.safeParse(value);
      const isUnchanged = success && isDeepStrictEqual(data, documentedFieldsOf(value as Json));
      outcomes[isUnchanged ? 'unchanged' : success ? 'changed' : 'invalid'] += 1;
      if (isUnchangedNotification(value) !== isUnchanged)
        expect.fail(`Expected ${String(isUnchanged)} for ${JSON.stringify(value)}`);
    }
    console.log('mutated notifications:', outcomes);
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(100);
  });

  function documentedFieldsOf(record: Json): Json {
    return Object.fromEntries(
      Object.entries(record).filter(([name]) => Object.hasOwn(NotificationRecord.out.shape, name)),
    );
  }
});

function rejectedBy(value: unknown, schema: string, shape: z.ZodType): RejectedBy {
  const byContract = schemaViolations(value, 'components', 'schemas', schema).length > 0;
  const byGateway = !shape.safeParse(value).success;
  if (byContract === byGateway) return byGateway ? 'both' : 'neither';
  return byGateway ? 'gateway' : 'contract';
}

function schemaNamed(name: string): { properties: Json; required?: string[] } {
  return dereferenced({ $ref: `#/components/schemas/${name}` }) as { properties: Json; required?: string[] };
}

function fieldsOf(name: string): string[] {
  return Object.keys(schemaNamed(name).properties).sort();
}

function requiredOf(name: string): string[] {
  return schemaNamed(name).required ?? [];
}

function without(value: object, field: string): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));
}
