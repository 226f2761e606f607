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

  test('holds 36 notifications that match the contract', () => {
    expect(
      notifications.flatMap((each) => schemaViolations(each, 'components', 'schemas', 'Notification')),
    ).toEqual([]);
    expect(new Set(notifications.map((each) => each.notificationGuid)).size).toBe(notifications.length);
    expect(notifications.length).toBe(36);
  });
});

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../seeds/data/${name}`, import.meta.url), 'utf8'));
}
