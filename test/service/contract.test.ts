import { describe, expect, test } from 'vitest';
import { NotificationRecord, shipmentParameterNames } from '../../src/freight/contract.js';
import {
  knownRecipientType,
  SHIPMENT_STATUS_CHANGE,
  toShipmentStatus,
} from '../../src/freight/vocabulary.js';
import { ShipmentStatus } from '../../src/generated/enums.js';
import { dereferenced } from '../support/service/contract.js';

type Json = Record<string, unknown>;

describe('the contract', () => {
  test('documents the recipient types, the label and the statuses of the vocabulary', () => {
    const { properties } = schemaNamed('NotificationFields') as { properties: Record<string, Json> };
    const documented = (field: string) =>
      [...String(properties[field]?.['description']).matchAll(/`(\w+)`/g)].map(([, value = '']) => value);

    const recipientTypes = documented('notificationRecipientType');
    expect(recipientTypes).toEqual(['shipmentLevel', 'stopLevel', 'stoplevel']);
    expect(recipientTypes.map(knownRecipientType)).toEqual(['shipmentLevel', 'stopLevel', 'stopLevel']);
    expect(documented('notificationTypeLabel')).toEqual([SHIPMENT_STATUS_CHANGE]);
    const [label, ...subtypes] = documented('notificationTypes');
    expect(label).toBe(SHIPMENT_STATUS_CHANGE);
    expect(subtypes.map(toShipmentStatus).sort()).toEqual(Object.values(ShipmentStatus).sort());
  });

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
