import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  isUnchangedNotification,
  MessagesEnvelope,
  NotificationResponse,
  NotificationEnvelope,
  NotificationRecord,
  shipmentParameterNames,
  TrackingConfirmation,
  type ExceptionParameters,
  type NotificationRequest,
  type TrackingParameters,
} from '../../src/freight/contract.js';
import {
  knownRecipientType,
  SHIPMENT_STATUS_CHANGE,
  shipmentStatuses,
  toShipmentStatus,
} from '../../src/freight/vocabulary.js';
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

describe('the schemas of the gateway', () => {
  /** Our schema for a response, by the name of the contract's schema. */
  const schemas: Record<string, z.ZodType> = {
    NotificationEnvelope,
    Tracked: TrackingConfirmation,
    Error: MessagesEnvelope,
  };
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

  test.each(responses)('parse the example response of $name unchanged', ({ schemaName, value }) => {
    expect(schemas[schemaName]?.parse(value)).toEqual(value);
  });

  test('parse the notifications and messages of a response unchanged', () => {
    const { envelope } = oneNotification('shipmentLevel');
    const { data, messages } = envelope;
    expect(NotificationResponse.parse(envelope)).toEqual({ data, messages });
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

  test.each([
    ['Notification', NotificationRecord.out.shape],
    ['NotificationEnvelope', NotificationEnvelope.shape],
    ['Error', MessagesEnvelope.shape],
  ])('documents the same fields for %s', (schema, shape) => {
    expect(Object.keys(shape).sort()).toEqual(fieldsOf(schema));
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
    notificationName: [5, true, ['x'], {}],
    notificationRecipientType: [5, ['shipmentLevel'], {}],
    notificationTypeLabel: [5, ['shipmentStatusChange'], {}],
    notificationTypes: ['ShipmentStatusDelivered', {}, [5], [null], [['x']]],
    notifyStopContactsByEmail: ['yes', 2, [], {}],
    notifyStopContactsBySms: ['', -1, [], {}],
    emailList: ['dock@example.com', {}, [5], [null], true],
    smsList: ['13035550100', 13_035_550_100, {}, [2 ** 53], [0.5], [null]],
    filters: ['expedited', 5, {}, true],
    lastUpdateUserName: [5, true, ['robin'], {}],
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

  test('has a test of wrong types for every typed field', () => {
    expect(Object.keys(mistyped).sort()).toEqual(
      requiredOf('Notification')
        .filter((field) => field !== 'notificationMetaData' && field !== 'lastUpdateDate')
        .sort(),
    );
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
    [
      'any number of fractional digits',
      'neither',
      { lastUpdateDate: `2024-05-01T08:30:00.${'7'.repeat(30)}Z` },
    ],
  ])('may have %s', (_what, rejectedBy, fields) => {
    expect(rejectionOf({ ...base, ...fields })).toBe(rejectedBy);
  });

  test.each(['filters', 'notificationMetaData'])(
    'is rejected if %s cannot be serialized to JSON',
    (field) => {
      const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
      const rejections = [nested(200), [{ max: 1e999 }], nested(90), [{ max: 1e99 }]].map((value) =>
        rejectionOf({ ...base, [field]: value }),
      );
      // OpenAPI cannot express a depth limit.
      expect(rejections).toEqual(['gateway', 'gateway', 'neither', 'neither']);
    },
  );

  function rejectionOf(record: unknown): RejectedBy {
    const { success, data } = NotificationRecord.safeParse(record);
    // Responses take the fast path for unchanged notifications, with the same result.
    const response = NotificationResponse.safeParse({ data: [record], messages: [] });
    expect(response.success).toBe(success);
    if (success) expect(response.data?.data).toMatchObject([data]);
    return rejectedBy(record, 'Notification', NotificationRecord);
  }
});

describe('a response', () => {
  const { envelope } = oneNotification('stopLevel');

  const having = (fields: object) => ({ ...envelope, ...fields });
  const [record] = envelope.data;

  test.each<[what: string, asList: RejectedBy, asOne: RejectedBy, response: unknown]>([
    ['as documented', 'neither', 'neither', envelope],
    ['without data', 'both', 'both', without(envelope, 'data')],
    ['with data of null', 'both', 'both', having({ data: null })],
    ['with one notification instead of the list', 'both', 'both', having({ data: record })],
    ['with a notification of null', 'both', 'both', having({ data: [null] })],
    ['with an invalid notification among others', 'both', 'both', having({ data: [record, {}] })],
    // Messages then default to none.
    ['without messages', 'contract', 'contract', without(envelope, 'messages')],
    ['with messages of null', 'contract', 'contract', having({ messages: null })],
    ['with messages of any shape', 'neither', 'neither', having({ messages: [null, 5, 'x', {}, []] })],
    ['with messages that are not a list', 'both', 'both', having({ messages: 'x' })],
    // The count is then null; a single notification needs none.
    ['without a count', 'contract', 'contract', without(envelope, 'totalPossibleCount')],
    ['with a count of null', 'contract', 'contract', having({ totalPossibleCount: null })],
    ['with a count as a string', 'both', 'contract', having({ totalPossibleCount: '1' })],
    ['with a fractional count', 'both', 'contract', having({ totalPossibleCount: 1.5 })],
    ['with a count beyond Int in GraphQL', 'gateway', 'neither', having({ totalPossibleCount: 2 ** 31 })],
    ['that is a list', 'both', 'both', envelope.data],
    ['that is null', 'both', 'both', null],
  ])('%s is rejected as a list by %s, as one notification by %s', (_what, asList, asOne, response) => {
    expect(rejectedBy(response, 'NotificationEnvelope', NotificationEnvelope)).toBe(asList);
    expect(rejectedBy(response, 'NotificationEnvelope', NotificationResponse)).toBe(asOne);
  });

  test.each([[false], [null], ['true!'], [1], [[true]], [{}], [{ data: true }]])(
    'of %o does not confirm tracking',
    (response) => {
      expect(rejectedBy(response, 'Tracked', TrackingConfirmation)).toBe('both');
    },
  );

  test.each<[unknown, RejectedBy]>([
    [{ messages: [{ message: 'x' }] }, 'neither'],
    [{ messages: 'x' }, 'both'],
    [null, 'both'],
    ['x', 'both'],
    // Error bodies are undocumented, so the gateway accepts any messages.
    [{}, 'contract'],
    [{ messages: ['x'] }, 'contract'],
  ])('with the error body %o is rejected by %s', (response, expected) => {
    expect(rejectedBy(response, 'Error', MessagesEnvelope)).toBe(expected);
  });
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
