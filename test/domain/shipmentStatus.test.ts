import type { GraphQLEnumType } from 'graphql';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  shipmentStatuses,
  toServiceSubtype,
  toShipmentStatus,
  type ShipmentStatus,
} from '../../src/domain/shipmentStatus.js';
import type { ShipmentStatus as GeneratedShipmentStatus } from '../../src/generated/resolvers.js';
import { createSchema } from '../../src/graphql/schema.js';

describe('shipment statuses', () => {
  test('are exactly the values of the GraphQL enum', () => {
    const { ShipmentStatus: enumType } = createSchema().getTypeMap();
    const names = (enumType as GraphQLEnumType).getValues().map(({ name }) => name);
    expect([...shipmentStatuses].sort()).toEqual(names.sort());
    expectTypeOf<ShipmentStatus>().toEqualTypeOf<GeneratedShipmentStatus>(); // checked by tsc
  });

  test.each(shipmentStatuses)('map to a subtype of the service and back: %s', (status) => {
    expect(toShipmentStatus(toServiceSubtype(status))).toBe(status);
  });

  test.each(['', 'DELIVERED', 'shipmentstatusdelivered', 'ShipmentStatusDelayed', 'toString'])(
    'do not include the subtype %j',
    (subtype) => {
      expect(toShipmentStatus(subtype)).toBeUndefined();
    },
  );
});
