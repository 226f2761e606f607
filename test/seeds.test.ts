import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { contract, dereferenced, schemaViolations } from './support/service/contract.js';

interface Content {
  'application/json': { schema: object; examples: Record<string, { value: unknown }> };
}

const bodies = Object.entries(contract.paths).flatMap(([path, item]) =>
  (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
    const operation = item[method];
    if (!operation) return [];
    return [
      {
        name: `request of ${operation.operationId}`,
        pointer: ['paths', path, method, 'requestBody'],
        of: operation.requestBody,
      },
      ...Object.entries(operation.responses).map(([status, response]) => ({
        name: `response ${status} of ${operation.operationId}`,
        pointer:
          '$ref' in response
            ? (response.$ref as string).split('/').slice(1)
            : ['paths', path, method, 'responses', status],
        of: dereferenced(response),
      })),
    ].flatMap(({ name, pointer, of }) =>
      of && 'content' in of
        ? [{ name, pointer: [...pointer, 'content', 'application/json'], content: of.content as Content }]
        : [],
    );
  }),
);

describe('The contract', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(contract) as unknown as Record<string, unknown>)).toEqual(
      { valid: true },
    );
    expect(validator.version).toBe('3.1');
  });

  test('has seven operations, five of which require a bearer token', () => {
    const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
      (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
        const operation = item[method];
        return operation ? [[operation.operationId, method, path, operation.security ?? 'none']] : [];
      }),
    );
    const token = [{ bearerToken: [] }];
    expect(operations).toEqual([
      ['listNotifications', 'get', '/v1/customnotifications', token],
      ['createNotification', 'post', '/v1/customnotifications', token],
      ['readNotification', 'get', '/v1/customnotifications/{notificationGuid}', token],
      ['updateNotification', 'put', '/v1/customnotifications/{notificationGuid}', token],
      ['deleteNotification', 'delete', '/v1/customnotifications/{notificationGuid}', token],
      ['trackShipment', 'post', '/atlas/frexapi/shipment/track/', 'none'],
      ['deleteException', 'delete', '/atlas/frexapi/shipment/exception', 'none'],
    ]);
  });

  test.each(bodies)('has valid examples for: $name', ({ pointer, content }) => {
    const examples = Object.entries(content['application/json'].examples);
    expect(examples.length).toBeGreaterThan(0);
    for (const [name, { value }] of examples) {
      expect({ name, violations: schemaViolations(value, ...pointer, 'schema') }).toEqual({
        name,
        violations: [],
      });
    }
  });
});

describe('The seed data', () => {
  const notifications = readJson('notifications.json') as { notificationGuid: string }[];
  const shipments = readJson('shipments.json') as Record<string, unknown>[];

  test('holds 36 notifications that match the contract', () => {
    expect(
      notifications.flatMap((each) => schemaViolations(each, 'components', 'schemas', 'Notification')),
    ).toEqual([]);
    expect(new Set(notifications.map((each) => each.notificationGuid)).size).toBe(notifications.length);
    expect(notifications.length).toBe(36);
  });

  test('holds shipments that can be tracked by hauler and by license plate', () => {
    const parameters = shipments.flatMap((shipment) => {
      const { FreightHaulerProviderXID, PortalLicensePlate, CarrierMC, CarrierDOT, CarrierSCAC } = shipment;
      const { FreightProviderReferenceNumber } = shipment;
      const rest = {
        FreightProviderReferenceNumber,
        DriverPhoneNumber: '+13035550110',
        ShipmentTrackingType: 'Mobile',
      };
      return [
        { ...rest, FreightHaulerProviderXID, CarrierSCAC },
        { ...rest, PortalLicensePlate, CarrierMC },
        { ...rest, PortalLicensePlate, CarrierDOT },
      ];
    });
    expect(parameters.length).toBe(36);
    expect(
      parameters.flatMap((each) => schemaViolations(each, 'components', 'schemas', 'TrackingParameters')),
    ).toEqual([]);
  });
});

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../seeds/data/${name}`, import.meta.url), 'utf8'));
}
