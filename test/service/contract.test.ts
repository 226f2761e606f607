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
  SHIPMENT_STATUS_CHANGE,
  shipmentParameterNames,
  TrackingConfirmation,
  type ExceptionParameters,
  type NotificationRequest,
  type TrackingParameters,
} from '../../src/service/contract.js';
import { knownRecipientType } from '../../src/domain/recipientType.js';
import { toShipmentStatus } from '../../src/domain/shipmentStatus.js';
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

describe('what the service gives is read as it is', () => {
  /** What reads an answer, by the name of the schema that describes it. */
  const readers: Record<string, z.ZodType> = {
    NotificationEnvelope,
    Tracked: TrackingConfirmation,
    Error: MessagesEnvelope,
  };
  const answers = Object.values(contract.paths).flatMap(({ get, post, put, delete: remove }) =>
    [get, post, put, remove].flatMap((operation) =>
      Object.entries(operation?.responses ?? {}).flatMap(([status, response]) => {
        const { content } = dereferenced(response) as { content?: Content };
        const { schema, examples = {} } = content?.['application/json'] ?? {};
        return Object.entries(examples).map(([name, { value }]) => ({
          name: `${operation?.operationId ?? ''} ${status} ${name}`,
          reader: schema?.$ref.split('/').at(-1) ?? '',
          value,
        }));
      }),
    ),
  );

  test.each(answers)('in the example of $name', ({ reader, value }) => {
    expect(readers[reader]?.parse(value)).toEqual(value);
  });

  test('in an answer that is read for its notifications and messages alone', () => {
    const { envelope } = oneNotification('shipmentLevel');
    const { data, messages } = envelope;
    expect(NotificationResponse.parse(envelope)).toEqual({ data, messages });
  });

  test.each(seeds)('in the seed $notificationName', (seed) => {
    expect(NotificationRecord.parse(seed)).toEqual(seed);
    expect(isUnchangedNotification(seed)).toBe(true);
  });

  test('and every value that is documented is known', () => {
    const { properties } = schemaNamed('NotificationFields') as { properties: Record<string, Json> };
    const documented = (field: string) =>
      [...String(properties[field]?.['description']).matchAll(/`(\w+)`/g)].map(([, value = '']) => value);

    const recipientTypes = documented('notificationRecipientType').map((type) => [
      type,
      knownRecipientType(type),
    ]);
    expect(recipientTypes).toEqual([
      ['shipmentLevel', 'shipmentLevel'],
      ['stopLevel', 'stopLevel'],
      ['stoplevel', 'stopLevel'],
    ]);
    expect(documented('notificationTypeLabel')).toEqual([SHIPMENT_STATUS_CHANGE]);
    const [label, ...subtypes] = documented('notificationTypes');
    expect(label).toBe(SHIPMENT_STATUS_CHANGE);
    expect(subtypes.map(toShipmentStatus)).toEqual([
      'EN_ROUTE',
      'AT_SHIPPER',
      'IN_TRANSIT',
      'AT_CONSIGNEE',
      'DELIVERED',
    ]);
  });
});

describe('what the gateway sends and reads is what the interface describes', () => {
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
  const hauler = {
    FreightProviderReferenceNumber: 'REF-1001',
    FreightHaulerProviderXID: 'XID-2001',
    CarrierSCAC: 'EXMA',
  };
  const licensePlate = {
    FreightProviderReferenceNumber: 'REF-1001',
    PortalLicensePlate: 'PLATE-3001',
    CarrierDOT: '8000001',
  };
  const tracking = { DriverPhoneNumber: '+13035550110', ShipmentTrackingType: 'Mobile' };

  test.each<[string, NotificationRequest | TrackingParameters | ExceptionParameters]>([
    ['NotificationRequest', shipmentLevel],
    ['NotificationRequest', stopLevel],
    ['TrackingParameters', { ...hauler, ...tracking }],
    ['TrackingParameters', { ...licensePlate, ...tracking }],
    ['ExceptionParameters', { ...hauler, ExceptionGuid: 'e-1' }],
    ['ExceptionParameters', { ...licensePlate, ExceptionFileGuid: 'f-1' }],
  ])('a request of the type %s: %o', (schema, request) => {
    expect(schemaViolations(request, 'components', 'schemas', schema)).toEqual([]);
  });

  test.each([
    ['Notification', NotificationRecord.shape],
    ['NotificationEnvelope', NotificationEnvelope.shape],
    ['Error', MessagesEnvelope.shape],
  ])('the fields of %s', (schema, shape) => {
    expect(Object.keys(shape).sort()).toEqual(fieldsOf(schema));
  });

  test('the fields of a request', () => {
    const fields = Object.keys({ ...shipmentLevel, ...stopLevel });
    expect(fields.sort()).toEqual(fieldsOf('NotificationFields'));
  });

  test('the names of the shipment parameters', () => {
    const described = ['ShipmentParameters', 'TrackingParameters', 'ExceptionParameters'].flatMap(fieldsOf);
    expect([...shipmentParameterNames].sort()).toEqual(described.sort());
  });
});

/** Who refuses a value: `both`, `neither`, or one alone: seeds/openapi.yaml (`interface`), or the zod shapes (`gateway`). */
type Refusal = 'both' | 'neither' | 'interface' | 'gateway';

describe('a notification with one wrong field', () => {
  const base = oneNotification('shipmentLevel').notification;
  const stop = oneNotification('stopLevel').notification;
  const records = {
    shipmentLevel: base,
    stopLevel: stop,
    // A recipient type that the document does not show has no field that the gateway could need.
    carrierLevel: { ...base, notificationRecipientType: 'carrierLevel' },
  };
  /** What may be missing or null. That of the other recipient types has no place in the public schema. */
  const dispensable: Record<keyof typeof records, string[]> = {
    shipmentLevel: ['notifyStopContactsByEmail', 'notifyStopContactsBySms'],
    stopLevel: ['emailList', 'smsList'],
    carrierLevel: ['emailList', 'notifyStopContactsByEmail', 'notifyStopContactsBySms', 'smsList'],
  };
  const dispensableAlways = ['filters', 'lastUpdateDate', 'lastUpdateUserName', 'notificationMetaData'];

  test.each(Object.keys(dispensable) as (keyof typeof records)[])(
    'is refused at %s when a field that the public schema needs is missing or null',
    (type) => {
      const fields = requiredOf('Notification');
      const dropped = fields.map((field) => [field, refusalOf(without(records[type], field))]);
      const nulled = fields.map((field) => [field, refusalOf({ ...records[type], [field]: null })]);
      const lenient = [...dispensable[type], ...dispensableAlways];
      const expected = fields.map((field) => [field, lenient.includes(field) ? 'interface' : 'both']);
      expect(dropped).toEqual(expected);
      // The interface itself says that this one may be null.
      expect(nulled).toEqual(
        expected.map(([field, refusal]) => [field, field === 'notificationMetaData' ? 'neither' : refusal]),
      );
    },
  );

  const mistyped: Record<string, unknown[]> = {
    notificationGuid: [5, '', ['x'], {}],
    notificationName: [5, true, ['x'], {}],
    notificationRecipientType: [5, ['shipmentLevel'], {}],
    notificationTypeLabel: [5, ['shipmentStatusChange'], {}],
    notificationTypes: ['ShipmentStatusDelivered', {}, [5], [null], [['x']]],
    notifyStopContactsByEmail: ['true', 0, [], {}],
    notifyStopContactsBySms: ['false', 1, [], {}],
    emailList: ['dock@example.com', {}, [5], [null], true],
    smsList: ['13035550100', 13_035_550_100, {}, [13_035_550_100], [null]],
    filters: ['expedited', 5, {}, true],
    lastUpdateUserName: [5, true, ['robin'], {}],
    lastUpdateDate: [
      1_714_570_200,
      '',
      'yesterday',
      '2024-05-01',
      '2024-05-01T08:30:00',
      '2024-05-01T08:30:00 -05:00',
      '2024-05-01T25:30:00Z',
      '2024-13-01T08:30:00Z',
      '2023-02-29T08:30:00Z',
    ],
  };

  test.each(Object.entries(mistyped))('is refused by both when %s is of another type', (field, values) => {
    const verdicts = Object.values(records).flatMap((record) =>
      values.map((value) => [value, refusalOf({ ...record, [field]: value })]),
    );
    expect(verdicts).toEqual(verdicts.map(([value]) => [value, 'both']));
  });

  test('has been tried with every field that has a type', () => {
    expect(Object.keys(mistyped).sort()).toEqual(
      requiredOf('Notification')
        .filter((field) => field !== 'notificationMetaData')
        .sort(),
    );
  });

  test.each<[string, Refusal, Json]>([
    ['an identifier is any text, as it is only repeated', 'interface', { notificationGuid: 'NTF-1' }],
    ['what is no phone number comes out verbatim', 'interface', { smsList: ['call me', '+13035550100'] }],
    ['a filter of null is left out', 'interface', { filters: [null, 'expedited'] }],
    ['metadata have any shape', 'neither', { notificationMetaData: { any: ['thing', 5] } }],
    ['there may be fields that are not documented', 'neither', { colour: 'red' }],
    [
      'a date may have any number of digits',
      'neither',
      { lastUpdateDate: `2024-05-01T08:30:00.${'7'.repeat(30)}+05:30` },
    ],
  ])('but %s', (_reason, refusal, fields) => {
    expect(refusalOf({ ...base, ...fields })).toBe(refusal);
  });

  test.each(['filters', 'notificationMetaData'])('is refused when %s cannot be written as JSON', (field) => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    const verdicts = [nested(200), [{ most: 1e999 }], nested(90), [{ most: 1e99 }]].map((value) =>
      refusalOf({ ...base, [field]: value }),
    );
    // OpenAPI has no bound for it.
    expect(verdicts).toEqual(['gateway', 'gateway', 'neither', 'neither']);
  });

  function refusalOf(record: unknown): Refusal {
    const { success, data } = NotificationRecord.safeParse(record);
    // In an answer it gets a quick look before the schema, which may not make a difference.
    const answer = NotificationResponse.safeParse({ data: [record], messages: [] });
    expect(answer.success).toBe(success);
    if (success) expect(answer.data?.data).toMatchObject([data]);
    return refusal(record, 'Notification', NotificationRecord);
  }
});

describe('an answer of another shape', () => {
  const { envelope } = oneNotification('stopLevel');

  test.each<[string, unknown, Refusal, Refusal]>([
    // what it is, the answer, refused as a list, refused as the answer for one notification
    ['as documented', envelope, 'neither', 'neither'],
    ['without data', without(envelope, 'data'), 'both', 'both'],
    ['with data of null', { ...envelope, data: null }, 'both', 'both'],
    ['with one notification in place of the list', { ...envelope, data: envelope.data[0] }, 'both', 'both'],
    ['with a notification of null', { ...envelope, data: [null] }, 'both', 'both'],
    [
      'with one wrong notification among others',
      { ...envelope, data: [...envelope.data, {}] },
      'both',
      'both',
    ],
    ['without messages, which are then none', without(envelope, 'messages'), 'interface', 'interface'],
    ['with messages of null, which are then none', { ...envelope, messages: null }, 'interface', 'interface'],
    ['with messages of any shape', { ...envelope, messages: [null, 5, 'x', {}, []] }, 'neither', 'neither'],
    ['with messages that are no list', { ...envelope, messages: 'x' }, 'both', 'both'],
    [
      'without a count, which one notification does not need',
      without(envelope, 'totalPossibleCount'),
      'both',
      'interface',
    ],
    ['with a count of null', { ...envelope, totalPossibleCount: null }, 'both', 'interface'],
    ['with a count in text', { ...envelope, totalPossibleCount: '1' }, 'both', 'interface'],
    ['with a broken count', { ...envelope, totalPossibleCount: 1.5 }, 'both', 'interface'],
    [
      'with a count that GraphQL has no integer for',
      { ...envelope, totalPossibleCount: 2 ** 31 },
      'gateway',
      'neither',
    ],
    ['that is a list', envelope.data, 'both', 'both'],
    ['that is null', null, 'both', 'both'],
  ])('%s', (_name, answer, asList, asOne) => {
    expect(refusal(answer, 'NotificationEnvelope', NotificationEnvelope)).toBe(asList);
    expect(refusal(answer, 'NotificationEnvelope', NotificationResponse)).toBe(asOne);
  });

  test.each([[false], [null], ['true'], [1], [[true]], [{}], [{ data: true }]])(
    'is no confirmation of tracking: %o',
    (answer) => {
      expect(refusal(answer, 'Tracked', TrackingConfirmation)).toBe('both');
    },
  );

  test.each<[unknown, Refusal]>([
    [{ messages: [{ message: 'x' }] }, 'neither'],
    [{ messages: 'x' }, 'both'],
    [null, 'both'],
    ['x', 'both'],
    // Errors are not documented, so that the gateway takes what messages there are.
    [{}, 'interface'],
    [{ messages: ['x'] }, 'interface'],
  ])('is the answer of an error or not: %o', (answer, refused) => {
    expect(refusal(answer, 'Error', MessagesEnvelope)).toBe(refused);
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
      Object.entries(record).filter(([name]) => Object.hasOwn(NotificationRecord.shape, name)),
    );
  }
});

function refusal(value: unknown, schema: string, shape: z.ZodType): Refusal {
  const byInterface = schemaViolations(value, 'components', 'schemas', schema).length > 0;
  const byGateway = !shape.safeParse(value).success;
  if (byInterface === byGateway) return byGateway ? 'both' : 'neither';
  return byGateway ? 'gateway' : 'interface';
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
