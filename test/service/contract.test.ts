import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  isUnchangedNotification,
  NotificationRecord,
  shipmentParameterNames,
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
import { contract, dereferenced } from '../support/service/contract.js';

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
  test('documents the same fields for notifications', () => {
    expect(Object.keys(NotificationRecord.out.shape).sort()).toEqual(fieldsOf('Notification'));
  });

  test('documents the same names of shipment parameters', () => {
    const documented = ['ShipmentParameters', 'TrackingParameters', 'ExceptionParameters'].flatMap(fieldsOf);
    expect([...shipmentParameterNames].sort()).toEqual(documented.sort());
  });
});

function schemaNamed(name: string): { properties: Json; required?: string[] } {
  return dereferenced({ $ref: `#/components/schemas/${name}` }) as { properties: Json; required?: string[] };
}

function fieldsOf(name: string): string[] {
  return Object.keys(schemaNamed(name).properties).sort();
}
