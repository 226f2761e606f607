import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createConfigSchema, type VariableSchema } from '../../src/config/jsonSchema.js';
import { variableNames as names, variables } from '../../src/config/variables.js';
import { schemaProblems } from './support/configSchema.js';

const { properties, patternProperties } = createConfigSchema();

describe('The JSON Schema of the configuration', () => {
  test('has every variable, and the variable of its file, except for those that name a file themselves', () => {
    expect(Object.keys(properties)).toEqual([
      ...names,
      ...names
        .filter((name) => !['OPERATIONS_MANIFEST', 'CLIENT_KEYS_FILE'].includes(name))
        .map((name) => `${name}_FILE`),
    ]);
  });

  test('describes every variable', () => {
    expect(Object.values(properties).filter(({ description }) => description.length < 8)).toEqual([]);
  });

  test('marks secrets, whose values --check-config hides: a new one needs `secret` in src/config/variables.ts', () => {
    expect(names.filter((name) => properties[name].writeOnly === true)).toEqual([
      'SHIPMENT_PARAMETERS',
      'SUBGRAPH_TOKEN',
      'HTTPS_PROXY',
      'HTTP_PROXY',
      'SERVICE_HEADERS',
      'SERVICE_CLIENT_KEY',
      'REDIS_URL',
      'PROBE_TOKEN',
    ]);
    const likelySecrets = names.filter((name) =>
      /AUTH|CREDENTIAL|HEADERS$|KEY$|PASSWORD|SECRET|TOKEN$/.test(name),
    );
    expect(likelySecrets.filter((name) => properties[name].writeOnly !== true)).toEqual([]);
  });

  test('has the defaults of the program, which are valid', () => {
    const defaults = Object.fromEntries(
      names.flatMap((name) =>
        properties[name].default === undefined ? [] : [[name, properties[name].default]],
      ),
    );
    const parsed = names.map((name) => [name, variables[name].schema.safeParse(undefined).data] as const);
    const expected = parsed.filter(([, value]) => value !== undefined);
    expect(defaults).toEqual({
      ...Object.fromEntries(expected),
      SHIPMENT_PARAMETERS: '{}',
      SERVICE_HEADERS: '{}',
    });
    expect(schemaProblems(defaults)).toEqual([]);
  });

  test('accepts the empty text, which counts as unset, for every variable', () => {
    expect(schemaProblems(Object.fromEntries(names.map((name) => [name, ''])))).toEqual([]);
  });

  test('accepts numbers and booleans that are not text, as Helm and Compose have them', () => {
    expect(schemaProblems({ PORT: 4000, EXPLORER: false })).toEqual([]);
    expect(schemaProblems({ PORT: 65_536, EXPLORER: 1, MAX_ALIASES: 1.5 })).toEqual([
      '/PORT must be <= 65535 {"comparison":"<=","limit":65535}',
      expect.stringContaining('/MAX_ALIASES must be integer,string') as string,
      expect.stringContaining('/EXPLORER must be boolean,string') as string,
      expect.stringContaining('/EXPLORER must be equal to one of the allowed values') as string,
    ]);
  });

  test('accepts files and the variables of Node.js and of the OpenTelemetry SDK, and rejects all other names', () => {
    const environment = {
      REDIS_URL_FILE: '/run/secrets/redis-url',
      NODE_OPTIONS: '--trace-warnings',
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_BSP_SCHEDULE_DELAY: 1000,
      TZ: 'UTC',
    };
    expect(schemaProblems(environment)).toEqual([]);
    const misspelled = ['SERVICE_TIMOUT_MS', 'OPERATIONS_MANIFEST_FILE', 'NODE_OPTION', 'service_url'];
    expect(schemaProblems(Object.fromEntries(misspelled.map((name) => [name, '1'])))).toEqual(
      misspelled.map((name) => ` must NOT have additional properties {"additionalProperty":"${name}"}`),
    );
  });

  test('has only patterns that mean the same in JavaScript and in Go, with which Helm validates', () => {
    const patterns = [
      ...Object.keys(patternProperties),
      ...Object.values(properties).flatMap((property: VariableSchema & { not?: { pattern: string } }) => [
        property.pattern ?? '',
        property.not?.pattern ?? '',
      ]),
    ];
    expect(patterns.length).toBeGreaterThan(100);
    // Lookahead, lookbehind, named groups and back references; Go repeats at most 1000 times.
    expect(patterns.filter((pattern) => /\(\?[^:]|\\[1-9]|\{\d{4}/.test(pattern))).toEqual([]);
  });
});

describe('The range', () => {
  const integers = names.filter((name) => properties[name].minimum !== undefined);

  test.each(integers)('of %s accepts the numbers that the gateway accepts', (name) => {
    const { minimum = 0, maximum = 0 } = properties[name];
    const number = fc.oneof(
      fc.nat(9).chain((offset) => fc.constantFrom(minimum - 5 + offset, maximum - 4 + offset)),
      fc.integer({ min: minimum, max: maximum }),
      fc.nat(Number.MAX_SAFE_INTEGER),
    );
    fc.assert(
      fc.property(number, (value) => {
        const isValid = variables[name].schema.safeParse(String(value)).success;
        expect([value, schemaProblems({ [name]: value }).length === 0]).toEqual([value, isValid]);
      }),
      { numRuns: 50 },
    );
  });
});
