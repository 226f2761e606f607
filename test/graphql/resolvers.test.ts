import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../src/graphql/schema.js';
import { resolvers } from '../../src/fields/types/index.js';

const folder = new URL('../../src/fields/types/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => !['index.ts', 'scalars.ts'].includes(file))
  .map((file) => file.replace(/\.ts$/, ''));

describe('a resolver file', () => {
  test.each(names)('%s.ts exports only the resolvers of the schema type with its name', async (name) => {
    const module = (await import(new URL(`${name}.ts`, folder).href)) as Record<string, unknown>;
    expect(Object.keys(module)).toEqual([name]);
    expect(createSchema().getType(name)).toBeDefined();
    expect(resolvers[name as keyof typeof resolvers]).toBe(module[name]);
  });
});
